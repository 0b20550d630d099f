"""TOML as people read it: keys, values and comments, and what is wrong with a text that is none."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import PurePath
from textwrap import fill
from typing import Any

from shoal.errors import ShoalError

WIDTH = 108
MOST_DIGITS = 30  # longer numbers are written with an exponent
LARGEST_EXPONENT = 400  # as an integer, a number of a billion digits would fill the memory
MOST_PARTS = 32  # of a key: each is a table inside a table, and reading them takes the square of the time
KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
DEEP_KEY = rf"(?<![\w.-])(?:{KEY_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}"
UNQUOTED = r"""([\w-]+|"[^"]*"|'[^']*')\s*=\s*[^\W\d]"""  # a value that begins as a word
UNSEEN = (
    r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"  # controls; some turn a line's order round
)


class NoToml(ShoalError):
    """A text that is not valid TOML; ``line`` is where reading it failed, from 1, if that is known."""

    def __init__(self, text: str, name: str, error: Exception) -> None:
        found = re.search(r"^(.*) \(at line (\d+), column \d+\)$", str(error))
        reason = found[1] if found else _reason(error)
        self.line = int(found[2]) if found else None
        where = f" in line {self.line}" if found else ""
        self.written = text.split("\n")[int(found[2]) - 1].strip() if found else ""
        hint = _hint(str(error), name, self.written)
        super().__init__(f"{name} is not valid TOML{where}: {reason[:1].lower()}{reason[1:]}", hint)


def toml_mapping(text: str, name: str = "policy.toml") -> dict[str, Any]:
    """A TOML text as plain values, numbers as they are written; ``name`` is what to call it in a fault.

    >>> toml_mapping("k = 5\\nwithin = 0.1")
    {'k': 5, 'within': Decimal('0.1')}
    """
    if re.search(DEEP_KEY, text):
        raise ShoalError(
            f"{name} has a key of more than {MOST_PARTS} parts with dots between them",
            'a policy needs few; the name of a column with dots is written in quotes: "a.b.c" = "quasi".',
        )
    try:
        return tomllib.loads(text, parse_float=decimal_of)
    except (ValueError, ArithmeticError) as error:  # among them numbers of thousands of digits
        raise NoToml(text, name, error) from None
    except RecursionError:
        raise ShoalError(f"{name} is not valid TOML: brackets inside brackets without end") from None


def decimal_of(text: str) -> Decimal:
    """A number as it is written; what is none, or too large to be counted with, is an ArithmeticError.

    >>> decimal_of("1e9999")
    Traceback (most recent call last):
    OverflowError: a number is too large
    """
    number = Decimal(text)
    if number.is_finite() and abs(number.adjusted()) > LARGEST_EXPONENT:
        raise OverflowError("a number is too large")
    return number


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a number is too large"


def _hint(error: str, name: str, line: str) -> str:
    """
    >>> _hint("Invalid value (at line 1, column 5)", "policy.toml", "k = ten")
    'numbers are written in digits (k = 10), and words need quotes (name = "mondrian").'
    """
    if "'options'" in error:
        return "options = { ... } and [method.options.order] cannot both be: write all in sections."
    if "overwrite" in error:
        return "a [section] header above this line may be missing, or still a comment."
    if re.match(UNQUOTED, line):
        return 'numbers are written in digits (k = 10), and words need quotes (name = "mondrian").'
    if PurePath(name).suffix == ".toml":
        return 'column names that are not plain words need quotes: "net pay" = "quasi".'
    return "give the table first, then the policy file."


def toml_key(name: str) -> str:
    """A bare TOML key where possible, a quoted one otherwise.

    >>> toml_key("net_pay"), toml_key("net pay")
    ('net_pay', '"net pay"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_text(text: str) -> str:
    """A quoted TOML string, with letters that cannot be seen escaped."""
    return re.sub(UNSEEN, _escaped, json.dumps(text, ensure_ascii=False))


def toml_comment(text: str, mark: str = "# ") -> str:
    """Lines of a comment, broken between words; a column's name in it ends no line.

    >>> print(toml_comment("the values of two\\nlines"), end="")
    # the values of two\\u000alines
    """
    shown = re.sub(UNSEEN, _escaped, re.sub(r"[\x00-\x1f]", _escaped, text))
    lines = fill(shown, WIDTH, initial_indent=mark, subsequent_indent=mark, break_long_words=False)
    return (lines or mark.rstrip()) + "\n"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def toml_value(value: Any) -> str:
    """A value on one line; numbers are plain, as far as that is short.

    >>> toml_value({"intervals": [Decimal("0.50"), Decimal("1E+1"), 20.0]})
    '{ intervals = [0.50, 10, 20] }'
    """
    match value:
        case bool():
            return str(value).lower()
        case str():
            return toml_text(value)
        case int() | float() | Decimal():
            return _number(value)
        case date() | time():
            return value.isoformat()
        case Mapping():
            inside = ", ".join(f"{toml_key(key)} = {toml_value(one)}" for key, one in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case Sequence():
            return f"[{', '.join(map(toml_value, value))}]"
    raise ShoalError(
        "a policy with missing values in a hierarchy cannot be written as TOML",
        "leave the lines of missing values out: they need none.",
    )


def _number(value: float | Decimal) -> str:
    if isinstance(value, int):
        return str(value)
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    if not exact.is_finite():
        return str(exact).lower().replace("infinity", "inf")
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**MOST_DIGITS:
        return str(int(value))
    short = abs(exact.adjusted()) <= MOST_DIGITS
    return f"{exact:f}" if short else str(exact)
