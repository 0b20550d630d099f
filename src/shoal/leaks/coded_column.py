"""A column as somebody reads it who looks for connections: which cells are the same, and where they lie.

Numbers and dates lie on a line, also where they stand inside text (``CHF 63,451``, ``no. 17``) or in the
spelling of another country (``31.12.1999``, ``12/31/1999``, ``31 Dec 1999``, ``1.234,50``), with or
without a time of day. A few words among them (``n/a``) spoil nothing: what can be read is.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Floats, Ints
from shoal.errors import ShoalError
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.numbers import NotNumeric, Numbers, is_text, numbers_from_arrow
from shoal.table.table import Table

INSIDE = r"^[^\d]*?(?P<number>-?\d[\d,' ]*(?:\.\d+)?)[^\d]*$"
COMMA = r"^[^\d]*?(?P<number>-?\d[\d.' ]*(?:,\d+)?)[^\d]*$"
BETWEEN = r"[./, -]+"
TIME = r"(?:[Tt ]\s*\d{1,2}:\d\d.*)?"
DAY = rf"^\s*(?P<a>\d{{1,4}}){BETWEEN}(?P<b>\d{{1,2}}){BETWEEN}(?P<c>\d{{1,4}})\s*{TIME}$"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?i)\b(?:{'|'.join(MONTHS)})[a-z]*\b"
MOST = 0.5  # of the different cells: if more of them can be read, the others are slips and words for nothing
DAYS = 0.9  # of what looks like dates has to be in the calendar, or else month and day stand elsewhere
ORDERS = (("a", "b", "c"), ("c", "b", "a"), ("c", "a", "b"))  # where year, month and day stand


@dataclass(frozen=True)
class CodedColumn:
    """``codes`` number the different cells from 0 on, a missing one included. ``lines`` are the ways to lay
    the cells out on a line, NaN where one is missing; there are none for words."""

    codes: Ints
    lines: tuple[Floats, ...] = ()

    @property
    def different(self) -> int:
        return int(self.codes.max(initial=-1)) + 1

    def first(self, rows: int) -> "CodedColumn":
        """The first rows alone; codes keep their meaning."""
        return CodedColumn(self.codes[:rows], tuple(line[:rows] for line in self.lines))


def coded_column(table: Table, name: str) -> CodedColumn:
    """A column of a table, read as it is most telling.

    >>> coded_column(Table(pa.table({"pay": ["CHF 1,200", "CHF 90"]})), "pay").lines[0].tolist()
    [1200.0, 90.0]
    """
    with suppress(ShoalError):
        return column_of_numbers(table.points(name))
    encoded = table.encoded(name)
    lines = [line[encoded.numbers] for line in _lines_of(encoded.cells)]
    return CodedColumn(encoded.numbers.astype(np.int64), tuple(lines))


def column_of_numbers(found: Numbers) -> CodedColumn:
    """Decimal numbers as floats on a line; equal ones are the same cell."""
    line = np.where(found.missing, np.nan, found.units / 10.0**found.scale)
    return column_of_line(line)


def column_of_line(line: Floats) -> CodedColumn:
    """Numbers on a line; equal ones are the same cell."""
    codes = np.unique(line, return_inverse=True, equal_nan=True)[1]
    return CodedColumn(codes.astype(np.int64).reshape(-1), (line,))


def _lines_of(cells: pa.Array) -> Iterator[Floats]:
    """Text as dates, in every order of year, month and day that fits, or else as the numbers inside."""
    if not is_text(cells.type):
        return
    fewest = MOST * (len(cells) - cells.null_count)
    days = pc.extract_regex(_with_numbered_months(cells), DAY)
    if _read(days) > fewest:
        for order in ORDERS:
            with suppress(ValueError):
                yield _days(days, order)
        return
    plain, comma = pc.extract_regex(cells, INSIDE), pc.extract_regex(cells, COMMA)
    inside = comma if _read(comma) > _read(plain) else plain
    if _read(inside) <= fewest:
        return
    digits = pc.replace_substring_regex(inside.field("number"), "[.' ]" if inside is comma else "[,' ]", "")
    digits = pc.replace_substring(digits, ",", ".")
    with suppress(NotNumeric):
        found = numbers_from_arrow(pc.if_else(inside.is_valid(), digits, pa.scalar(None, pa.string())))
        yield np.where(found.missing, np.nan, found.units / 10.0**found.scale)


def _read(found: pa.Array) -> int:
    return len(found) - int(found.null_count)


def _with_numbered_months(cells: pa.Array) -> pa.Array:
    """Text in which the English names of months are their numbers.

    >>> _with_numbered_months(pa.array(["24 July 1997", "Jul 24, 1997"])).to_pylist()
    ['24 7 1997', '7 24, 1997']
    """
    if not pc.any(pc.match_substring_regex(cells, MONTH)).as_py():
        return cells
    for number, month in enumerate(MONTHS, 1):
        cells = pc.replace_substring_regex(cells, rf"(?i)\b{month}[a-z]*\b", str(number))
    return cells


def _days(found: pa.Array, order: tuple[str, str, str]) -> Floats:
    missing = np.asarray(numpy_from_arrow(found.is_null()))
    year, month, day = (
        np.where(missing, 1, _whole(found.field(name), missing)).astype(np.int64) for name in order
    )
    if not (year > 31).any() and not missing.all() and order[0] != "a":
        raise ValueError("a year of two digits may be any of them")
    fits = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    if np.mean(fits[~missing]) < DAYS:
        raise ValueError("no days of a calendar")
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int64) + day - 1
    return np.where(missing | ~fits, np.nan, days.astype(np.float64))


def _whole(parts: pa.Array, missing: Bools) -> Ints:
    filled = pc.if_else(pa.array(missing), "1", parts)
    return np.asarray(numpy_from_arrow(filled.cast(pa.int64())))
