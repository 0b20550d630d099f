"""From the policy's expression to what a method computes with: whole numbers wherever possible."""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.errors import ShoalError
from shoal.methods.aggregates.aggregate import Aggregate, WeightedSum
from shoal.policy.model.expression import (
    ColumnTerm,
    Combine,
    Constant,
    Divide,
    Expression,
    Linear,
    Negate,
    Power,
    columns_of,
    linear_form,
)

LIMIT = 2**62  # what a whole-number intermediate result may reach


def method_aggregate(
    text: str, tree: Expression, names: list[str], scales: list[int], ends: tuple[Ints, Ints]
) -> Aggregate | WeightedSum:
    """The aggregate over these columns; refused when 64 bits or a divisor of zero are in its way."""
    general = ExpressionAggregate(tree, tuple(names), tuple(scales))
    form = linear_form(tree)
    try:
        general.image(*(np.array([end.tolist()], dtype=object) for end in ends))
        return general if form is None else _weighted_sum(form, names, scales, ends)
    except OverflowError:
        raise ShoalError(
            f"the aggregate {text!r} of these columns does not fit 64-bit arithmetic",
            "publish the columns in larger units, for example thousands.",
        ) from None
    except ZeroDivisionError:
        raise ShoalError(
            f"the divisor in {text!r} can be zero",
            "divide only by columns whose values are all positive or all negative.",
        ) from None


def _weighted_sum(form: Linear, names: list[str], scales: list[int], ends: tuple[Ints, Ints]) -> WeightedSum:
    """Whole-number weights for columns in their own units; what could overflow is refused."""
    parts = [form.weights.get(name, 0) / Fraction(10**scale)
             for name, scale in zip(names, scales, strict=True)]  # fmt: skip
    unit = lcm(*(part.denominator for part in parts), form.constant.denominator)
    weights, constant = [int(part * unit) for part in parts], int(form.constant * unit)
    largest = [max(abs(int(low)), abs(int(high)), 1) for low, high in zip(*ends, strict=True)]
    if abs(constant) + sum(abs(w) * most for w, most in zip(weights, largest, strict=True)) >= LIMIT:
        raise OverflowError
    return WeightedSum(np.array(weights, np.int64), constant)


@dataclass(frozen=True)
class _Ends:
    """Both ends of an interval in whole multiples of ``unit``; as plain floats if unit is None."""

    low: Any
    high: Any
    unit: Fraction | None

    def as_floats(self) -> "_Ends":
        if self.unit is None:
            return self
        factor = float(self.unit)
        return _Ends(self.low * factor, self.high * factor, None)

    def in_units(self, unit: Fraction) -> "_Ends":
        assert self.unit is not None  # noqa: S101 - floats never get here
        factor = int(self.unit / unit)
        return self if factor == 1 else _Ends(self.low * factor, self.high * factor, unit)


@dataclass(frozen=True)
class ExpressionAggregate:
    """Any expression; ``names`` and ``scales`` describe the columns of the arrays it is given."""

    tree: Expression
    names: tuple[str, ...]
    scales: tuple[int, ...]

    def image(self, low: Ints, high: Ints) -> tuple[Any, Any]:
        ends = self._ends(self.tree, low, high)
        return ends.low, ends.high

    @property
    def ends_suffice(self) -> bool:
        """What the exact cells of a product, minimum, maximum or norm come to shows in its ends; so
        does a median on one grid. Of anything else, exact cells have to be equal one by one."""
        match self.tree:
            case Combine("product" | "min" | "max" | "norm", parts):
                return all(isinstance(part, ColumnTerm | Constant) for part in parts)
            case Combine("median", parts):
                one_grid = len({self.scales[self.names.index(name)] for name in columns_of(self.tree)}) == 1
                return one_grid and all(isinstance(part, ColumnTerm) for part in parts)
        return False

    def without(self, values: Ints, kept: Bools) -> Floats:
        value, present = self._kept_value(self.tree, values, kept)
        return np.where(present, value, 0.0)

    def _ends(self, tree: Expression, low: Any, high: Any) -> _Ends:
        match tree:
            case ColumnTerm(name):
                at = self.names.index(name)
                ends = _Ends(low[..., at], high[..., at], Fraction(1, 10 ** self.scales[at]))
            case Constant(value):
                numerator = np.full(low.shape[:-1], value.numerator, dtype=low.dtype)
                ends = _Ends(numerator, numerator, Fraction(1, value.denominator))
            case Negate(part):
                inner = self._ends(part, low, high)
                ends = _Ends(-inner.high, -inner.low, inner.unit)
            case Divide(top, bottom):
                ends = _quotient(self._ends(top, low, high), self._ends(bottom, low, high), bottom)
            case Power(part, exponent):
                ends = _power(self._ends(part, low, high), exponent)
            case Combine(function, parts):
                ends = _combine(function, [self._ends(part, low, high) for part in parts])
        return _checked(ends)

    def _kept_value(self, tree: Expression, values: Ints, kept: Any) -> tuple[Any, Any]:
        """Value and whether anything of it is left, when only the kept columns are in the record."""
        match tree:
            case ColumnTerm(name):
                at = self.names.index(name)
                return values[..., at] / 10.0 ** self.scales[at], kept[..., at]
            case Constant(number):
                return float(number), np.False_
            case Negate(part):
                value, present = self._kept_value(part, values, kept)
                return -value, present
            case Power(part, exponent):
                value, present = self._kept_value(part, values, kept)
                return value**exponent, present
            case Divide(top, bottom):
                above, has_top = self._kept_value(top, values, kept)
                below, has_bottom = self._kept_value(bottom, values, kept)
                has_top = has_top | isinstance(top, Constant)
                has_bottom = has_bottom | isinstance(bottom, Constant)
                usable = has_bottom & (np.asarray(below) != 0)  # without some columns a divisor may vanish
                quotient = np.where(has_top, above, 1.0) / np.where(usable, below, 1.0)
                return quotient, has_top & ~isinstance(top, Constant) | has_bottom
            case Combine(function, parts):
                return self._kept_combination(function, parts, values, kept)

    def _kept_combination(
        self, function: str, parts: tuple[Expression, ...], values: Ints, kept: Any
    ) -> tuple[Any, Any]:
        shape = values.shape[:-1]
        stack, there, present = [], [], np.zeros(shape, bool)
        for part in parts:
            value, has = self._kept_value(part, values, kept)
            stack.append(np.broadcast_to(value, shape))
            there.append(np.broadcast_to(has | isinstance(part, Constant), shape))
            present = present | has
        return _of_present(function, np.array(stack), np.array(there)), present


