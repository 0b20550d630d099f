"""AVG: the bounds of SUM over the number of hits, which is known."""

from dataclasses import replace

from sqlglot import exp

from shoal.query.permuted.cell import Cell
from shoal.query.permuted.rules.sum import sum_bounds
from shoal.query.permuted.scope import Scope


def avg_bounds(call: exp.Expression, scope: Scope) -> Cell:
    """AVG of a sensitive column, as the sum of which the answer makes a mean."""
    return replace(sum_bounds(call, scope), mean=True)
