"""AVG: the bounds of SUM over the number of hits, which is known."""

from sqlglot import exp

from shoal.query.cell import Cell, cell
from shoal.query.rules.sum import sum_figures
from shoal.query.scope import Scope


def avg_bounds(call: exp.Expression, scope: Scope) -> Cell:
    lower, expected, upper, sd = (
        f"{figure} / {scope.size}" for figure in sum_figures(scope.lists(call.this), scope)
    )
    return cell(lower, expected, upper, sd)
