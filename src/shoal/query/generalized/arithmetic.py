"""Arithmetic of bounds, by interval rules; an end that cannot be told is None."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite

from sqlglot import exp

from shoal.errors import ShoalError

Number = int | float
Pair = tuple[Number | None, Number | None]


def combined(tree: exp.Expression, aggregate: Callable[[exp.Expression], Pair]) -> Pair:
    """The bounds of an expression over aggregates and numbers.

    >>> combined(exp.maybe_parse("10 - 2 * sum(x)"), lambda _: (1, 3))
    (4, 8)
    """
    try:
        ends = _combined(tree, aggregate)
    except OverflowError:
        return None, None
    lower, upper = (end if end is not None and isfinite(end) else None for end in ends)
    return lower, upper


def _combined(tree: exp.Expression, aggregate: Callable[[exp.Expression], Pair]) -> Pair:
    if (combine := ARITHMETIC.get(type(tree))) is not None:
        return combine(_combined(tree.this, aggregate), _combined(tree.expression, aggregate))
    match tree:
        case exp.Paren():
            return _combined(tree.this, aggregate)
        case exp.Neg():
            return negate(_combined(tree.this, aggregate))
        case exp.Round():
            lower, upper = _combined(tree.this, aggregate)
            return _rounded(lower, _digits(tree)), _rounded(upper, _digits(tree))
        case exp.Literal() if not tree.is_string:
            number = int(tree.this) if tree.this.isdigit() and len(tree.this) < 19 else float(tree.this)
            return number, number
    return aggregate(tree)


def negate(pair: Pair) -> Pair:
    lower, upper = (None if end is None else -end for end in pair)
    return upper, lower


def add(left: Pair, right: Pair) -> Pair:
    lower, upper = (
        None if one is None or other is None else one + other for one, other in zip(left, right, strict=True)
    )
    return lower, upper


def multiply(left: Pair, right: Pair) -> Pair:
    """The four corners."""
    if None in left or None in right:
        return None, None
    corners = [one * other for one in left for other in right if one is not None and other is not None]
    return min(corners), max(corners)


def divide(left: Pair, right: Pair) -> Pair:
    """The four corners, where the divisor cannot be 0; otherwise there is no bound."""
    lower, upper = right
    if None in left or lower is None or upper is None or lower <= 0 <= upper:
        return None, None
    corners = [one / other for one in left if one is not None for other in (lower, upper)]
    return min(corners), max(corners)


def _digits(call: exp.Expression) -> int:
    digits = call.args.get("decimals")
    if digits is None:
        return 0
    if isinstance(digits, exp.Literal) and digits.this.isdigit() and len(digits.this) == 1:
        return int(digits.this)
    raise ShoalError("round takes a number of digits", "write round(avg(salary), 2).")


def _rounded(number: Number | None, digits: int) -> Number | None:
    """Halves go away from 0, as in SQL."""
    if number is None or isinstance(number, int):
        return number
    if not isfinite(number):
        return number
    return float(Decimal(repr(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


ARITHMETIC: dict[type[exp.Expression], Callable[[Pair, Pair], Pair]] = {
    exp.Add: add,
    exp.Sub: lambda left, right: add(left, negate(right)),
    exp.Mul: multiply,
    exp.Div: divide,
}