def _of_present(function: str, stack: Any, there: Any) -> Any:
    count = np.maximum(there.sum(axis=0), 1)
    match function:
        case "sum":
            return np.where(there, stack, 0.0).sum(axis=0)
        case "avg":
            return np.where(there, stack, 0.0).sum(axis=0) / count
        case "product":
            return np.where(there, stack, 1.0).prod(axis=0)
        case "norm":
            return np.sqrt((np.where(there, stack, 0.0) ** 2).sum(axis=0))
        case "min":
            return np.where(there, stack, np.inf).min(axis=0)
        case "max":
            return np.where(there, stack, -np.inf).max(axis=0)
    ranked = np.sort(np.where(there, stack, np.inf), axis=0)
    middle = [np.take_along_axis(ranked, at[np.newaxis], axis=0)[0]
              for at in ((count - 1) // 2, count // 2)]  # fmt: skip
    return (middle[0] + middle[1]) / 2


def _combine(function: str, parts: list[_Ends]) -> _Ends:
    if function == "product":
        product = parts[0]
        for part in parts[1:]:
            product = _checked(_product(product, part))
        return product
    if function == "norm":
        squares = _checked(_combine("sum", [_checked(_power(part, 2)) for part in parts])).as_floats()
        return _Ends(_root(squares.low), _root(squares.high), None)
    same, unit = _common(parts)
    low, high = np.array([part.low for part in same]), np.array([part.high for part in same])
    match function:
        case "sum":
            return _Ends(low.sum(axis=0), high.sum(axis=0), unit)
        case "avg":
            if unit is None:
                return _Ends(low.mean(axis=0), high.mean(axis=0), None)
            return _Ends(low.sum(axis=0), high.sum(axis=0), unit / len(parts))
        case "min":
            return _Ends(low.min(axis=0), high.min(axis=0), unit)
        case "max":
            return _Ends(low.max(axis=0), high.max(axis=0), unit)
    middle = [(len(parts) - 1) // 2, len(parts) // 2]
    low, high = (np.sort(side, axis=0)[middle].sum(axis=0) for side in (low, high))
    return _Ends(low / 2, high / 2, None) if unit is None else _Ends(low, high, unit / 2)


def _common(parts: list[_Ends]) -> tuple[list[_Ends], Fraction | None]:
    if any(part.unit is None for part in parts):
        return [part.as_floats() for part in parts], None
    units = [part.unit for part in parts if part.unit is not None]
    bottom = lcm(*(unit.denominator for unit in units))
    unit = Fraction(gcd(*(int(unit * bottom) for unit in units)), bottom)
    return [_checked(part.in_units(unit)) for part in parts], unit


def _product(first: _Ends, second: _Ends) -> _Ends:
    if first.unit is None or second.unit is None:
        first, second = first.as_floats(), second.as_floats()
    corners = np.array([a * b for a in (first.low, first.high) for b in (second.low, second.high)])
    both_exact = first.unit is not None and second.unit is not None
    unit = first.unit * second.unit if both_exact else None  # type: ignore[operator]
    return _Ends(corners.min(axis=0), corners.max(axis=0), unit)


def _power(base: _Ends, exponent: int) -> _Ends:
    if exponent == 1:
        return base
    low, high = base.low**exponent, base.high**exponent
    unit = None if base.unit is None else base.unit**exponent
    if exponent % 2:
        return _Ends(low, high, unit)
    straddles = (base.low < 0) & (base.high > 0)
    smallest = np.where(straddles, 0 * low, np.minimum(low, high))
    return _Ends(smallest, np.maximum(low, high), unit)


def _quotient(top: _Ends, bottom: _Ends, divisor: Expression) -> _Ends:
    if isinstance(divisor, Constant) and top.unit is not None:
        unit = top.unit / abs(divisor.value)
        if divisor.value > 0:
            return _Ends(top.low, top.high, unit)
        return _Ends(-top.high, -top.low, unit)
    if np.any((bottom.low <= 0) & (bottom.high >= 0)):
        raise ZeroDivisionError
    top, bottom = top.as_floats(), bottom.as_floats()
    corners = np.array([a / b for a in (top.low, top.high) for b in (bottom.low, bottom.high)])
    return _Ends(corners.min(axis=0), corners.max(axis=0), None)


def _root(squares: Any) -> Any:
    return np.sqrt(squares.astype(np.float64))


def _checked(ends: _Ends) -> _Ends:
    """Whole numbers given as Python objects are a test run over the widest box: refuse overflow."""
    if ends.unit is not None and np.asarray(ends.low).dtype.kind == "O":
        for end in (ends.low, ends.high):
            if max(abs(value) for value in np.ravel(end)) >= LIMIT:
                raise OverflowError
    return ends
