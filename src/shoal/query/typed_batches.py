"""The columns of a table that comes in batches, typed for the database as `typed` would type the whole."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.query.typed import dates_from_text, exact_column, typed_column
from shoal.table.numbers import is_text, numbers_from_arrow, units_to_arrow

SHORT = 10**18  # in units, below which eighteen digits are enough
WIDEST = 2**63
OTHER, DATES, WHOLE, FLOATS = "other", "dates", "whole", "floats"


@dataclass(frozen=True)
class Kind:
    """What the cells of a column are, as far as it was seen; ``largest`` is that of its numbers."""

    what: str | None = None  # None: there were no cells
    scale: int = 0
    largest: Decimal = Decimal(0)
    missing: bool = False

    def joined(self, other: "Kind") -> "Kind":
        whats = {one.what for one in (self, other)} - {None}
        what = next(iter(whats)) if len(whats) == 1 else FLOATS if whats == {WHOLE, FLOATS} else OTHER
        return Kind(
            what if whats else None,
            max(self.scale, other.scale),
            max(self.largest, other.largest),
            self.missing or other.missing,
        )

    @property
    def settled(self) -> str:
        """Numbers that no common scale holds in 64 bits stay as they were."""
        beyond = self.what == WHOLE and self.largest * 10**self.scale >= WIDEST
        return OTHER if self.what is None or beyond else self.what

    @property
    def lies(self) -> str | None:
        """What lies in order, if the values of the column do: all of them are there."""
        return None if self.missing or self.settled == OTHER else self.settled


def kinds_of(batch: pa.Table, sensitive: tuple[str, ...]) -> dict[str, Kind]:
    return {name: _kind(batch[name], name in sensitive) for name in batch.column_names}


def joined_kinds(one: dict[str, Kind], other: dict[str, Kind]) -> dict[str, Kind]:
    return {name: kind.joined(other[name]) for name, kind in one.items()}


def _kind(cells: pa.ChunkedArray, listed: bool) -> Kind:
    missing = bool(cells.null_count)
    if cells.null_count == len(cells):
        return Kind(missing=missing)
    found = typed_column(cells)
    if listed and not missing:
        found = found if (exact := exact_column(found)) is None else exact
    kind = found.type
    if pa.types.is_date(kind):
        return Kind(DATES, missing=missing)
    if kind == cells.type and not listed:
        return Kind(OTHER, missing=missing)
    if pa.types.is_floating(kind):
        return Kind(FLOATS, missing=missing)
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        ends = pc.min_max(found).as_py()
        largest = max(abs(Decimal(ends["min"])), abs(Decimal(ends["max"])))
        return Kind(WHOLE, kind.scale if pa.types.is_decimal(kind) else 0, largest, missing)
    return Kind(OTHER, missing=missing)


def typed_as(kinds: dict[str, Kind], sensitive: tuple[str, ...], batch: pa.Table) -> pa.Table:
    """A batch with the types of the whole."""
    columns = {name: _typed(batch[name], kinds[name], name in sensitive) for name in batch.column_names}
    return pa.table(columns)


def _typed(cells: pa.ChunkedArray, kind: Kind, listed: bool) -> Any:
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    what = kind.settled
    as_it_is = kind.missing or not listed  # without an order, only text is read
    if what == OTHER or (as_it_is and not is_text(cells.type)):
        return cells
    if cells.null_count == len(cells):
        return pa.nulls(len(cells), _type(kind))
    if what == DATES:
        return dates_from_text(cells)
    if what == FLOATS:
        return cells.cast(pa.float64())
    numbers = numbers_from_arrow(cells)
    found = units_to_arrow(numbers.units * 10 ** (kind.scale - numbers.scale), kind.scale).cast(_type(kind))
    return pc.if_else(cells.is_valid().combine_chunks(), found, None) if cells.null_count else found


def _type(kind: Kind) -> pa.DataType:
    match kind.settled:
        case "dates":
            return pa.date32()
        case "floats":
            return pa.float64()
    short = kind.largest * 10**kind.scale < SHORT
    return pa.decimal128(18 if short else 19, kind.scale) if kind.scale else pa.int64()
