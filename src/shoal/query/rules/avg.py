"""AVG: the bounds of SUM over the number of hits, which is known."""

from sqlglot import exp

from shoal.query.rules.sum import VARIANCE
from shoal.query.scope import Scope


def avg_bounds(call: exp.Expression, scope: Scope) -> exp.Select:
    return scope.met(scope.help(call.this)).select(
        "SUM(sum_lower) / SUM(hits) AS lower",
        "SUM(hits * mean) / SUM(hits) AS expected",
        "SUM(sum_upper) / SUM(hits) AS upper",
        f"SQRT({VARIANCE}) / SUM(hits) AS sd",
        dialect="duckdb",
    )
