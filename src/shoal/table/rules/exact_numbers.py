"""Cells as exact fractions, and fractions as cells: what is prepared is computed without rounding on the way.

A batch and the whole table come out alike: a cell's number depends on that cell alone.
"""

from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.arrays import Bools
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import CODE, NUMBER, value_of
from shoal.table.columns.spelling import one_spelling

LARGEST_EXPONENT = 400
EXACT = Context(prec=4 * LARGEST_EXPONENT, traps=[Inexact])
Objects = NDArray[np.object_]


@dataclass(frozen=True)
class Fractions:
    """One number per row as a numerator over a positive denominator, of whole numbers without limits; rows
    that are missing, or hold no number, have 0."""

    top: Objects
    bottom: Objects
    missing: Bools
    odd: Bools

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> "Fractions":
        """The numbers of a column; ``odd`` are cells that are none."""
        few = encode(one_spelling(column))
        cells = few.cells
        missing = ~numpy_from_arrow(cells.is_valid())
        known = [
            None if gone else fraction_of(word) for gone, word in zip(missing, words_of(cells), strict=True)
        ]
        odd = np.array([one is None for one in known], bool) & ~missing
        numbers = [Fraction(0) if one is None else one for one in known]
        tops = np.array([one.numerator for one in numbers], object)
        bottoms = np.array([one.denominator for one in numbers], object)
        at = few.numbers
        return cls(tops[at], bottoms[at], missing[at], odd[at])


def words_of(cells: pa.Array) -> list[str | None]:
    """Numbers and words as text; what has none of it is empty."""
    try:
        words: list[str | None] = cells.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return [""] * len(cells)
    return words if is_text(cells.type) or _is_numeric(cells.type) else [""] * len(cells)


def _is_numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def fraction_of(word: str | None) -> Fraction | None:
    """The number that a word is, if it is one; codes with leading zeros are none.

    >>> fraction_of("-1.50"), fraction_of("1e3"), fraction_of("007"), fraction_of("1,5")
    (Fraction(-3, 2), Fraction(1000, 1), None, None)
    """
    plain = value_of(word)
    if plain is None or not NUMBER.fullmatch(plain) or CODE.match(plain):
        return None
    number = Decimal(plain)
    return Fraction(number) if not number or abs(number.adjusted()) <= LARGEST_EXPONENT else None


def rounded(top: Objects, bottom: Objects) -> Objects:
    """The nearest whole numbers; halves go away from zero.

    >>> rounded(np.array([5, -5, 4], object), np.array([2, 2, 3], object)).tolist()
    [3, -3, 1]
    """
    sign = np.where(top < 0, -1, 1).astype(object)
    return np.asarray((2 * abs(top) + bottom) // (2 * bottom) * sign, object)


def decimal_of(number: Fraction) -> Decimal:
    """A decimal fraction as a decimal, without zeros at its end.

    >>> decimal_of(Fraction(3, 2)), decimal_of(Fraction(100))
    (Decimal('1.5'), Decimal('100'))
    """
    exact = EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    return Decimal(format(exact.normalize(EXACT), "f"))


def cells_of(numbers: list[Fraction | None], kind: pa.DataType) -> pa.Array:
    """Decimal fractions as cells of a type: text, whole numbers, decimals or floats."""
    if is_text(kind):
        return pa.array([None if one is None else str(decimal_of(one)) for one in numbers], pa.string())
    if pa.types.is_floating(kind):
        return pa.array([None if one is None else float(one) for one in numbers], kind)
    if pa.types.is_integer(kind):
        return pa.array([None if one is None else int(one) for one in numbers], kind)
    return pa.array([None if one is None else decimal_of(one) for one in numbers], kind)
