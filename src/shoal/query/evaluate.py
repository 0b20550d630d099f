"""An item of SELECT as a cell: aggregates by their rules, arithmetic between them by interval rules."""

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.cell import FIGURES, Cell, cell_of, exactly
from shoal.query.parse import sensitive_columns
from shoal.query.rules import CONDITIONAL, RULES, Rule
from shoal.query.rules.arithmetic import add, divide, multiply, negate, rounded, subtract
from shoal.query.rules.exact import exact_aggregate
from shoal.query.scope import Scope
from shoal.query.syntax import parsed

ARITHMETIC = ((exp.Add, add), (exp.Sub, subtract), (exp.Mul, multiply), (exp.Div, divide))
MOST_PRODUCTS = 4  # each of them multiplies the size of the statement
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
            return combine(_evaluated(tree.this, scope), _evaluated(tree.expression, scope))
    match tree:
        case exp.Paren():
            return _evaluated(tree.this, scope)
        case exp.Neg():
            return negate(_evaluated(tree.this, scope))
        case exp.Round():
            return rounded(_evaluated(tree.this, scope), _digits(tree))
        case exp.Literal() if not tree.is_string:
            return exactly(tree)
        case exp.WithinGroup():
            return _evaluated(unwrapped(tree), scope)
    return _aggregate(tree, scope)


def is_aggregate(tree: exp.Expression) -> bool:
    return any(type(tree) is kind for kind, _ in RULES)


def _aggregate(call: exp.Expression, scope: Scope) -> Cell:
    if not is_aggregate(call) or any(value for name, value in call.args.items() if name not in PARTS):
        raise _refused(call, scope)
    exact = _is_exact(call, scope)
    table = scope.add("cell", _rule(call, exact, scope)(call, scope))
    figures = (parsed(f"{table}.{figure}") for figure in FIGURES)
    return cell_of(figures, exact=scope.condition is None and (exact or type(call) is exp.Count))


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
