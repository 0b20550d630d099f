"""Arithmetic of aggregates, by interval rules: from figures between two ends to what is made of these.

Bounds are safe; they are attained when the parts do not depend on each other. Expectations add up always, and
multiply with what is certain; the standard deviation is told when at most one part is uncertain. Whole
numbers and decimals stay exact. Quotients are floats, calculated with in the order of the question: as every
rounding keeps the order of numbers, the bounds hold the rounded answer of the plain question as well.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from math import floor, inf, isfinite

from sqlglot import exp

from shoal.errors import ShoalError

Number = int | Decimal | float
End = Number | None
DIGITS = Context(
    prec=50_000, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_HALF_UP
)  # more than a question has
LARGEST_WHOLE = 2**127  # beyond it a constant is a float


@dataclass(frozen=True)
class Interval:
    """A number between two ends; None where it cannot be told. What is certain needs no expectation."""

    lower: End
    upper: End
    expected: float | None = None
    sd: float | None = None

    @property
    def certain(self) -> bool:
        return self.lower is not None and self.lower == self.upper

    @property
    def mean(self) -> float | None:
        return real(self.lower) if self.certain and self.lower is not None else self.expected


Aggregate = Callable[[exp.Expression], Interval]
UNKNOWN_INTERVAL = Interval(None, None)


def expression_interval(tree: exp.Expression, aggregate: Aggregate) -> Interval:
    """An expression over aggregates and constants, from the intervals of its aggregates.

    >>> total = Interval(1, 3, expected=2.5, sd=0.5)
    >>> expression_interval(exp.maybe_parse("10 - 2 * sum(x)"), lambda _: total)
    Interval(lower=4, upper=8, expected=5.0, sd=1.0)
    """
    match tree:
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            combine = COMBINE[type(tree)]
            found = combine(
                expression_interval(tree.this, aggregate), expression_interval(tree.expression, aggregate)
            )
        case exp.Paren():
            return expression_interval(tree.this, aggregate)
        case exp.Neg():
            found = negate(expression_interval(tree.this, aggregate))
        case exp.Round():
            found = round_interval(expression_interval(tree.this, aggregate), digits_of(tree))
        case exp.Literal() if not tree.is_string:
            number = constant(tree.this)
            found = Interval(number, number)
        case _:
            found = aggregate(tree)
    return replace(found, lower=finite_or_none(found.lower), upper=finite_or_none(found.upper))


def aggregates_in(tree: exp.Expression) -> Iterator[exp.Expression]:
    """The parts of an expression that `expression_interval` asks for, one by one."""
    match tree:
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            yield from aggregates_in(tree.this)
            yield from aggregates_in(tree.expression)
        case exp.Paren() | exp.Neg():
            yield from aggregates_in(tree.this)
        case exp.Round():
            digits_of(tree)
            yield from aggregates_in(tree.this)
        case exp.Literal() if not tree.is_string:
            return
        case _:
            yield tree


def negate(part: Interval) -> Interval:
    """The figure with the opposite sign; its ends change places."""
    expected = None if part.expected is None else -part.expected
    return Interval(_of(_minus, part.upper), _of(_minus, part.lower), expected, part.sd)


def add(left: Interval, right: Interval) -> Interval:
    """The sum of two figures, end by end."""
    lower, upper = _of(_plus, left.lower, right.lower), _of(_plus, left.upper, right.upper)
    return Interval(lower, upper, _sum(left.mean, right.mean), _sd_of_sum(left, right))


def subtract(left: Interval, right: Interval) -> Interval:
    """The difference of two figures: least less most, and most less least."""
    lower, upper = _of(_less, left.lower, right.upper), _of(_less, left.upper, right.lower)
    return Interval(lower, upper, _sum(left.mean, right.mean, -1), _sd_of_sum(left, right))


def multiply(left: Interval, right: Interval) -> Interval:
    """The four corners."""
    if right.certain:
        return _scaled(left, right, _times, lambda figure, factor: figure * factor)
    return _scaled(right, left, _times, lambda figure, factor: figure * factor)


def divide(left: Interval, right: Interval) -> Interval:
    """The four corners, where the divisor cannot be 0; otherwise there is no bound."""
    if right.lower is None or right.upper is None or right.lower <= 0 <= right.upper:
        return UNKNOWN_INTERVAL
    return _scaled(left, right, _over, lambda figure, divisor: figure / divisor)


def round_interval(part: Interval, digits: int) -> Interval:
    """Rounding keeps the order, so it keeps bounds; of the expectation it says nothing. A float near the
    middle between two results may be rounded to either, by what it was calculated from."""
    lower = None if part.lower is None else min(_roundings(part.lower, digits))
    upper = None if part.upper is None else max(_roundings(part.upper, digits))
    return Interval(lower, upper)


def digits_of(call: exp.Expression) -> int:
    """The number of digits that a call of ROUND asks for, 0 if it names none."""
    digits = call.args.get("decimals")
    if digits is None:
        return 0
    if isinstance(digits, exp.Literal) and digits.this.isdigit() and len(digits.this) == 1:
        return int(digits.this)
    raise ShoalError("round takes a number of digits from 0 to 9", "write round(avg(salary), 2).")


def constant(text: str) -> Number:
    """A number as SQL reads it.

    >>> constant("12"), constant("1.50"), constant("1e3")
    (12, Decimal('1.50'), 1000.0)
    """
    if "e" in text.lower():
        return float(text)
    number = Decimal(text)
    if abs(number) >= LARGEST_WHOLE:
        return float(text)
    return int(number) if text.isdigit() else number


def real(number: Number) -> float:
    """A number as a float, infinite where it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def finite_or_none(end: End) -> End:
    """None for what is larger than floats can tell."""
    return None if isinstance(end, float) and not isfinite(end) else end


