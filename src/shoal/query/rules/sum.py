"""SUM: the smallest and the largest values of each group that is hit.

The m hits of a group of N are a random sample without replacement: the expectation is m times the mean,
the variance m (N - m) / (N - 1) times the population variance of the group. Groups are independent.
"""

from sqlglot import exp

from shoal.query.scope import Scope

VARIANCE = "SUM(hits * (group_size - hits) / GREATEST(group_size - 1, 1) * variance)"


def sum_bounds(call: exp.Expression, scope: Scope) -> exp.Select:
    return scope.met(scope.help(call.this)).select(
        "SUM(sum_lower) AS lower",
        "SUM(hits * mean) AS expected",
        "SUM(sum_upper) AS upper",
        f"SQRT({VARIANCE}) AS sd",
        dialect="duckdb",
    )
