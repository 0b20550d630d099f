"""The columns of a table that comes in batches, typed for the database as `typed` would type the whole.

What is said of a batch holds of its cells one by one, so batches can be joined in any order. Only what they
say together decides which numbers are exact, as `numbers_from_arrow` decides it of all of them.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.query.permuted.column_types import MINUS_ZERO, NUMBER, dates_from_text
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import cell_by_cell, encode_if_few
from shoal.table.columns.numbers import (
    FLOAT_DIGITS,
    LARGEST_FLOAT_UNITS,
    LARGEST_SCALE,
    PLAIN,
    NotNumeric,
    is_text,
    numbers_from_arrow,
    scale_of_floats,
    units_to_arrow,
)
from shoal.table.columns.spelling import one_spelling, words_by_value

SHORT = 10**18  # in units, below which eighteen digits are enough
WIDEST = 2**63
OTHER, DATES, WHOLE, FLOATS = "other", "dates", "whole", "floats"
ANY_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
CODE = r"^[+-]?0\d"


@dataclass(frozen=True)
class DatabaseType:
    """What a column becomes; ``rounded`` says that its numbers are read as floats first."""

    what: str
    scale: int = 0
    short: bool = True
    rounded: bool = False

    @property
    def type(self) -> pa.DataType:
        if self.what == DATES:
            return pa.date32()
        if self.what == FLOATS:
            return pa.float64()
        return pa.decimal128(18 if self.short else 19, self.scale) if self.scale else pa.int64()


@dataclass(frozen=True)
class ColumnEvidence:
    """What the cells of a column are, as far as it was seen.

    ``canonical``: numbers that `typed` reads, ``numbers``: in any way of writing. As decimals they are
    ``plain`` and have so many ``digits`` behind the point as written, ``long`` if a float has fewer; ``low``
    and ``high`` are in units of ``scale``, unless not even a batch ``fits`` 64 bits. As floats, ``largest``
    is the largest of them, and ``float_scale`` what holds them exactly (None if nothing does).
    """

    text: bool = False
    listed: bool = False  # in order, if all values are there
    there: bool = False
    missing: bool = False
    dates: bool = True
    canonical: bool = True
    numbers: bool = True
    plain: bool = True
    digits: int = 0
    long: bool = False
    fits: bool = True
    scale: int = 0
    low: int = 0
    high: int = 0
    largest: float = 0.0
    float_scale: int | None = 0

    def joined(self, other: "ColumnEvidence") -> "ColumnEvidence":
        one, two = self._on(max(self.scale, other.scale)), other._on(max(self.scale, other.scale))
        floats = [self.float_scale, other.float_scale]
        return replace(
            one,
            there=one.there or two.there,
            missing=one.missing or two.missing,
            dates=one.dates and two.dates,
            canonical=one.canonical and two.canonical,
            numbers=one.numbers and two.numbers,
            plain=one.plain and two.plain,
            digits=max(one.digits, two.digits),
            long=one.long or two.long,
            fits=one.fits and two.fits,
            low=min(one.low, two.low),
            high=max(one.high, two.high),
            largest=max(one.largest, two.largest),
            float_scale=None if None in floats else max(scale for scale in floats if scale is not None),
        )

    def _on(self, scale: int) -> "ColumnEvidence":
        factor = 10 ** (scale - self.scale)
        return replace(self, scale=scale, low=self.low * factor, high=self.high * factor)

    @property
    def database_type(self) -> DatabaseType:
        """Numbers that neither decimals nor floats hold stay as they were, and so does what is no text unless
        it lies in order."""
        in_order = self.listed and not self.missing
        if not self.there or not (self.text or in_order):
            return DatabaseType(OTHER)
        if self.dates:
            return DatabaseType(DATES)
        if not ((self.text and self.canonical) or (in_order and self.numbers)):
            return DatabaseType(OTHER)
        if not self.plain or self.digits > LARGEST_SCALE:
            return self._of_floats()
        if self.fits and self.low >= -WIDEST and self.high < WIDEST:
            return DatabaseType(WHOLE, self.scale, self.low > -SHORT and self.high < SHORT)
        return self._of_floats() if self.digits and not self.long else DatabaseType(OTHER)

    def _of_floats(self) -> DatabaseType:
        if self.largest > LARGEST_FLOAT_UNITS:
            return DatabaseType(OTHER)
        scale, laid = scale_of_floats(self.largest, self.float_scale)
        return DatabaseType(FLOATS if laid else WHOLE, 0 if laid else scale, rounded=True)

    @property
    def lies(self) -> str | None:
        """What lies in order, if the values of the column do: all of them are there."""
        return None if self.missing or self.database_type.what == OTHER else self.database_type.what


def column_evidence(batch: pa.Table, sensitive: tuple[str, ...]) -> dict[str, ColumnEvidence]:
    """For every column of a batch, which types its cells leave possible."""
    return {name: _kind(batch[name], name in sensitive) for name in batch.column_names}


def join_evidence(
    one: dict[str, ColumnEvidence], other: dict[str, ColumnEvidence]
) -> dict[str, ColumnEvidence]:
    """Which types the cells of two batches leave possible together."""
    return {name: kind.joined(other[name]) for name, kind in one.items()}


def _kind(cells: pa.ChunkedArray, listed: bool) -> ColumnEvidence:
    cells = _plain(cells)
    kind = ColumnEvidence(is_text(cells.type), listed, missing=bool(cells.null_count))
    if cells.null_count == len(cells):
        return kind
    kind = replace(kind, there=True, dates=dates_from_text(cells) is not None)
    if kind.dates or not (kind.text or (listed and not kind.missing)):
        return replace(kind, canonical=False, numbers=False)
    return _of_text(kind, cells) if kind.text else _of_numbers(kind, cells)


def _plain(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return one_spelling(cell_by_cell(cells))


def _of_numbers(kind: ColumnEvidence, cells: pa.ChunkedArray) -> ColumnEvidence:
    try:
        numbers = numbers_from_arrow(cells)
    except NotNumeric:
        return replace(kind, canonical=False, numbers=False)
    kind = replace(kind, canonical=False, numbers=not numbers.any_missing)
    if not pa.types.is_floating(cells.type):
        return _with_ends(replace(kind, long=True), numbers)  # they are never read as floats
    largest = float(np.abs(_floats(cells)).max())
    return replace(kind, plain=False, largest=largest, float_scale=numbers.scale if numbers.exact else None)


def _with_ends(kind: ColumnEvidence, numbers: Any) -> ColumnEvidence:
    return replace(kind, scale=numbers.scale, low=int(numbers.units.min()), high=int(numbers.units.max()))


def _of_text(kind: ColumnEvidence, cells: pa.ChunkedArray) -> ColumnEvidence:
    few = encode_if_few(cells)
    words = (cells if few is None else few.cells).cast(pa.string()).drop_null()
    canonical = _all(words, NUMBER) and not _any(words, MINUS_ZERO)
    words = pc.utf8_trim_whitespace(words)
    if not (_all(words, ANY_NUMBER) and not _any(words, CODE)):
        return replace(kind, canonical=False, numbers=False)
    floats = _floats(words)
    largest = float(np.abs(floats).max())
    kind = replace(kind, canonical=canonical, largest=largest, float_scale=_float_scale(floats, largest))
    if not _all(words, PLAIN):
        return replace(kind, plain=False)
    behind = pc.utf8_length(pc.replace_substring_regex(words, r"^[^.]*\.?", ""))
    told = pc.utf8_length(pc.replace_substring_regex(words, r"^[+-]?0*\.?0*|\.", ""))
    kind = replace(kind, digits=pc.max(behind).as_py(), long=pc.max(told).as_py() > FLOAT_DIGITS)
    try:
        numbers = numbers_from_arrow(words)
    except NotNumeric:
        return replace(kind, fits=False)
    rounded = kind.digits > LARGEST_SCALE or numbers.reals is not None
    return replace(kind, fits=False) if rounded else _with_ends(kind, numbers)


def _float_scale(floats: Any, largest: float) -> int | None:
    if largest > LARGEST_FLOAT_UNITS:
        return None
    numbers = numbers_from_arrow(arrow_from_numpy(floats))
    return numbers.scale if numbers.exact else None


def _floats(cells: Any) -> Any:
    """Numbers or trimmed text as floats; missing cells are 0."""
    if is_text(cells.type):
        cells = cells.cast(pa.string())
    found = cells.cast(pa.float64()).fill_null(0.0)
    return numpy_from_arrow(found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found)


def _all(cells: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(cells, pattern)).as_py())


def _any(cells: Any, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())


def typed_batch(kinds: dict[str, ColumnEvidence], batch: pa.Table) -> pa.Table:
    """A batch with the types of the whole."""
    return pa.table({name: _typed(batch[name], kinds[name]) for name in batch.column_names})


def _typed(cells: pa.ChunkedArray, kind: ColumnEvidence) -> Any:
    cells, settled = _plain(cells), kind.database_type
    if settled.what == OTHER:
        return words_by_value(cells)
    if cells.null_count == len(cells):
        return pa.nulls(len(cells), settled.type)
    if settled.what == DATES:
        return dates_from_text(cells)
    found = _numbers(pc.utf8_trim_whitespace(cells) if kind.text else cells, settled)
    return pc.if_else(cells.is_valid().combine_chunks(), found, None) if cells.null_count else found


def _numbers(cells: pa.ChunkedArray, settled: DatabaseType) -> pa.Array:
    """Numbers on the scale of the whole; missing cells are 0."""
    if not settled.rounded:
        numbers = numbers_from_arrow(cells)
        units = numbers.units * 10 ** (settled.scale - numbers.scale)
    elif settled.what == FLOATS:
        return arrow_from_numpy(_floats(cells))
    else:
        units = np.rint(_floats(cells) * 10.0**settled.scale).astype(np.int64)
    return units_to_arrow(units, settled.scale).cast(settled.type)
