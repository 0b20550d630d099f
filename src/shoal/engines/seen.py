"""What was seen of a column of numbers in some batches, and what that makes of the whole column.

A column is on the smallest decimal scale that holds all of it, and no batch can know that alone. The whole
gets the scale that `numbers_from_arrow` would give it in memory.
"""

from dataclasses import dataclass, field, replace
from math import floor, log10
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.rows import ROW
from shoal.errors import Fault
from shoal.methods.ranges import Ints
from shoal.table.bridge import numpy_from_arrow
from shoal.table.numbers import (
    CODES,
    LARGEST_FLOAT_UNITS,
    LARGEST_SCALE,
    NotNumeric,
    is_text,
    numbers_from_arrow,
)
from shoal.table.table import HINTS, SHOWN_ROWS

TEXT = "text, not numbers"


@dataclass(frozen=True)
class Places:
    """How many cells, and the first rows where they stand."""

    count: int = 0
    first: tuple[int, ...] = ()

    def joined(self, other: "Places") -> "Places":
        first = sorted({*self.first, *other.first})[: SHOWN_ROWS + 1]
        return Places(self.count + other.count, tuple(first))

    def fault(self, name: str, rows: int, reason: str, hint: str = "") -> Fault:
        shown = ", ".join(f"{row + 1}" for row in self.first[:SHOWN_ROWS])
        more = ", ..." if self.count > SHOWN_ROWS else ""
        word = "rows" if self.count > 1 else "row"
        return Fault(
            f"column {name!r} has {self.count:,} of {rows:,} cells that are {reason} ({word} {shown}{more})",
            hint or HINTS.get(reason, "correct these cells, or give the column another role."),
        )


@dataclass(frozen=True)
class Seen:
    """Of the cells that are numbers: ends in whole units of ``10**-scale``. The others by what they are."""

    rows: int
    missing: Places
    scale: int = 0
    low: int | None = None
    high: int | None = None
    real: bool = False  # are they floats?
    on_grid: bool = False  # floats that no scale holds exactly
    odd: dict[str, Places] = field(default_factory=dict)

    def joined(self, other: "Seen") -> "Seen":
        scale = max(self.scale, other.scale)
        ends = [
            end * 10 ** (scale - one.scale)
            for one in (self, other)
            for end in (one.low, one.high)
            if end is not None
        ]
        return Seen(
            self.rows + other.rows,
            self.missing.joined(other.missing),
            scale,
            min(ends, default=None),
            max(ends, default=None),
            self.real or other.real,
            self.on_grid or other.on_grid,
            {
                reason: self.odd.get(reason, Places()).joined(other.odd.get(reason, Places()))
                for reason in {**self.odd, **other.odd}
            },
        )

    @property
    def mostly_numbers(self) -> bool:
        """Are more than half of the cells that are there numbers? Then the others are mistakes."""
        if CODES in self.odd and TEXT not in self.odd:
            return False
        return 2 * sum(places.count for places in self.odd.values()) < self.rows - self.missing.count

    def settled(self) -> "Seen":
        """On the scale of the whole column; floats that no scale holds lie on a grid of fifteen digits."""
        if not self.real or self.low is None or self.high is None:
            return self
        largest = max(-self.low, self.high) / 10**self.scale
        finest = LARGEST_SCALE if largest == 0 else floor(log10(LARGEST_FLOAT_UNITS / largest))
        while finest > 0 and largest * 10.0**finest > LARGEST_FLOAT_UNITS:
            finest -= 1
        finest = min(finest, LARGEST_SCALE)
        if not self.on_grid and self.scale <= finest:
            return self
        low, high = (round(end * 10.0 ** (finest - self.scale)) for end in (self.low, self.high))
        return replace(self, scale=finest, low=low, high=high, on_grid=True)


def seen_in(table: pa.Table, name: str) -> Seen:
    """One column of a batch."""
    column, rows = table.column(name), numpy_from_arrow(table.column(ROW).combine_chunks())
    try:
        numbers = numbers_from_arrow(column)
    except NotNumeric as error:
        missing = _missing(column)
        return Seen(len(table), places_of(rows, missing), odd={error.reason: places_of(rows, error.rows)})
    there = numbers.units[~numbers.missing] if numbers.any_missing else numbers.units
    return Seen(
        len(table),
        places_of(rows, np.flatnonzero(numbers.missing)),
        numbers.scale,
        int(there.min()) if len(there) else None,
        int(there.max()) if len(there) else None,
        pa.types.is_floating(column.type),
        not numbers.exact,
    )


def units_on(column: pa.ChunkedArray, scale: int) -> tuple[Ints, Any]:
    """The cells of a batch on the scale of the whole column, and which are missing."""
    numbers = numbers_from_arrow(column)
    if numbers.reals is not None:
        return np.rint(numbers.reals * 10.0**scale).astype(np.int64), numbers.missing
    if numbers.scale > scale:
        reals = numbers.units / 10.0**numbers.scale
        return np.rint(reals * 10.0**scale).astype(np.int64), numbers.missing
    return numbers.units * 10 ** (scale - numbers.scale), numbers.missing


def _missing(column: pa.ChunkedArray) -> Any:
    empty = column.is_null()
    if is_text(column.type):
        empty = pc.or_(empty, pc.equal(pc.utf8_trim_whitespace(column), "").fill_null(True))
    return np.flatnonzero(numpy_from_arrow(empty.combine_chunks()))


def places_of(rows: Ints, at: Any) -> Places:
    return Places(len(at), tuple(rows[at[: SHOWN_ROWS + 1]].tolist()))