def _of(operation: Callable[..., Number], *ends: End) -> End:
    return None if None in ends else operation(*ends)


def _minus(number: Number) -> Number:
    return number.copy_negate() if isinstance(number, Decimal) else -number


def _plus(one: Number, other: Number) -> Number:
    if isinstance(one, float) or isinstance(other, float):
        return real(one) + real(other)
    return one + other if isinstance(one, int) and isinstance(other, int) else DIGITS.add(one, other)


def _less(one: Number, other: Number) -> Number:
    return _plus(one, _minus(other))


def _times(one: Number, other: Number) -> Number:
    if isinstance(one, float) or isinstance(other, float):
        return real(one) * real(other)
    return one * other if isinstance(one, int) and isinstance(other, int) else DIGITS.multiply(one, other)


def _over(one: Number, other: Number) -> Number:
    return real(one) / real(other)


def _scaled(
    left: Interval,
    right: Interval,
    operation: Callable[[Number, Number], Number],
    scale: Callable[[float, float], float],
) -> Interval:
    ends = [(one, other) for one in (left.lower, left.upper) for other in (right.lower, right.upper)]
    corners = [finite_or_none(_of(operation, *pair)) for pair in ends]
    known = [corner for corner in corners if corner is not None]
    if len(known) < len(corners):
        return UNKNOWN_INTERVAL
    if not right.certain or right.mean is None:
        return Interval(min(known), max(known))
    expected = None if left.mean is None else scale(left.mean, right.mean)
    sd = None if left.sd is None else scale(left.sd, abs(right.mean))
    return Interval(min(known), max(known), expected, sd)


def _sum(one: float | None, other: float | None, sign: int = 1) -> float | None:
    return None if one is None or other is None else one + sign * other


def _sd_of_sum(left: Interval, right: Interval) -> float | None:
    if left.certain:
        return right.sd
    return left.sd if right.certain else None


def _roundings(number: Number, digits: int) -> tuple[Number, ...]:
    """Halves go away from 0, as in SQL: of a decimal, or of a float as it is written and as it is stored."""
    if isinstance(number, int):
        return (number,)
    if isinstance(number, Decimal):
        return (number if -int(number.as_tuple().exponent) <= digits else _quantized(number, digits),)
    scaled = abs(number) * 10.0**digits
    if not isfinite(scaled):
        return (number,)
    whole = floor(scaled) + (scaled - floor(scaled) >= 0.5)
    stored = whole / 10.0**digits
    return (-stored if number < 0 else stored), float(_quantized(Decimal(repr(number)), digits))


def _quantized(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), context=DIGITS)


COMBINE: dict[type[exp.Expression], Callable[[Interval, Interval], Interval]] = {
    exp.Add: add,
    exp.Sub: subtract,
    exp.Mul: multiply,
    exp.Div: divide,
}
