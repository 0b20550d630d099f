"""Cells as exact fractions, and fractions as cells: what is prepared is computed without rounding on the way.

A batch and the whole table come out alike: a cell's number depends on that cell alone.
"""

from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.arrays import Bools
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import NotNumeric, is_text, numbers_from_arrow, units_to_arrow
from shoal.table.columns.same_value import CODE, NUMBER, value_of
from shoal.table.columns.spelling import one_spelling

LARGEST_EXPONENT = 400
LARGEST_UNITS = 10**18  # in 64 bits, with all their digits
EXACT_FLOATS = 2**53
EXACT = Context(prec=4 * LARGEST_EXPONENT)
MOST_DECIMALS = 18
Objects = NDArray[np.object_]  # whole numbers without limits


@dataclass(frozen=True)
class Fractions:
    """One number per row: a whole number over a positive one. Rows that are missing, or hold no number, have
    0; ``odd`` are those that hold none. Of a column the numbers are over one power of ten, ``10**scale``."""

    top: Objects
    bottom: Any  # one number, or one for each row
    missing: Bools
    odd: Bools
    scale: int = 0

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> "Fractions":
        """The numbers of a column."""
        tidy = one_spelling(column)
        try:
            found = None if pa.types.is_floating(tidy.type) else numbers_from_arrow(tidy)
        except NotNumeric:
            found = None
        if found is None or found.floats:
            return _cell_by_cell(tidy)
        nowhere = np.zeros(len(found), bool)
        return cls(found.units.astype(object), 10**found.scale, found.missing, nowhere, found.scale)

    def on_scale(self, scale: int) -> Objects:
        """The numbers of a column in units of ``10**-scale``, which is no coarser than its own."""
        return np.asarray(self.top * 10 ** (scale - self.scale), object)


def _cell_by_cell(column: pa.ChunkedArray) -> Fractions:
    few = encode(column)
    known = [None if word is None else number_of(word) for word in _words_of(few.cells)]
    missing = ~numpy_from_arrow(few.cells.is_valid())
    odd = np.array([one is None for one in known], bool) & ~missing
    scale = max((decimals_of(one) for one in known if one is not None), default=0)
    units = np.array([0 if one is None else units_of(one, scale) for one in known], object)
    at = few.numbers
    return Fractions(units[at], 10**scale, missing[at], odd[at], scale)


def _words_of(cells: pa.Array) -> list[str | None]:
    """Numbers and words as text; what is neither has none of it."""
    kind = cells.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    words: list[str | None] = (
        cells.cast(pa.string()).to_pylist() if numeric or is_text(kind) else [""] * len(cells)
    )
    return words


def number_of(word: str) -> Decimal | None:
    """The number that a word is, if it is one; codes with leading zeros are none.

    >>> number_of("-1.50"), number_of("1e3"), number_of("007"), number_of("1,5")
    (Decimal('-1.5'), Decimal('1000'), None, None)
    """
    plain = value_of(word)
    if plain is None or not NUMBER.fullmatch(plain) or CODE.match(plain):
        return None
    number = Decimal(plain)
    return number if not number or abs(number.adjusted()) <= LARGEST_EXPONENT else None


def decimals_of(number: Decimal) -> int:
    """How many decimals a number needs.

    >>> decimals_of(Decimal("1.50")), decimals_of(Decimal("1E+2"))
    (1, 0)
    """
    _, digits, exponent = number.as_tuple()
    zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return max(-int(exponent) - zeros, 0) if any(digits) else 0


def units_of(number: Decimal, scale: int) -> int:
    """A number in units of ``10**-scale``, which holds it exactly.

    >>> units_of(Decimal("-1.5"), 2)
    -150
    """
    sign, digits, exponent = number.as_tuple()
    whole, places = int("".join(map(str, digits))), int(exponent) + scale
    units: int = whole * 10**places if places >= 0 else whole // 10**-places
    return -units if sign else units


def rounded(top: Objects, bottom: Any) -> Objects:
    """The nearest whole numbers; halves go away from zero.

    >>> rounded(np.array([5, -5, 4], object), np.array([2, 2, 3], object)).tolist()
    [3, -3, 1]
    """
    sign = np.where(top < 0, -1, 1).astype(object)
    return np.asarray((2 * abs(top) + bottom) // (2 * bottom) * sign, object)


def fits(units: Objects, scale: int, kind: pa.DataType) -> Bools:
    """Which numbers in units of ``10**-scale`` a type can hold, if it has decimals enough.

    >>> fits(np.array([2**63 - 1, 2**63], object), 0, pa.int64()).tolist()
    [True, False]
    """
    if pa.types.is_integer(kind):
        return np.asarray((units >= -(2**63)) & (units < 2**63), bool)
    if pa.types.is_decimal(kind):
        more, fewer = max(kind.scale - scale, 0), max(scale - kind.scale, 0)
        return np.asarray(abs(units) * 10**more < 10 ** (kind.precision + fewer), bool)
    return np.ones(len(units), bool)


def cells_of(units: Objects, scale: int, missing: Bools, kind: pa.DataType) -> pa.Array:
    """Numbers in units of ``10**-scale`` as cells of a type: text without zeros at its end, whole numbers,
    decimals or floats.

    >>> cells_of(np.array([150, 0], object), 2, np.array([False, True]), pa.string()).to_pylist()
    ['1.5', None]
    """
    largest = max(map(abs, units), default=0)
    if largest >= LARGEST_UNITS or scale > MOST_DECIMALS:
        return _large_cells(units, scale, missing, kind)
    gone, whole = arrow_from_numpy(missing), units.astype(np.int64)
    if pa.types.is_floating(kind):
        if largest >= EXACT_FLOATS:
            return _large_cells(units, scale, missing, kind)
        cells = arrow_from_numpy(whole / 10.0**scale)
    else:
        cells = units_to_arrow(whole, scale).cast(pa.string() if is_text(kind) else kind)
    if is_text(kind) and scale:
        cells = pc.replace_substring_regex(cells, r"\.?0+$", "")
    return pc.if_else(gone, pa.scalar(None, cells.type), cells) if missing.any() else cells


def _large_cells(units: Objects, scale: int, missing: Bools, kind: pa.DataType) -> pa.Array:
    exact = [EXACT.scaleb(Decimal(int(one)), -scale) for one in units]
    numbers = [None if gone else one for one, gone in zip(exact, missing, strict=True)]
    if is_text(kind):
        return pa.array([None if one is None else value_of(format(one, "f")) for one in numbers], pa.string())
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        plain = float if pa.types.is_floating(kind) else int
        return pa.array([None if one is None else plain(one) for one in numbers], kind)
    return pa.array(numbers, kind)
