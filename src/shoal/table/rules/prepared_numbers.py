"""What becomes of single numbers before a table is looked at: rounding, limits, and words in their place.

Each is a way to read cells (``CellReader``), exact, and the same for a table and its batches.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.numbers import is_text
from shoal.table.rules.column_readers import ReadCells
from shoal.table.rules.exact_numbers import Fractions, cells_of, fraction_of, rounded, words_of

SPELL_NUMBERS = "say in [types] how the numbers are spelled, or list codes of missing cells in [missing]."


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
        return "no numbers"

    def hint(self, _cells: pa.Array, /) -> str:
        return SPELL_NUMBERS

    def read(self, cells: pa.Array) -> ReadCells:
        found = Fractions.of(pa.chunked_array([cells]))
        numbers = [
            None if gone else self._limited(Fraction(top, bottom))
            for top, bottom, gone in zip(found.top, found.bottom, found.missing | found.odd, strict=True)
        ]
        return ReadCells(cells_of(numbers, self._type(cells.type)), found.odd)

    def _limited(self, number: Fraction) -> Fraction:
        if self.step is not None:
            steps = number / Fraction(self.step)
            whole = rounded(np.array([steps.numerator], object), np.array([steps.denominator], object))[0]
            number = whole * Fraction(self.step)
        if self.bottom is not None:
            number = max(number, Fraction(self.bottom))
        return number if self.top is None else min(number, Fraction(self.top))

    def _type(self, kind: pa.DataType) -> pa.DataType:
        if is_text(kind) or pa.types.is_floating(kind):
            return kind if pa.types.is_floating(kind) else pa.string()
        given = (one for one in (self.bottom, self.top, self.step) if one is not None)
        scale = max(-min(int(one.normalize().as_tuple().exponent), 0) for one in given)
        scale = max(scale, kind.scale if pa.types.is_decimal(kind) else 0)
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
        missing = ~numpy_from_arrow(cells.is_valid())
        found = [fraction_of(word) for word in words_of(cells)]
        odd = np.array([one is None for one in found], bool) & ~missing
        return ReadCells(
            pa.array([None if one is None else self._label(one) for one in found], pa.string()), odd
        )

    def _label(self, number: Fraction) -> str:
        return self.labels[sum(number >= Fraction(point) for point in self.points)]
