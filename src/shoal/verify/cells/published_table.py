"""Published cells as a recipient reads them: exact values, ranges, stars and missing cells.

Text ranges may be written ``[10, 15]``, ``10-15`` or ``10..15``; a Parquet range is a struct of its
two ends. Ranges that leave an end out, ``[10, 15)``, ``>50`` or a struct with one end, are no numbers:
whoever only compares cells takes them as they are written. Nothing here knows how the cells were made.
"""

from collections.abc import Callable, Collection, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Floats, Ints
from shoal.errors import Fault, ShoalError
from shoal.table.columns import dictionary_encoding as encoded
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.dictionary_encoding import EncodedColumn
from shoal.table.columns.numbers import NotNumeric, Numbers, is_text, numbers_from_arrow
from shoal.table.table import Table
from shoal.verify.cells.column_format import ColumnFormat

Found = TypeVar("Found")

STAR = r"^\s*\*\s*$"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
BARE = rf"^\s*(?P<lo>{NUMBER})\s*(?:\.\.|-|–)\s*(?P<hi>{NUMBER})\s*$"  # 1,234 is no range
BRACKETED = rf"^\s*\[\s*(?P<lo>{NUMBER})\s*(?:,|;|\.\.|-|–)\s*(?P<hi>{NUMBER})\s*\]\s*$"


@dataclass(frozen=True)
class Cells:
    """Closed ranges ``low / 10**scale .. high / 10**scale``; 0 where suppressed or missing. ``reals`` are the
    numbers themselves where this grid does not hold them exactly."""

    low: Ints
    high: Ints
    scale: int
    suppressed: Bools
    missing: Bools
    reals: Floats | None = None

    def rows(self, taken: Bools) -> "Cells":
        """The cells of these rows alone."""
        if taken.all():
            return self
        ends = self.low[taken], self.high[taken]
        return Cells(*ends, self.scale, self.suppressed[taken], self.missing[taken])

    def within(self, domain: tuple[Decimal, Decimal] | None) -> "Cells":
        """A star of a column whose limits are declared is a range like any other: everybody knows them."""
        if domain is None or not self.suppressed.any():
            return self
        low, high = (end * 10**self.scale for end in domain)
        lows = np.where(self.suppressed, ceil(low), self.low)
        highs = np.where(self.suppressed, floor(high), self.high)
        return Cells(lows, highs, self.scale, np.zeros(len(lows), bool), self.missing)


