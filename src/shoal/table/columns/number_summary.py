"""What was seen of a column of numbers in some batches, and what that makes of the whole column.

A column is on the smallest decimal scale that holds all of it, and no batch can know that alone. The whole
gets the scale that `numbers_from_arrow` would give it in memory.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.mostly_numbers import mostly_numbers
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.numbers import (
    BEYOND,
    CODES,
    LARGEST_FLOAT_UNITS,
    NotNumeric,
    Numbers,
    has_float_notation,
    is_text,
    longer_than_floats,
    numbers_as_floats,
    numbers_from_arrow,
    reals_from_arrow,
    scale_of_floats,
)
from shoal.table.table import SHOWN_ROWS

TEXT = "text, not numbers"
NO_SCALE = 40  # any number but 0 on it is beyond 64 bits


@dataclass(frozen=True)
class CellPlaces:
    """How many cells, and the first rows where they stand."""

    count: int = 0
    first: tuple[int, ...] = ()

    def joined(self, other: "CellPlaces") -> "CellPlaces":
        first = sorted({*self.first, *other.first})[: SHOWN_ROWS + 1]
        return CellPlaces(self.count + other.count, tuple(first))


@dataclass(frozen=True)
class ScaledNumbers:
    """A whole column of numbers: ends in units of ``10**-scale``, and the cells that are no numbers."""

    rows: int
    missing: CellPlaces
    scale: int
    low: int | None
    high: int | None
    floats: bool
    on_grid: bool
    odd: dict[str, CellPlaces]

    def without_leaving(self, staying: "NumberSummary") -> "ScaledNumbers":
        """The rows that stay, on the scale of all of them."""
        low, high = _ends_on(staying, self.scale, self.floats)
        return replace(self, rows=staying.rows, missing=staying.missing, low=low, high=high)


@dataclass(frozen=True)
class NumberSummary:
    """A summary of the cells that are numbers: ends, and the scale that holds them, as decimals and as
    floats. The others by what they are.

    Whether text is read as floats takes a look at all of it, as in memory: it is if some of it can be read as
    nothing else (``real``), or where no scale holds it, unless it is ``long``, with more digits than a float.
    """

    rows: int
    missing: CellPlaces
    low: Fraction | None = None
    high: Fraction | None = None
    scale: int = 0
    float_scale: int = 0
    on_grid: bool = False  # floats that no scale holds exactly
    text: bool = False
    real: bool = False
    long: bool = False
    unfit: CellPlaces = CellPlaces()  # numbers of no scale, unless they are read as floats
    odd: dict[str, CellPlaces] = field(default_factory=dict)

    def joined(self, other: "NumberSummary") -> "NumberSummary":
        lows, highs = ([end for end in ends if end is not None]
                       for ends in ((self.low, other.low), (self.high, other.high)))  # fmt: skip
        return NumberSummary(
            rows=self.rows + other.rows,
            missing=self.missing.joined(other.missing),
            low=min(lows, default=None),
            high=max(highs, default=None),
            scale=max(self.scale, other.scale),
            float_scale=max(self.float_scale, other.float_scale),
            on_grid=self.on_grid or other.on_grid,
            text=self.text or other.text,
            real=self.real or other.real,
            long=self.long or other.long,
            unfit=self.unfit.joined(other.unfit),
            odd=_more_odd(self.odd, other.odd),
        )

    def as_words(self) -> "NumberSummary":
        """The summary of a column of which the owner says that its numbers are words, as codes are."""
        return replace(self, odd={CODES: CellPlaces(self.rows - self.missing.count)}, text=True)

    @property
    def mostly_numbers(self) -> bool:
        """Are more than half of the cells that are there numbers? Then the others are mistakes."""
        odd, there = self.scaled_numbers().odd, self.rows - self.missing.count
        codes = CODES in odd and TEXT not in odd
        counted = [odd[TEXT]] if TEXT in odd else odd.values()
        others = 0 if codes else sum(places.count for places in counted)
        return mostly_numbers(there, others, text=self.text, codes=codes)

    def scaled_numbers(self) -> ScaledNumbers:
        """The numbers on the scale of the whole column; floats that no scale holds lie on a grid of fifteen
        digits."""
        low, high = self.low or Fraction(0), self.high or Fraction(0)
        fit = low * 10**self.scale >= -(2**63) and high * 10**self.scale < 2**63  # in 64 bits
        floats = self.real or (self.text and not self.long and not fit)
        scale, on_grid, odd = self.scale, False, self.odd
        if floats:
            largest = max(-float(low), float(high))
            scale, on_grid = scale_of_floats(largest, None if self.on_grid else self.float_scale)
        elif self.unfit.count:
            odd = _more_odd(odd, {BEYOND: self.unfit})
        return ScaledNumbers(
            self.rows, self.missing, scale, *_ends_on(self, scale, floats), floats, on_grid, odd
        )


def _more_odd(one: dict[str, CellPlaces], other: dict[str, CellPlaces]) -> dict[str, CellPlaces]:
    return {
        reason: one.get(reason, CellPlaces()).joined(other.get(reason, CellPlaces()))
        for reason in {**one, **other}
    }


def _ends_on(seen: NumberSummary, scale: int, floats: bool) -> tuple[int | None, int | None]:
    return _units(seen.low, scale, floats), _units(seen.high, scale, floats)


def _units(end: Fraction | None, scale: int, floats: bool) -> int | None:
    """An end in units, as `units_on_scale` has them; floats beyond fifteen digits fit no arithmetic."""
    if end is None:
        return None
    if not floats:
        return int(end * 10**scale)
    if abs(end) > LARGEST_FLOAT_UNITS:
        return int(end * 10**NO_SCALE)
    return round(float(end) * 10.0**scale)


def summarize_numbers(table: pa.Table, name: str) -> NumberSummary:
    """One column of a batch."""
    column, rows = table.column(name), numpy_from_arrow(table.column(ROW).combine_chunks())
    unfit = CellPlaces()
    try:
        numbers = numbers_from_arrow(column)
    except NotNumeric as error:
        places = cell_places(rows, error.rows)
        as_floats = _as_floats(column) if error.reason == BEYOND else None
        if as_floats is None:
            return NumberSummary(len(table), cell_places(rows, _missing(column)), odd={error.reason: places})
        numbers, unfit = as_floats, places
    text, floats = is_text(column.type), numbers
    low, high = _ends(column, numbers)
    if text and not numbers.floats and max(-(low or 0), high or 0) * 10**numbers.scale >= LARGEST_FLOAT_UNITS:
        floats = _as_floats(column) or numbers  # else their ends are beyond floats
    return NumberSummary(
        rows=len(table),
        missing=cell_places(rows, np.flatnonzero(numbers.missing)),
        low=low,
        high=high,
        scale=NO_SCALE if numbers.floats else numbers.scale,
        float_scale=floats.scale,
        on_grid=not floats.exact,
        text=text,
        real=numbers.floats and (not text or has_float_notation(column)),
        long=text and longer_than_floats(column),
        unfit=unfit,
    )


def _as_floats(column: pa.ChunkedArray) -> Numbers | None:
    try:
        return numbers_as_floats(column) if is_text(column.type) else None
    except NotNumeric:
        return None


def _ends(column: pa.ChunkedArray, numbers: Numbers) -> tuple[Fraction | None, Fraction | None]:
    values: Any = reals_from_arrow(column)[0] if numbers.floats else numbers.units
    there = values[~numbers.missing] if numbers.any_missing else values
    if not len(there):
        return None, None
    unit = 1 if numbers.floats else Fraction(1, 10**numbers.scale)
    return Fraction(there.min().item()) * unit, Fraction(there.max().item()) * unit


def units_on_scale(column: pa.ChunkedArray, scale: int) -> tuple[Ints, Any]:
    """The cells of a batch on the scale of the whole column, and which are missing. Floats are laid on it by
    their value: there is no other scale on which all batches agree."""
    numbers = _decimals(column)
    if numbers is not None and numbers.scale <= scale:
        return numbers.units * 10 ** (scale - numbers.scale), numbers.missing
    reals, missing = reals_from_arrow(column)
    return np.rint(reals * 10.0**scale).astype(np.int64), missing


def missing_numbers(column: pa.ChunkedArray) -> Any:
    """Which numbers of a batch are missing."""
    numbers = _decimals(column)
    return reals_from_arrow(column)[1] if numbers is None else numbers.missing


def _decimals(column: pa.ChunkedArray) -> Numbers | None:
    """None if cells are floats, or text that has to be read as such, as then the whole column has."""
    if pa.types.is_floating(column.type):
        return None
    try:
        numbers = numbers_from_arrow(column)
    except NotNumeric as error:
        if error.reason != BEYOND or not is_text(column.type):
            raise
        return None
    return None if numbers.floats else numbers


def _missing(column: pa.ChunkedArray) -> Any:
    empty = column.is_null()
    if is_text(column.type):
        empty = pc.or_(empty, pc.equal(pc.utf8_trim_whitespace(column), "").fill_null(True))
    return np.flatnonzero(numpy_from_arrow(empty.combine_chunks()))


def cell_places(rows: Ints, at: Any) -> CellPlaces:
    """How many cells these are, and the row numbers of the first few."""
    return CellPlaces(len(at), tuple(rows[at[: SHOWN_ROWS + 1]].tolist()))
