"""AVG: the bounds of SUM over the number of hits, which is known."""

from dataclasses import replace

from sqlglot import exp

from shoal.query.cell import Cell
from shoal.query.rules.sum import sum_bounds
from shoal.query.scope import Scope


def avg_bounds(call: exp.Expression, scope: Scope) -> Cell:
    return replace(sum_bounds(call, scope), mean=True)
