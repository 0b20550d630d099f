"""Arithmetic of aggregates, by interval rules.

The bounds are safe; they are attained when the parts do not depend on each other. Expectations add up
always, and multiply with exact factors; the standard deviation is told when at most one part is uncertain.
"""

from sqlglot import exp

from shoal.query.cell import Cell, cell_of
from shoal.query.syntax import UNKNOWN, parsed


def negate(part: Cell) -> Cell:
    return Cell(-part.upper, -part.expected, -part.lower, part.sd, part.exact)


def add(left: Cell, right: Cell) -> Cell:
    return Cell(
        left.lower + right.lower,
        left.expected + right.expected,
        left.upper + right.upper,
        _sd_of_sum(left, right),
        left.exact and right.exact,
    )


def subtract(left: Cell, right: Cell) -> Cell:
    return add(left, negate(right))


def multiply(left: Cell, right: Cell) -> Cell:
    """The four corners; two with an exact factor."""
    if not right.exact:
        left, right = right, left
    corners = [one * other for one in (left.lower, left.upper) for other in _ends(right)]
    return _scaled(left, right, corners, left.expected * right.expected, left.sd * _size(right))


def divide(left: Cell, right: Cell) -> Cell:
    """The four corners, where the divisor cannot be 0; otherwise there is no bound."""
    corners = [one / other for one in (left.lower, left.upper) for other in _ends(right)]
    whole = _scaled(left, right, corners, left.expected / right.expected, left.sd / _size(right))
    figures = (_where_not_zero(right, figure) for figure in whole.figures())
    return cell_of(figures, exact=whole.exact)


def rounded(part: Cell, digits: exp.Expression | None) -> Cell:
    """Rounding keeps the order, so it keeps bounds."""
    figures = (exp.Round(this=figure.copy(), decimals=digits) for figure in part.figures())
    return cell_of(figures, exact=part.exact)


def _scaled(
    left: Cell, right: Cell, corners: list[exp.Expression], expected: exp.Expression, sd: exp.Expression
) -> Cell:
    known = right.exact
    return Cell(
        exp.func("LEAST", *corners),
        expected if known else parsed(UNKNOWN),
        exp.func("GREATEST", *corners),
        sd if known else parsed(UNKNOWN),
        left.exact and right.exact,
    )


def _ends(cell: Cell) -> tuple[exp.Expression, ...]:
    return (cell.lower,) if cell.exact else (cell.lower, cell.upper)


def _size(cell: Cell) -> exp.Expression:
    return exp.Abs(this=cell.lower.copy())


def _where_not_zero(divisor: Cell, figure: exp.Expression) -> exp.Expression:
    positive = exp.GT(this=divisor.lower.copy(), expression=exp.Literal.number(0))
    negative = exp.LT(this=divisor.upper.copy(), expression=exp.Literal.number(0))
    return exp.Case().when(exp.or_(positive, negative), figure)


def _sd_of_sum(left: Cell, right: Cell) -> exp.Expression:
    if left.exact:
        return right.sd
    return left.sd if right.exact else parsed(UNKNOWN)
