"""A column as somebody reads it who looks for connections: which cells are the same, and where they lie.

Numbers and dates lie on a line, also where they stand inside text (``CHF 63,451``, ``no. 17``) or in the
spelling of another country (``31.12.1999``, ``12/31/1999``).
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.table.bridge import numpy_from_arrow
from shoal.table.numbers import NotNumeric, Numbers, is_text, numbers_from_arrow
from shoal.table.table import Table

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

INSIDE = r"^[^\d]*?(?P<number>-?\d[\d,' ]*(?:\.\d+)?)[^\d]*$"
DAY = r"^\s*(?P<a>\d{1,4})[./ -](?P<b>\d{1,2})[./ -](?P<c>\d{1,4})\s*$"
ORDERS = (("a", "b", "c"), ("c", "b", "a"), ("c", "a", "b"))  # where year, month and day stand


@dataclass(frozen=True)
class Column:
    """``codes`` number the different cells from 0 on, a missing one included. ``lines`` are the ways to lay
    the cells out on a line, NaN where one is missing; there are none for words."""

    codes: Ints
    lines: tuple[Floats, ...] = ()

    @property
    def different(self) -> int:
        return int(self.codes.max(initial=-1)) + 1

    def first(self, rows: int) -> "Column":
        """The first rows alone; codes keep their meaning."""
        return Column(self.codes[:rows], tuple(line[:rows] for line in self.lines))


def column_of(table: Table, name: str) -> Column:
    """A column of a table, read as it is most telling.

    >>> column_of(Table(pa.table({"pay": ["CHF 1,200", "CHF 90"]})), "pay").lines[0].tolist()
    [1200.0, 90.0]
    """
    with suppress(ShoalError):
        return of_numbers(table.points(name))
    encoded = table.encoded(name)
    lines = [line[encoded.numbers] for line in _lines_of(encoded.cells)]
    return Column(encoded.numbers.astype(np.int64), tuple(lines))


def of_numbers(found: Numbers) -> Column:
    line = np.where(found.missing, np.nan, found.units / 10.0**found.scale)
    return of_line(line)


def of_line(line: Floats) -> Column:
    """Numbers on a line; equal ones are the same cell."""
    codes = np.unique(line, return_inverse=True, equal_nan=True)[1]
    return Column(codes.astype(np.int64).reshape(-1), (line,))


def _lines_of(cells: pa.Array) -> Iterator[Floats]:
    """Text as dates, in every order of year, month and day that fits, or else as the numbers inside."""
    if not is_text(cells.type):
        return
    there = len(cells) - cells.null_count
    days = pc.extract_regex(cells, DAY)
    if there and days.null_count == cells.null_count:
        for order in ORDERS:
            with suppress(ValueError):
                yield _days(days, order)
        return
    inside = pc.extract_regex(cells, INSIDE)
    if not there or inside.null_count > cells.null_count:
        return
    digits = pc.replace_substring_regex(inside.field("number"), "[,' ]", "")
    with suppress(NotNumeric):
        found = numbers_from_arrow(pc.if_else(inside.is_valid(), digits, pa.scalar(None, pa.string())))
        yield np.where(found.missing, np.nan, found.units / 10.0**found.scale)


def _days(found: pa.Array, order: tuple[str, str, str]) -> Floats:
    missing = np.asarray(numpy_from_arrow(found.is_null()))
    year, month, day = (
        np.where(missing, 1, _whole(found.field(name), missing)).astype(np.int64) for name in order
    )
    if not (year > 31).any() and not missing.all() and order[0] != "a":
        raise ValueError("a year of two digits may be any of them")
    if month.min() < 1 or month.max() > 12 or day.min() < 1 or day.max() > 31:
        raise ValueError("no day of a calendar")
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int64) + day - 1
    return np.where(missing, np.nan, days.astype(np.float64))


def _whole(parts: pa.Array, missing: NDArray[np.bool_]) -> Ints:
    filled = pc.if_else(pa.array(missing), "1", parts)
    return np.asarray(numpy_from_arrow(filled.cast(pa.int64())))
