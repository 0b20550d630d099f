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

from shoal.policy import expression as ex
from shoal.verify.cells import Cells

TOLERANCE = 1e-9
SAFE = 2**62


@dataclass(frozen=True)
class Image:
    """Intervals ``low * unit .. high * unit``; ``unit`` None means floats."""

    low: Any
    high: Any
    unit: Fraction | None

    def __add__(self, other: "Image") -> "Image":
        a, b = aligned(self, other)
        if a.unit is not None and a.reach + b.reach >= SAFE:
            a, b = a.widened(), b.widened()
        return Image(a.low + b.low, a.high + b.high, a.unit)

    def __neg__(self) -> "Image":
        return Image(-self.high, -self.low, self.unit)

    def __mul__(self, other: "Image") -> "Image":
        a, b = self, other
        if a.unit is None or b.unit is None:
            a, b = a.real(), b.real()
        elif a.reach * b.reach >= SAFE:
            a, b = a.widened(), b.widened()
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
        out = self
        for _ in range(exponent - 1):
            if out.unit is not None and out.reach * self.reach >= SAFE:
                out = out.widened()
            base = self.widened() if out.widened_already else self
            unit = None if out.unit is None or base.unit is None else out.unit * base.unit
            out = Image(out.low * base.low, out.high * base.high, unit)
        if exponent % 2:
            return out
        inside = (self.low <= 0) & (self.high >= 0)
        low, high = _hull([out.low, out.high])
        return Image(np.where(inside, low * 0, low), high, out.unit)

    def root(self) -> "Image":
        squares = self.real()
        return Image(np.sqrt(squares.low), np.sqrt(squares.high), None)

    @property
    def widened_already(self) -> bool:
        return np.asarray(self.low).dtype.kind == "O"

    @property
    def reach(self) -> int:
        """The largest absolute value of either end."""
        if np.size(self.low) == 0:
            return 0
        return max(abs(int(np.min(self.low))), abs(int(np.max(self.high))))

    def widened(self) -> "Image":
        low, high = (np.asarray(side).astype(object) for side in (self.low, self.high))
        return Image(low, high, self.unit)

    def real(self) -> "Image":
        if self.unit is None:
            return self
        unit = float(self.unit)
        low, high = (np.asarray(side).astype(np.float64) * unit for side in (self.low, self.high))
        return Image(low, high, None)


def _hull(corners: list[Any]) -> tuple[Any, Any]:
    return reduce(np.minimum, corners), reduce(np.maximum, corners)


def aligned(a: Image, b: Image) -> tuple[Image, Image]:
    """The same quantities on one common unit."""
    if a.unit is None or b.unit is None:
        return a.real(), b.real()
    if a.unit == b.unit:
        return a, b
    unit = Fraction(1, 1)
    ratio = a.unit / b.unit  # p/q: a counts in p, b in q, of the unit a.unit / p
    unit = a.unit / ratio.numerator
    return _stretched(a, ratio.numerator, unit), _stretched(b, ratio.denominator, unit)


def _stretched(image: Image, factor: int, unit: Fraction) -> Image:
    if image.reach * factor >= SAFE:
        image = image.widened()
    return Image(image.low * factor, image.high * factor, unit)


def image_of(tree: ex.Node, cells: dict[str, Cells]) -> Image:
    """F of every published record."""
    match tree:
        case ex.Column(name):
            column = cells[name]
            return Image(column.low, column.high, Fraction(1, 10**column.scale))
        case ex.Constant(value):
            rows = len(next(iter(cells.values())).low)
            number = np.full(rows, value.numerator, np.int64)
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
    a, b = aligned(first, second)
    return Image(choose(a.low, b.low), choose(a.high, b.high), a.unit)


def _median(parts: list[Image]) -> Image:
    """The middle one, or halfway between the middle two, of all lows and of all highs."""
    first = reduce(lambda a, b: aligned(a, b)[0], parts, parts[0])
    same = [aligned(part, first)[0] for part in parts]
    lows = np.sort(np.stack([np.asarray(part.low) for part in same]), axis=0)
    highs = np.sort(np.stack([np.asarray(part.high) for part in same]), axis=0)
    lower, upper = (len(parts) - 1) // 2, len(parts) // 2
    doubled = Image(lows[lower] + lows[upper], highs[lower] + highs[upper], same[0].unit)
    return doubled.times(Fraction(1, 2))
