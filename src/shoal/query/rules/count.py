"""COUNT: exact, for the conditions are on columns that are published as they are.

Sensitive columns have no missing values, so counting them counts rows.
"""

from sqlglot import exp

from shoal.query.scope import Scope


def count_rows(call: exp.Expression, scope: Scope) -> exp.Select:
    if not isinstance(call.this, exp.Star):
        scope.sensitive_column(call.this)
    hits = "COALESCE(SUM(hits), 0)"
    figures = (f"{hits} AS {figure}" for figure in ("lower", "expected", "upper"))
    return scope.keyed().select(*figures, "0 AS sd", dialect="duckdb")
