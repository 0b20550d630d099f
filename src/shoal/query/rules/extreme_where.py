"""MIN and MAX under a condition on a sensitive column, over all choices with at least one fitting value.

MIN is at least the smallest fitting value of the hit groups. Where fitting values are forced, it is at
most the smallest of what the groups cannot avoid; otherwise one value alone, the largest, may be it.
"""

from sqlglot import exp

from shoal.query.rules.where import fitting_values
from shoal.query.scope import Scope

UNKNOWN = "CAST(NULL AS DOUBLE)"


def min_where(call: exp.Expression, scope: Scope) -> exp.Select:
    """Values are numbered from the largest: the forced-th is the highest that a group's minimum can be."""
    rows = fitting_values(call.this, scope, downwards=True)
    unavoidable = "COALESCE(MIN(value) FILTER (WHERE place = forced), MAX(value))"
    return rows.select(
        "MIN(value) AS lower",
        f"{UNKNOWN} AS expected",
        f"{unavoidable} AS upper",
        f"{UNKNOWN} AS sd",
        dialect="duckdb",
    )


def max_where(call: exp.Expression, scope: Scope) -> exp.Select:
    rows = fitting_values(call.this, scope)
    unavoidable = "COALESCE(MAX(value) FILTER (WHERE place = forced), MIN(value))"
    return rows.select(
        f"{unavoidable} AS lower",
        f"{UNKNOWN} AS expected",
        "MAX(value) AS upper",
        f"{UNKNOWN} AS sd",
        dialect="duckdb",
    )
