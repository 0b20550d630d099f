"""COUNT under a condition on a sensitive column: a hypergeometric count in each group."""

from sqlglot import exp

from shoal.query.rules.where import spans
from shoal.query.scope import Scope

VARIANCE = "hits * fits * (group_size - fits) * (group_size - hits)"
SCALE = "CAST(group_size AS DOUBLE) * group_size * GREATEST(group_size - 1, 1)"


def count_where(call: exp.Expression, scope: Scope) -> exp.Select:
    if not isinstance(call.this, exp.Star):
        scope.sensitive_column(call.this)
    return scope.keyed(spans(scope)).select(
        "COALESCE(SUM(forced), 0) AS lower",
        "COALESCE(SUM(hits * fits / group_size), 0) AS expected",
        "COALESCE(SUM(most), 0) AS upper",
        f"COALESCE(SQRT(SUM({VARIANCE} / ({SCALE}))), 0) AS sd",
        dialect="duckdb",
    )