class BadCells(Exception):
    """Cells that are neither numbers nor ranges; carries a fault without their content."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.what)


class PublishedTable:
    """A published table; each column is taken apart once, whoever asks. Of a part of a table, ``ways`` say
    how the columns of the whole table are read."""

    def __init__(self, table: Table, ways: Mapping[str, ColumnFormat] | None = None) -> None:
        self.table = table
        self.ways = ways or {}
        self._cells: dict[str, Cells | Fault] = {}
        self._found: dict[Hashable, Any] = {}

    def once(self, what: Hashable, find: Callable[[], Found]) -> Found:
        """What follows from the table alone is found once, whoever asks."""
        if what not in self._found:
            self._found[what] = find()
        found: Found = self._found[what]
        return found

    def encoded(self, name: str) -> EncodedColumn | None:
        """A long column of text with few different cells; None if it is not one."""
        text = is_text(encoded.value_type(self.table.column(name)))
        return self.table.encoded_if_few(name) if text else None

    def __len__(self) -> int:
        return len(self.table)

    def load(self, names: list[str], numeric: Collection[str] = ()) -> None:
        """Take several columns apart at once, on all cores; those that need not be numeric only as far as
        their different cells."""

        def load(name: str) -> None:
            if name in numeric or self.encoded(name) is None:
                self._load(name)

        with ThreadPoolExecutor() as pool:
            list(pool.map(load, [name for name in names if name not in self._cells]))

    def _load(self, name: str) -> None:
        few, way = self.encoded(name), self.ways.get(name)
        try:
            self._cells[name] = (
                _numeric_cells(self.table, name, few) if way is None else _read(self.table, name, few, way)
            )
        except BadCells as error:
            self._cells[name] = error.fault  # an error would hold the frames that hold the table

    def cells(self, name: str) -> Cells:
        """A column of numbers or ranges; anything else raises BadCells."""
        if name not in self._cells:
            self._load(name)
        found = self._cells[name]
        if isinstance(found, Fault):
            raise BadCells(found)
        return found

    def tells(self, name: str) -> bool:
        """Is any cell of this column of numbers neither suppressed nor missing?"""
        if name in self.ways:
            return self.ways[name].has_values
        cells = self.cells(name)
        return not bool((cells.missing | cells.suppressed).all())

    def numbers(self, name: str) -> Numbers:
        """A column of numbers without ranges and stars; anything else is bad input."""
        way = self.ways.get(name)
        if way is None:
            return self.table.numbers(name)
        if way.marked or not way.numbers:
            self.table.numbers(name)  # says which cells of this part are none
            what = f"column {name!r} holds cells that are not numbers, or numbers beyond 64 bits on one scale"
            raise ShoalError(what, "correct these cells, or publish the column in larger units.")
        cells = self.cells(name)
        return Numbers(cells.low, cells.scale, cells.missing, cells.reals)

    def points(self, name: str) -> Numbers:
        """A column as points on a line: numbers, or dates as days."""
        way = self.ways.get(name)
        if way is None:
            return self.table.points(name)
        if not way.dates:
            return self.numbers(name)
        nothing = np.zeros(len(self), np.int64), 0, np.ones(len(self), bool)
        return days_from_arrow(self.table.column(name)) or Numbers(*nothing)


def _read(table: Table, name: str, few: EncodedColumn | None, way: ColumnFormat) -> Cells:
    """The cells of a part of a table, in the way in which those of the whole are read."""
    if not way.numbers:
        raise BadCells(table.fault(name, np.arange(len(table)), "not all numbers or ranges"))
    if not way.floats:
        return _stretched(_numeric_cells(table, name, few), way.scale)
    values = as_floats(table.column(name))
    reals = numpy_from_arrow(values.fill_null(np.nan))
    missing = np.isnan(reals)
    reals = np.where(missing, 0.0, reals)
    units = np.rint(reals * 10.0**way.scale).astype(np.int64)
    return Cells(units, units, way.scale, np.zeros(len(reals), bool), missing, reals if way.laid else None)


def _stretched(cells: Cells, scale: int) -> Cells:
    factor = 10 ** (scale - cells.scale)
    if factor == 1:
        return cells
    low = cells.low * factor
    high = low if cells.low is cells.high else cells.high * factor
    return Cells(low, high, scale, cells.suppressed, cells.missing)


def as_floats(column: Any) -> pa.Array:
    """A column of plain numbers, written or not."""
    array = _in_one_piece(column)
    if is_text(array.type):
        array = pc.utf8_trim_whitespace(array.cast(pa.string()))
        array = pc.if_else(pc.equal(array, ""), pa.scalar(None, pa.string()), array)
        array = pc.replace_substring_regex(array, r"^\+", "")
    return array.cast(pa.float64())


def _numeric_cells(table: Table, name: str, few: EncodedColumn | None) -> Cells:
    try:
        if few is not None:
            cells = _by_word(few)
        elif pa.types.is_struct((array := _in_one_piece(table.column(name))).type):
            cells = _from_struct(array)
        elif is_text(array.type):
            cells = _from_text(table, name, array.cast(pa.string()))
        else:
            cells = _exact(numbers_from_arrow(array))
    except NotNumeric as error:
        hint = (
            "a published number is written 12.5, a range [10, 15], a suppressed cell *; half-open ranges and "
            "ranges without an end are labels and give no number: write both ends."
        )
        raise BadCells(table.fault(name, error.rows, error.reason, hint)) from None
    reversed_rows = np.flatnonzero(cells.low > cells.high)
    if len(reversed_rows):
        raise BadCells(table.fault(name, reversed_rows, "ranges that end before they begin"))
    return cells


def _in_one_piece(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _from_struct(array: pa.Array) -> Cells:
    if set(array.type.names) != {"lo", "hi"}:
        raise NotNumeric(np.arange(len(array)), "neither numbers nor ranges")
    low, high = (numbers_from_arrow(end) for end in ends_of(array))
    missing = low.missing & high.missing
    if (half := low.missing != high.missing).any():
        raise NotNumeric(np.flatnonzero(half), "ranges without an end")
    scale = max(low.scale, high.scale)
    lows, highs = (np.where(missing, 0, _on_scale(end, scale)) for end in (low, high))
    return Cells(lows, highs, scale, np.zeros(len(array), bool), missing)


def ends_of(ranges: pa.Array) -> list[pa.Array]:
    """Both ends of every range of a struct, missing where the whole range is."""
    there = ranges.is_valid()
    fields = [ranges.field(end) for end in ("lo", "hi")]
    return (
        [pc.if_else(there, end, pa.scalar(None, end.type)) for end in fields] if ranges.null_count else fields
    )


def _exact(numbers: Numbers) -> Cells:
    nowhere = np.zeros(len(numbers), bool)
    return Cells(numbers.units, numbers.units, numbers.scale, nowhere, numbers.missing, numbers.reals)


def _on_scale(numbers: Numbers, scale: int) -> Ints:
    factor = 10 ** (scale - numbers.scale)
    if factor == 1:
        return numbers.units
    units = numbers.units * factor
    wrapped = np.flatnonzero(units // factor != numbers.units)
    if len(wrapped):
        raise NotNumeric(wrapped, "numbers beyond 64 bits")
    return np.asarray(units)


def _from_text(table: Table, name: str, array: pa.Array) -> Cells:
    """Bracketed ranges are split at the comma, the rest is read as numbers; what is neither is
    taken apart more carefully."""
    bracketed = pc.and_(pc.starts_with(array, "["), pc.ends_with(array, "]"))
    if not bracketed.true_count:
        try:
            return _exact(table.numbers(name))
        except ShoalError:
            return _from_any_text(array)
    if bracketed.null_count:
        bracketed = bracketed.fill_null(False)
    rest = array.filter(pc.invert(bracketed))
    ends = pc.split_pattern(pc.utf8_slice_codeunits(array.filter(bracketed), 1, -1), ", ")
    inside = numpy_from_arrow(bracketed)
    if pc.any(pc.not_equal(pc.list_value_length(ends), 2)).as_py():
        return _from_any_text(array)
    try:
        exact, split = numbers_from_arrow(rest), numbers_from_arrow(ends.flatten())
        scale = max(exact.scale, split.scale)
        alone, pairs = _on_scale(exact, scale), _on_scale(split, scale).reshape(-1, 2)
    except NotNumeric:
        return _from_any_text(array)
    if split.any_missing:
        return _from_any_text(array)
    low, high = np.empty(len(array), np.int64), np.empty(len(array), np.int64)
    low[~inside] = high[~inside] = alone
    low[inside], high[inside] = pairs.T
    missing = np.zeros(len(array), bool)
    missing[~inside] = exact.missing
    return Cells(low, high, scale, np.zeros(len(array), bool), missing)


def _by_word(few: EncodedColumn) -> Cells:
    try:
        words = _from_any_text(few.cells.cast(pa.string()))
    except NotNumeric as error:
        raise NotNumeric(few.rows_with(error.rows), error.reason) from None
    at = few.numbers
    reals = None if words.reals is None else words.reals[at]
    return Cells(words.low[at], words.high[at], words.scale, words.suppressed[at], words.missing[at], reals)


def _from_any_text(array: pa.Array) -> Cells:
    """Numbers, ranges in any of the three ways of writing, and stars."""
    try:
        return _exact(numbers_from_arrow(array))
    except NotNumeric as error:
        if error.reason != "text, not numbers":
            raise
        others = error.rows
    odd = array.take(arrow_from_numpy(others))
    stars = numpy_from_arrow(pc.match_substring_regex(odd, STAR))
    bare, bracketed = (pc.extract_regex(odd, way) for way in (BARE, BRACKETED))
    bad = numpy_from_arrow(pc.and_(bare.is_null(), bracketed.is_null())) & ~stars
    if bad.any():
        raise NotNumeric(others[bad], "neither numbers nor ranges")
    mask = np.zeros(len(array), bool)
    mask[others] = True
    ends = [pc.if_else(bare.is_null(), bracketed.field(end), bare.field(end)) for end in ("lo", "hi")]
    low, high = (numbers_from_arrow(pc.replace_with_mask(array, arrow_from_numpy(mask), end)) for end in ends)
    suppressed = np.zeros(len(array), bool)
    suppressed[others[stars]] = True
    scale = max(low.scale, high.scale)
    missing = (low.missing | high.missing) & ~suppressed
    return Cells(_on_scale(low, scale), _on_scale(high, scale), scale, suppressed, missing)
