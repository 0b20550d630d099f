"""F: the range of an aggregate over a published record, exactly.

Written for the verifier alone, from the definition: interval arithmetic in whole multiples of a
unit, widened to Python's unbounded integers where 64 bits would not do. Quotients and roots are
floats; two such ends count as equal when they differ by less than a billionth.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from shoal.policy.model import expression as ex
from shoal.verify.cells.published_table import Cells

TOLERANCE = 1e-9
SAFE = 2**62


@dataclass(frozen=True)
class Image:
    """Intervals ``low * unit .. high * unit``; ``unit`` None means floats."""

    low: Any
    high: Any
    unit: Fraction | None

    def __add__(self, other: "Image") -> "Image":
        a, b = on_common_unit(self, other)
        reach = a.reach + b.reach
        a, b = a.holding(reach), b.holding(reach)
        low = a.low + b.low
        return Image(low, low if a.exact and b.exact else a.high + b.high, a.unit)

    def __neg__(self) -> "Image":
        whole = self.holding(self.reach)
        return Image(-whole.high, -whole.low, self.unit)

    def __mul__(self, other: "Image") -> "Image":
        a, b = self, other
        if a.unit is None or b.unit is None:
            a, b = a.real(), b.real()
        reach = a.reach * b.reach
        a, b = a.holding(reach), b.holding(reach)
        low, high = _hull([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
        return Image(low, high, None if a.unit is None or b.unit is None else a.unit * b.unit)

    def __truediv__(self, other: "Image") -> "Image":
        a, b = self.real(), other.real()
        if np.any((b.low <= 0) & (b.high >= 0)):
            raise ZeroDivisionError
        low, high = _hull([a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high])
        return Image(low, high, None)

    def times(self, factor: Fraction) -> "Image":
        turned = -self if factor < 0 else self
        if turned.unit is None:
            return Image(turned.low * abs(float(factor)), turned.high * abs(float(factor)), None)
        if factor == 0:
            return Image(turned.low * 0, turned.high * 0, Fraction(1))
        return Image(turned.low, turned.high, turned.unit * abs(factor))

    def power(self, exponent: int) -> "Image":
        """Odd powers keep the order; even ones reach 0 when the interval holds it."""
        base = self.holding(self.reach**exponent)
        low, high = base.low**exponent, base.high**exponent
        unit = None if base.unit is None else base.unit**exponent
        if exponent % 2:
            return Image(low, high, unit)
        inside = (self.low <= 0) & (self.high >= 0)
        low, high = _hull([low, high])
        return Image(np.where(inside, low * 0, low), high, unit)

    def root(self) -> "Image":
        squares = self.real()
        return Image(np.sqrt(squares.low), np.sqrt(squares.high), None)

    @property
    def exact(self) -> bool:
        """Are both ends one and the same array?"""
        return self.low is self.high

    @property
    def reach(self) -> int:
        """The largest absolute value of either end; floats need not be watched."""
        if self.unit is None or np.size(self.low) == 0:
            return 0
        return max(abs(int(np.min(self.low))), abs(int(np.max(self.high))))

    def holding(self, reach: int) -> "Image":
        """Unbounded integers where numbers as large as ``reach`` would not fit 64 bits."""
        if reach < SAFE:
            return self
        low = self.low.astype(object)
        return Image(low, low if self.exact else self.high.astype(object), self.unit)

    def append(self, other: "Image") -> "Image":
        """The records of both, in the same unit."""
        low = np.concatenate([self.low, other.low])
        exact = self.exact and other.exact
        return Image(low, low if exact else np.concatenate([self.high, other.high]), self.unit)

    def real(self) -> "Image":
        if self.unit is None:
            return self
        unit = float(self.unit)
        low, high = (side.astype(np.float64) * unit for side in (self.low, self.high))
        return Image(low, high, None)


def _hull(corners: list[Any]) -> tuple[Any, Any]:
    return reduce(np.minimum, corners), reduce(np.maximum, corners)


def on_common_unit(a: Image, b: Image) -> tuple[Image, Image]:
    """The same quantities on one common unit."""
    if a.unit is None or b.unit is None:
        return a.real(), b.real()
    if a.unit == b.unit:
        return a, b
    ratio = a.unit / b.unit  # p/q: a counts in p, b in q, of the unit a.unit / p
    unit = a.unit / ratio.numerator
    return _stretched(a, ratio.numerator, unit), _stretched(b, ratio.denominator, unit)


def _stretched(image: Image, factor: int, unit: Fraction) -> Image:
    whole = image.holding(max(image.reach, 1) * factor)
    low = whole.low * factor
    return Image(low, low if whole.exact else whole.high * factor, unit)


def comparable_ends(image: Image) -> tuple[Any, Any]:
    """Ends that can be compared for equality: floats that count as equal become the same number."""
    if image.unit is not None:
        return image.low, image.high
    return _clustered(image.low), _clustered(image.high)


def _clustered(values: Any) -> Any:
    order = np.argsort(values)
    ordered = values[order]
    previous = np.append(ordered[:1], ordered[:-1])
    labels = np.empty(len(values), np.int64)
    labels[order] = np.cumsum(ordered - previous > TOLERANCE * np.maximum(np.abs(ordered), np.abs(previous)))
    return labels


def image_of(tree: ex.Expression, cells: dict[str, Cells]) -> Image:
    """F of every published record."""
    match tree:
        case ex.ColumnTerm(name):
            column = cells[name]
            return Image(column.low, column.high, Fraction(1, 10**column.scale))
        case ex.Constant(value):
            rows = len(next(iter(cells.values())).low)
            number = np.full(rows, value.numerator, np.int64 if abs(value.numerator) < SAFE else object)
            return Image(number, number, Fraction(1, value.denominator))
        case ex.Negate(part):
            return -image_of(part, cells)
        case ex.Divide(top, ex.Constant(value)):
            return image_of(top, cells).times(1 / value)
        case ex.Divide(top, bottom):
            return image_of(top, cells) / image_of(bottom, cells)
        case ex.Power(part, exponent):
            return image_of(part, cells).power(exponent)
        case ex.Combine("product", (ex.Constant(value), part)):
            return image_of(part, cells).times(value)
        case ex.Combine(function, parts):
            return _of_parts(function, [image_of(part, cells) for part in parts])


def _of_parts(function: str, parts: list[Image]) -> Image:
    match function:
        case "sum":
            return reduce(Image.__add__, parts)
        case "avg":
            return reduce(Image.__add__, parts).times(Fraction(1, len(parts)))
        case "product":
            return reduce(Image.__mul__, parts)
        case "norm":
            return reduce(Image.__add__, [part.power(2) for part in parts]).root()
        case "min":
            return reduce(lambda a, b: _pairwise(np.minimum, a, b), parts)
        case "max":
            return reduce(lambda a, b: _pairwise(np.maximum, a, b), parts)
    return _median(parts)


def _pairwise(choose: Any, first: Image, second: Image) -> Image:
    a, b = on_common_unit(first, second)
    return Image(choose(a.low, b.low), choose(a.high, b.high), a.unit)


def _median(parts: list[Image]) -> Image:
    """The middle one, or halfway between the middle two, of all lows and of all highs."""
    first = reduce(lambda a, b: on_common_unit(a, b)[0], parts, parts[0])
    same = [on_common_unit(part, first)[0] for part in parts]
    same = [part.holding(2 * part.reach) for part in same]
    lows = np.sort(np.stack([part.low for part in same]), axis=0)
    highs = np.sort(np.stack([part.high for part in same]), axis=0)
    lower, upper = (len(parts) - 1) // 2, len(parts) // 2
    doubled = Image(lows[lower] + lows[upper], highs[lower] + highs[upper], same[0].unit)
    return doubled.times(Fraction(1, 2))
