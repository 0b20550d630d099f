"""The aggregates of an item of SELECT, each by its rule: what is made of them follows from their answers."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.arithmetic import aggregates_in
from shoal.query.parse import sensitive_columns
from shoal.query.permuted.cell import Cell
from shoal.query.permuted.rules import CONDITIONAL, RULES, Rule
from shoal.query.permuted.rules.exact import exact_aggregate
from shoal.query.permuted.scope import Scope
from shoal.query.refusal import unanswerable
from shoal.query.sql_text import sql_text

DATED = (exp.Min, exp.Max, exp.Avg, exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
PARTS = ("this", "expression", "quantile", "big_int")


def aggregate_cells(
    tree: exp.Expression, scope: Scope, known: Mapping[exp.Expression, Cell]
) -> dict[exp.Expression, Cell]:
    """The cells of all aggregates in an expression, unless they are known already; refuses whatever else it
    consists of."""
    cells = {call: known.get(call) or aggregate_cell(call, scope) for call in aggregates_in(tree)}
    is_date(tree, cells)
    return cells


def is_date(tree: exp.Expression, cells: dict[exp.Expression, Cell]) -> bool:
    """Does an expression give a date? Between two dates are days; otherwise dates are not calculated with."""
    match tree:
        case exp.Paren():
            return is_date(tree.this, cells)
        case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
            dates = [is_date(part, cells) for part in (tree.this, tree.expression)]
            if any(dates) and not (isinstance(tree, exp.Sub) and all(dates)):
                raise _no_number()
            return False
        case exp.Neg() | exp.Round():
            if is_date(tree.this, cells):
                raise _no_number()
            return False
    return tree in cells and cells[tree].date


def _no_number() -> ShoalError:
    return ShoalError("dates cannot be calculated with", "subtract one date from another: days.")


def is_aggregate(tree: exp.Expression) -> bool:
    """Whether a rule is there for this node of a syntax tree."""
    return any(type(tree) is kind for kind, _ in RULES)


def aggregate_cell(call: exp.Expression, scope: Scope) -> Cell:
    """The cell of one aggregate."""
    call = without_within_group(call) if isinstance(call, exp.WithinGroup) else call
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
        f"{sql_text(call, small_letters=True)!r} cannot be answered under a condition on a sensitive column",
        "under such a condition ask for count, sum, avg, min or max of that column.",
    )


def without_within_group(tree: exp.Expression) -> exp.Expression:
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
    if isinstance(tree, exp.Column) and (used := sensitive_columns(tree, scope.schema)):
        return ShoalError(
            f"the {used[0]!r} of single records is not told by this release",
            f"ask for an aggregate: avg({used[0]}).",
        )
    return unanswerable(tree)
