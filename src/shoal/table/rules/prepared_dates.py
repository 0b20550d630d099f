"""What becomes of single dates before a table is looked at: a year, a month, or an age.

Each is a way to read cells (``CellReader``), the same for a table and its batches.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import MOMENT, value_of
from shoal.table.columns.spelling import same_values
from shoal.table.rules.column_readers import ReadCells
from shoal.table.rules.wall_clock import wall_clock

SPELL_DATES = "say in [types] how the dates are spelled, or list codes of missing cells in [missing]."


@dataclass(frozen=True)
class DatePart:
    """The year of a date as a number, or its month as ``2011-04``.

    >>> DatePart("month").read(pa.array(["2011-04-03", None])).cells.to_pylist()
    ['2011-04', None]
    """

    part: Literal["year", "month"]

    @property
    def reason(self) -> str:
        return "no dates"

    def hint(self, _cells: pa.Array, /) -> str:
        return SPELL_DATES

    def read(self, cells: pa.Array) -> ReadCells:
        days, odd = _days(cells)
        if self.part == "year":
            return ReadCells(_numbers([None if day is None else day.year for day in days], cells.type), odd)
        months = [None if day is None else f"{day.year:04}-{day.month:02}" for day in days]
        return ReadCells(pa.array(months, pa.string()), odd)


@dataclass(frozen=True)
class AgeAt:
    """Whole years from a date to a day; who is born later has none.

    >>> AgeAt(date(2024, 12, 31)).read(pa.array(["2000-01-01", "2000-12-31"])).cells.to_pylist()
    ['24', '24']
    """

    day: date

    @property
    def reason(self) -> str:
        return f"no dates up to {self.day}"

    def hint(self, _cells: pa.Array, /) -> str:
        return SPELL_DATES

    def read(self, cells: pa.Array) -> ReadCells:
        days, odd = _days(cells)
        later = np.array([day is not None and day > self.day for day in days], bool)
        ages = [None if day is None or day > self.day else self._years(day) for day in days]
        return ReadCells(_numbers(ages, cells.type), odd | later)

    def _years(self, born: date) -> int:
        return self.day.year - born.year - ((self.day.month, self.day.day) < (born.month, born.day))


def _days(cells: pa.Array) -> tuple[list[date | None], Bools]:
    """The days of dates and times, and which cells are neither."""
    kind = cells.type
    known = is_text(kind) or pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_null(kind)
    words = same_values(wall_clock(cells)).to_pylist() if known else _nothing(cells)
    days = [_day(word) for word in words]
    odd = [day is None and word is not None for day, word in zip(days, words, strict=True)]
    return days, np.array(odd, bool)


def _nothing(cells: pa.Array) -> list[str | None]:
    return ["" if there else None for there in cells.is_valid().to_pylist()]


def _day(word: str | None) -> date | None:
    value = value_of(word)
    found = None if value is None else MOMENT.fullmatch(value)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:  # the 30th of February
        return None


def _numbers(numbers: list[int | None], kind: pa.DataType) -> pa.Array:
    whole = pa.array(numbers, pa.int64())
    return whole.cast(pa.string()) if is_text(kind) else whole
