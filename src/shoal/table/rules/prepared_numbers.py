"""What becomes of single numbers before a table is looked at: rounding, limits, and words in their place.

Each is a way to read cells (``CellReader``), exact, and the same for a table and its batches.
"""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.rules.column_readers import ReadCells
from shoal.table.rules.exact_numbers import Fractions, cells_of, decimals_of, fits, rounded, units_of

SPELL_NUMBERS = "say in [types] how the numbers are spelled, or list codes of missing cells in [missing]."

LARGER_UNITS = "give the column as text, which holds numbers of any length, or in larger units."


@dataclass(frozen=True)
class LimitedNumbers:
    """Numbers rounded to multiples of a step, halves away from zero, and then no less than ``bottom`` and no
    more than ``top``.

    >>> limits = LimitedNumbers(top=Decimal(200), step=Decimal(100))
    >>> limits.read(pa.array(["149", "150", "900"])).cells.to_pylist()
    ['100', '200', '200']
    """

    bottom: Decimal | None = None
    top: Decimal | None = None
    step: Decimal | None = None

    @property
    def reason(self) -> str:
        return "no numbers, or too large ones"

    def hint(self, cells: pa.Array, /) -> str:
        return SPELL_NUMBERS if Fractions.of(pa.chunked_array([cells])).odd.any() else LARGER_UNITS

    def read(self, cells: pa.Array) -> ReadCells:
        found = Fractions.of(pa.chunked_array([cells]))
        scale = max([found.scale, *map(decimals_of, self._given)])
        units, kind = found.on_scale(scale), self._type(cells.type)
        if self.step is not None:
            step = units_of(self.step, scale)
            units = rounded(units, step) * step
        if self.bottom is not None:
            units = np.maximum(units, units_of(self.bottom, scale))
        if self.top is not None:
            units = np.minimum(units, units_of(self.top, scale))
        unread = found.odd | (~found.missing & ~fits(units, scale, kind))
        return ReadCells(cells_of(np.where(unread, 0, units), scale, found.missing | unread, kind), unread)

    @property
    def _given(self) -> list[Decimal]:
        return [one for one in (self.bottom, self.top, self.step) if one is not None]

    def _type(self, kind: pa.DataType) -> pa.DataType:
        if pa.types.is_floating(kind):
            return kind
        if not pa.types.is_integer(kind) and not pa.types.is_decimal(kind):
            return pa.string()
        scale = max([kind.scale if pa.types.is_decimal(kind) else 0, *map(decimals_of, self._given)])
        return pa.decimal128(38, scale) if scale else pa.int64()


@dataclass(frozen=True)
class CutNumbers:
    """Numbers as words: the first label below the first point, and so on; a point belongs to what follows it.

    >>> CutNumbers((Decimal(18),), ("young", "old")).read(pa.array(["17.9", "18"])).cells.to_pylist()
    ['young', 'old']
    """

    points: tuple[Decimal, ...]
    labels: tuple[str, ...]

    @property
    def reason(self) -> str:
        return "no numbers"

    def hint(self, _cells: pa.Array, /) -> str:
        return SPELL_NUMBERS

    def read(self, cells: pa.Array) -> ReadCells:
        found = Fractions.of(pa.chunked_array([cells]))
        scale = max([found.scale, *map(decimals_of, self.points)])
        units, class_of = found.on_scale(scale), np.zeros(len(cells), np.int64)
        for point in self.points:
            class_of += (units >= units_of(point, scale)).astype(np.int64)
        gone = arrow_from_numpy(found.missing | found.odd)
        labels = pa.array(self.labels, pa.string()).take(arrow_from_numpy(class_of))
        return ReadCells(pc.if_else(gone, pa.scalar(None, pa.string()), labels), found.odd)
