"""Numbers as people spell them: a decimal mark, and marks between thousands, as the owner says.

A mark is never guessed: ``1.234`` is one thing in Zurich and another in Berlin. Numbers stay text, so that
they are exact and keep their decimals; only the marks change.
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.numbers import is_text
from shoal.table.rules.column_readers import ReadCells

BLANK, APOSTROPHE = " ", "'"
MARKS = {
    ".": r"\.",
    ",": ",",
    APOSTROPHE: "['\u2019]",  # typewriters have one, typesetters the other
    BLANK: "[ \u00a0\u2009\u202f]",  # those that break no line are blanks too
}
MINUS = "[\u2212\uff0d]"


@dataclass(frozen=True)
class NumberSpelling:
    """A decimal mark, and a mark between groups of three digits; where a number has none, it has none.

    >>> NumberSpelling(",", ".").read(pa.array(["1.234,50", "-7", "1.23", None])).cells.to_pylist()
    ['1234.50', '-7', None, None]
    """

    decimal: str = "."
    thousands: str = ""

    @property
    def reason(self) -> str:
        marks = f"decimal {self.decimal!r}" + (f", thousands {self.thousands!r}" if self.thousands else "")
        return f"not numbers as declared ({marks})"

    def read(self, cells: pa.Array) -> ReadCells:
        if not is_text(cells.type):
            plain = pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)
            known = plain or pa.types.is_decimal(cells.type) or pa.types.is_null(cells.type)
            return ReadCells.all_of(cells) if known else ReadCells.none_of(cells)
        words = pc.replace_substring_regex(cells.cast(pa.string()), MINUS, "-")
        fits = pc.match_substring_regex(words, self._pattern)
        return ReadCells(self._plain(pc.if_else(fits, words, pa.scalar(None, pa.string()))),
                         ~numpy_from_arrow(fits.fill_null(True)))  # fmt: skip

    @property
    def _pattern(self) -> str:
        mark = MARKS[self.decimal]
        whole = r"\d+"
        if self.thousands:
            whole = rf"(\d+|[1-9]\d{{0,2}}(?:{MARKS[self.thousands]}\d{{3}})+)"  # 0,123 is a decimal
        return rf"^[+-]?({whole}({mark}\d*)?|{mark}\d+)([eE][+-]?\d{{1,3}})?$"

    def _plain(self, numbers: pa.Array) -> pa.Array:
        if self.thousands:
            numbers = pc.replace_substring_regex(numbers, MARKS[self.thousands], "")
        numbers = pc.replace_substring(numbers, self.decimal, ".")
        numbers = pc.replace_substring_regex(numbers, r"^\+", "")
        numbers = pc.replace_substring_regex(numbers, r"^(-?)0+(\d)", r"\1\2")
        return pc.replace_substring_regex(numbers, r"\.$", "")

    def hint(self, cells: pa.Array, /) -> str:
        if not is_text(cells.type):
            return "give the column another kind in [types], or leave it out of [types]."
        known = cells.drop_null()
        ways = [spelling for spelling in SPELLINGS if not spelling.read(known).unread.any()]
        plain = {way.decimal for way in ways if not way.thousands}
        ways = [way for way in ways if not way.thousands or way.decimal not in plain]
        if not ways:
            return OTHERS
        return f"all of them can be read with {' or with '.join(map(str, ways))}: say so in [types]."

    def __str__(self) -> str:
        marks = [f'decimal = "{self.decimal}"'] + [f'thousands = "{self.thousands}"'] * bool(self.thousands)
        return ", ".join(marks)


SPELLINGS = tuple(
    NumberSpelling(decimal, thousands)
    for decimal in (".", ",")
    for thousands in ("", ".", ",", APOSTROPHE, BLANK)
    if thousands != decimal
)
OTHERS = (
    'list codes that stand for missing cells in [missing], for example ["NA"]; correct the others, or state '
    "the decimal mark and the mark between thousands in [types]."
)
