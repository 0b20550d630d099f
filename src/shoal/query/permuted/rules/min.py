"""MIN: see ``extreme``."""

from sqlglot import exp

from shoal.query.permuted.rules.extreme import extreme_bounds
from shoal.query.permuted.scope import Scope


def min_bounds(call: exp.Expression, scope: Scope) -> exp.Select:
    """The bounds, expectation and deviation of the smallest value."""
    return extreme_bounds(call.this, scope, smallest=True)
