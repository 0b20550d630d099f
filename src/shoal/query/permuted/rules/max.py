"""MAX: see ``min_or_max``."""

from sqlglot import exp

from shoal.query.permuted.rules.min_or_max import min_or_max_bounds
from shoal.query.permuted.scope import Scope


def max_bounds(call: exp.Expression, scope: Scope) -> exp.Select:
    """The bounds, expectation and deviation of the largest value."""
    return min_or_max_bounds(call.this, scope, smallest=False)
