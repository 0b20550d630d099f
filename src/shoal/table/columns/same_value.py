"""When two cells are the same value, whatever their spelling: one rule for everybody who compares cells.

Blanks around a word do not count, nor how many of which kind stand inside it, nor characters without width;
letters count in Unicode's composed form (NFC), capitals as capitals. A number is its value (``50000.0``,
``+5e4`` and full-width digits are 50000), but not a code with leading zeros. A float that is written with
more than fifteen digits counts in fifteen, so 0.1 + 0.2 is 0.3. A day is that day at midnight; a time with a
zone is taken in UTC. Empty, blank and ``nan`` cells are missing. Nothing else is guessed: ``1,000``, ``n/a``
and ``17.05.2011`` are words.
"""

import re
import unicodedata
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

import numpy as np

from shoal.arrays import Floats

DIGITS = 15  # of a float, that every way of computing it agrees in
FEWEST_DECIMALS = 5  # of a float's text; with fewer, sixteen digits are an amount
MOST_PLACES = 40  # before or behind the point, of numbers that are written in full
LONGEST = 400  # characters of a number or a date
NO_WIDTH = "\u00ad\u200b\u2060\ufeff"
SIGNS = str.maketrans({"\u2212": "-", "\uff0d": "-", "\uff0b": "+", "\uff0e": "."})
WITHOUT_WIDTH = str.maketrans(dict.fromkeys(NO_WIDTH))

# What is in order is its own value; written as Arrow reads patterns, too.
PLAIN_WORD = r"[!-*,/:-~](?: ?[!-~])*"
PLAIN_NUMBER = r"(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,6})\.\d{0,7}[1-9]|\d{4}-\d\d-\d\d)"
PLAIN = re.compile(f"{PLAIN_WORD}|{PLAIN_NUMBER}", re.ASCII)
NUMBER = re.compile(r"[+-]?(?:\d+\.?(\d*)|\.(\d+))([eE][+-]?\d{1,9})?", re.ASCII)
CODE = re.compile(r"[+-]?0\d")
MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)? ?(Z|z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII
)


def value_of(word: str | None) -> str | None:
    """The one spelling that stands for all spellings of a value; None if the cell is missing.

    >>> [value_of(word) for word in (" flu", "cafe\u0301", "+5e4", "50000.0", "007", "1,000")]
    ['flu', 'café', '50000', '50000', '007', '1,000']
    >>> [value_of(word) for word in ("2020-01-01T00:00", "0.30000000000000004", "NaN", " ")]
    ['2020-01-01', '0.3', None, None]
    """
    if word is None:
        return None
    if PLAIN.fullmatch(word) and (len(word) != len("nan") or word.lower() != "nan"):
        return word
    text = " ".join(unicodedata.normalize("NFC", word.translate(WITHOUT_WIDTH)).split())
    if not text or text.lower() == "nan":
        return None
    if len(text) > LONGEST:
        return text
    return _number(text) or _moment(text) or text


def fifteen_digits(reals: Floats) -> Floats:
    """Floats that agree in fifteen digits are one.

    >>> fifteen_digits(np.array([0.1 + 0.2, 1e-7, -0.0, 2e22])).tolist()
    [0.3, 1e-07, 0.0, 2e+22]
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        places = DIGITS - 1 - np.floor(np.log10(np.abs(reals)))
        some = np.isfinite(places)
        up = np.where(some & (places > 0), places, 0.0)
        down = np.where(some & (places < 0), -places, 0.0)
        steps = np.minimum(up, 300.0)  # beyond, a power of ten is no float
        rounded = np.rint(reals * 10.0**steps * 10.0 ** (up - steps) / 10.0**down)
        found = rounded / 10.0**steps / 10.0 ** (up - steps) * 10.0**down
    return np.asarray(np.where(np.isfinite(found), found, reals) + 0.0)


def _number(text: str) -> str | None:
    plain = text if text.isascii() else _ascii_digits(text)
    found = NUMBER.fullmatch(plain)
    if found is None or CODE.match(plain):
        return None
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    return _written(_in_fifteen_digits(number) if is_float_text(plain) else number)


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in text.translate(SIGNS))


def is_float_text(text: str) -> bool:
    """Is this a number of more than fifteen digits, with decimals, exactly as a float is written?

    >>> [is_float_text(text) for text in ("0.30000000000000004", "0.3", "90071992547409.93")]
    [True, False, False]
    """
    found = NUMBER.fullmatch(text)
    if found is None or len(text) <= DIGITS or len(text) > LONGEST:
        return False
    if not found[3] and len(found[1] or found[2] or "") < FEWEST_DECIMALS:
        return False
    number = Decimal(text)
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    real = float(number)
    return len(digits) > DIGITS and bool(np.isfinite(real)) and Decimal(repr(real)) == number


def _in_fifteen_digits(number: Decimal) -> Decimal:
    return Decimal(repr(float(fifteen_digits(np.array([float(number)]))[0])))


def _written(number: Decimal) -> str:
    """A number without zeros at the end, in full unless that takes too many of them."""
    if not number:
        return "0"
    sign, digits, exponent = number.as_tuple()
    whole = "".join(map(str, digits))
    short = whole.rstrip("0")
    exponent = int(exponent) + len(whole) - len(short)
    plain = Decimal((sign, tuple(map(int, short)), exponent))
    return format(plain, "f" if abs(plain.adjusted()) <= MOST_PLACES else "e")


def is_moment(text: str) -> bool:
    """Is this an ISO date, or a time of one?

    >>> [is_moment(text) for text in ("2011-04-03", "2011-04-03 09:30", "2011-02-30", "03.04.2011")]
    [True, True, False, False]
    """
    return _moment(text) is not None


def _moment(text: str) -> str | None:
    """A date, or a time of it in UTC; midnight is the date."""
    found = MOMENT.fullmatch(text)
    if found is None:
        return None
    day, time, seconds, part, zone = found.groups()
    zone = "+00:00" if zone in ("Z", "z") else zone or ""
    try:
        moment = datetime.fromisoformat(f"{day}T{time or '00:00'}:{seconds or '00'}{zone}")
        if zone:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    part = (part or "").rstrip("0")
    if part or moment.time() != moment.time().min:
        return moment.isoformat(" ") + (f".{part}" if part else "")
    return moment.date().isoformat()
