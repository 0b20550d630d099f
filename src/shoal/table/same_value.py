"""When two cells are the same value, whatever their spelling: one rule for everybody who compares cells.

Blanks around a word do not count, nor how many of which kind stand inside it, nor characters without width;
letters count in Unicode's composed form (NFC), capitals as capitals. A number is its value (``50000.0``,
``+5e4`` and full-width digits are 50000), but not a code with leading zeros. A float that is written with more
than fifteen digits counts in fifteen, so 0.1 + 0.2 is 0.3. A day is that day at midnight; a time with a zone
is taken in UTC. Empty, blank and ``nan`` cells are missing. Nothing else is guessed: ``1,000``, ``n/a`` and
``17.05.2011`` are words.
"""

import re
import unicodedata
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

DIGITS = 15  # of a float, that every way of computing it agrees in
FEWEST_DECIMALS = 5  # of a float's text; with fewer, sixteen digits are an amount
MOST_PLACES = 40  # before or behind the point, of numbers that are written in full
LONGEST = 400  # characters of a number or a date
NO_WIDTH = "\u00ad\u200b\u2060\ufeff"
BLANKS = " \t\n\v\f\r\x1c\x1d\x1e\x1f"
WIDE_BLANKS = "\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
WIDE_BLANKS += "\u2028\u2029\u202f\u205f\u3000"
SIGNS = str.maketrans({"\u2212": "-", "\uff0d": "-", "\uff0b": "+", "\uff0e": "."})
WITHOUT_WIDTH = str.maketrans(dict.fromkeys(NO_WIDTH))

NUMBER = re.compile(r"[+-]?(?:\d+\.?(\d*)|\.(\d+))([eE][+-]?\d{1,9})?", re.ASCII)
CODE = re.compile(r"[+-]?0\d")
MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)? ?(Z|z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII
)
# What is in order needs no second look.
PLAIN_WORD = (
    r"^[^\x00-\x20+.\-\d\x7f-\x{10ffff}](?:[^\x00-\x20\x7f-\x{10ffff}]| [^\x00-\x20\x7f-\x{10ffff}])*$"
)
PLAIN_NUMBER = r"^(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,6})\.\d{0,7}[1-9]|\d{4}-\d\d-\d\d)$"
NOT_A_NUMBER = r"^(?i)nan$"


def value_of(word: str | None) -> str | None:
    """The one spelling that stands for all spellings of a value; None if the cell is missing.

    >>> [value_of(word) for word in (" flu", "cafe\u0301", "+5e4", "50000.0", "007", "1,000")]
    ['flu', 'café', '50000', '50000', '007', '1,000']
    >>> [value_of(word) for word in ("2020-01-01T00:00", "0.30000000000000004", "NaN", " ")]
    ['2020-01-01', '0.3', None, None]
    """
    if word is None:
        return None
    text = " ".join(unicodedata.normalize("NFC", word.translate(WITHOUT_WIDTH)).split())
    if not text or text.lower() == "nan":
        return None
    if len(text) > LONGEST:
        return text
    return _number(text) or _moment(text) or text


def same_values(cells: Any) -> pa.Array:
    """The same for an array of cells of any kind, as words.

    >>> same_values(pa.array(["flu ", "flu", "1.0", None])).to_pylist()
    ['flu', 'flu', '1', None]
    """
    words = cells.cast(pa.string())
    plain = pc.or_(pc.match_substring_regex(words, PLAIN_WORD), pc.match_substring_regex(words, PLAIN_NUMBER))
    odd = pc.or_(pc.invert(plain), pc.match_substring_regex(words, NOT_A_NUMBER)).fill_null(False)
    if not pc.any(odd).as_py():
        return words
    values = [value_of(word) for word in words.filter(odd).to_pylist()]
    return pc.replace_with_mask(words, odd, pa.array(values, pa.string()))


def one_spelling(column: Any) -> Any:
    """A column as it is published where nobody asks for more: words without blanks around them, in composed
    form, and one way to be missing. Numbers and dates stay as they are written.

    >>> one_spelling(pa.chunked_array([["flu ", "nan", "", "1.0"]])).to_pylist()
    ['flu', None, None, '1.0']
    """
    kind = column.type
    if pa.types.is_floating(kind):
        return _one_zero(column)
    if pa.types.is_dictionary(kind):
        return _of_dictionary(column)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return column
    return _tidy(column.cast(pa.string()) if pa.types.is_string_view(kind) else column)


def fifteen_digits(reals: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _tidy(column: Any) -> Any:
    ascii_only = pc.all(pc.string_is_ascii(column)).as_py() is not False
    if ascii_only:
        trimmed = pc.ascii_trim(column, characters=BLANKS)
    else:
        composed = pc.utf8_normalize(column, form="NFC")
        trimmed = pc.utf8_trim(composed, characters=BLANKS + WIDE_BLANKS + NO_WIDTH)
    lengths = pc.binary_length(trimmed)
    gone = pc.equal(lengths, 0)
    short = pc.equal(lengths, len("nan"))
    if pc.any(short).as_py():
        gone = pc.or_(gone, pc.and_(short, pc.match_substring_regex(trimmed, NOT_A_NUMBER)))
    if pc.any(gone).as_py():
        return pc.if_else(gone.fill_null(False), pa.scalar(None, column.type), trimmed)
    if ascii_only and pc.sum(lengths).as_py() == pc.sum(pc.binary_length(column)).as_py():
        return column
    return trimmed


def _one_zero(column: Any) -> Any:
    """NaN is missing, and minus zero is zero."""
    if pc.any(pc.is_nan(column)).as_py():
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return pc.add(column, pa.scalar(0, column.type))


def _of_dictionary(column: Any) -> Any:
    whole = column.unify_dictionaries().combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    words = whole.dictionary
    tidy = one_spelling(words)
    if tidy is words or tidy.equals(words):
        return column
    made = pa.DictionaryArray.from_arrays(whole.indices, tidy, ordered=column.type.ordered)
    return pa.chunked_array([made]) if isinstance(column, pa.ChunkedArray) else made


def _number(text: str) -> str | None:
    plain = text if text.isascii() else _ascii_digits(text)
    found = NUMBER.fullmatch(plain)
    if found is None or CODE.match(plain):
        return None
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    if len(plain) > DIGITS and (found[3] or len(found[1] or found[2] or "") >= FEWEST_DECIMALS):
        number = _as_float(number)
    return _written(number)


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in text.translate(SIGNS))


def _as_float(number: Decimal) -> Decimal:
    """A number of more than fifteen digits in fifteen, if it is how a float is written."""
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    real = float(number)
    if len(digits) <= DIGITS or not np.isfinite(real) or Decimal(repr(real)) != number:
        return number
    return Decimal(repr(float(fifteen_digits(np.array([real]))[0])))


def _written(number: Decimal) -> str:
    """Without zeros at the end, in full unless that takes too many of them."""
    if not number:
        return "0"
    sign, digits, exponent = number.as_tuple()
    whole = "".join(map(str, digits))
    short = whole.rstrip("0")
    exponent = int(exponent) + len(whole) - len(short)
    plain = Decimal((sign, tuple(map(int, short)), exponent))
    return format(plain, "f" if abs(plain.adjusted()) <= MOST_PLACES else "e")


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
