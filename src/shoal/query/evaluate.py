"""An item of SELECT as a cell: aggregates by their rules, arithmetic between them by interval rules."""

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.cell import Cell, exactly
from shoal.query.parse import sensitive_columns
from shoal.query.rules import CONDITIONAL, RULES, Rule
from shoal.query.rules.arithmetic import add, divide, multiply, negate, rounded, subtract
from shoal.query.rules.exact import exact_aggregate
from shoal.query.scope import Scope

ARITHMETIC = ((exp.Add, add), (exp.Sub, subtract), (exp.Mul, multiply), (exp.Div, divide))
MOST_PRODUCTS = 4  # each of them multiplies the size of the statement
DATED = (exp.Min, exp.Max, exp.Avg, exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
PARTS = ("this", "expression", "quantile", "big_int")


def evaluate(tree: exp.Expression, scope: Scope) -> Cell:
    """The cell of an expression over aggregates and numbers."""
    if sum(1 for _ in tree.find_all(exp.Mul, exp.Div)) > MOST_PRODUCTS:
        raise ShoalError(
            f"more than {MOST_PRODUCTS} products and quotients in one item", "work out numbers beforehand."
        )
    return _evaluated(tree, scope)


def _evaluated(tree: exp.Expression, scope: Scope) -> Cell:
    for operator, combine in ARITHMETIC:
        if type(tree) is operator:
            return _combined(tree, combine, scope)
    match tree:
        case exp.Paren():
            return _evaluated(tree.this, scope)
        case exp.Neg():
            return negate(_number(tree.this, scope))
        case exp.Round():
            return rounded(_number(tree.this, scope), _digits(tree))
        case exp.Literal() if not tree.is_string:
            return exactly(tree)
        case exp.WithinGroup():
            return _evaluated(unwrapped(tree), scope)
    return _aggregate(tree, scope)


def _combined(tree: exp.Expression, combine: Callable[[Cell, Cell], Cell], scope: Scope) -> Cell:
    """Between two dates are days; otherwise dates are not calculated with."""
    parts = [_evaluated(part, scope) for part in (tree.this, tree.expression)]
    if type(tree) is exp.Sub and all(part.date for part in parts):
        parts = [replace(part, date=False) for part in parts]
    return combine(*(_checked(part) for part in parts))


def _number(tree: exp.Expression, scope: Scope) -> Cell:
    return _checked(_evaluated(tree, scope))


def _checked(cell: Cell) -> Cell:
    if cell.date:
        raise ShoalError("dates cannot be calculated with", "subtract one date from another: days.")
    return cell


def is_aggregate(tree: exp.Expression) -> bool:
    return any(type(tree) is kind for kind, _ in RULES)


def _aggregate(call: exp.Expression, scope: Scope) -> Cell:
    if not is_aggregate(call) or any(value for name, value in call.args.items() if name not in PARTS):
        raise _refused(call, scope)
    exact = _is_exact(call, scope)
    cell = _rule(call, exact, scope)(call, scope)
    if exact or isinstance(call, exp.Count) or scope.sensitive_column(call.this) not in scope.schema.dates:
        return cell
    if isinstance(call, exp.Sum):
        raise ShoalError("a sum of dates means nothing", "ask for min, max, avg or median of dates.")
    return replace(cell, date=isinstance(call, DATED))


def _is_exact(call: exp.Expression, scope: Scope) -> bool:
    if isinstance(call.this, exp.Star) and any(call.this.args.values()):
        raise _refused(call, scope)
    return not isinstance(call.this, exp.Star) and not sensitive_columns(call, scope.schema)


def _rule(call: exp.Expression, exact: bool, scope: Scope) -> Rule:
    if scope.condition is None:
        return exact_aggregate if exact else dict(RULES)[type(call)]
    if not exact and type(call) in dict(CONDITIONAL):
        return dict(CONDITIONAL)[type(call)]
    raise ShoalError(
        f"{_name(call)!r} cannot be answered under a condition on a sensitive column",
        "under such a condition ask for count, sum, avg, min or max of that column.",
    )


def _digits(call: exp.Expression) -> exp.Expression | None:
    digits = call.args.get("decimals")
    if digits is None or isinstance(digits, exp.Literal):
        return digits
    raise ShoalError("round takes a number of digits", "write round(avg(salary), 2).")


def unwrapped(tree: exp.Expression) -> exp.Expression:
    """``percentile_cont(0.5) within group (order by salary)`` as ``percentile_cont(salary, 0.5)``."""
    call, ordered = tree.this, tree.expression.expressions
    if (
        type(call) not in (exp.PercentileCont, exp.PercentileDisc)
        or len(ordered) != 1
        or ordered[0].args.get("desc")
    ):
        raise ShoalError("only percentiles can be taken within a group, in rising order", "leave out DESC.")
    return type(call)(this=ordered[0].this.copy(), expression=call.this.copy())


def _refused(tree: exp.Expression, scope: Scope) -> ShoalError:
    if isinstance(tree, exp.Column):
        if used := sensitive_columns(tree, scope.schema):
            return ShoalError(
                f"the {used[0]!r} of single records is not told by this release",
                f"ask for an aggregate: avg({used[0]}).",
            )
        return ShoalError(
            f"column {tree.name!r} is neither aggregated nor in GROUP BY", f"add: group by {tree.name}."
        )
    return ShoalError(
        f"{_name(tree)!r} cannot be answered with bounds",
        "ask for count, sum, avg, min, max, median, quantile_cont, variance or stddev, and + - * / of them.",
    )


def _name(tree: exp.Expression) -> str:
    return str(tree.sql("duckdb", comments=False, normalize_functions="lower"))
