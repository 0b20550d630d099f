"""SUM under a condition on a sensitive column: the sum of values that count as 0 where it fails.

A permutation in which no row fits counts as 0 here, where SQL says NULL.
"""

from sqlglot import exp

from shoal.query.rules.sum import VARIANCE
from shoal.query.rules.where import masked_help, spans
from shoal.query.schema import GROUP
from shoal.query.scope import Scope
from shoal.query.syntax import parsed


def sum_where(call: exp.Expression, scope: Scope) -> exp.Select:
    ranges = spans(scope)
    figures = {
        "lower": "SUM(sum_lower)",
        "expected": "SUM(hits * mean)",
        "upper": "SUM(sum_upper)",
        "sd": f"SQRT({VARIANCE.replace('group_size', f'{ranges}.group_size')})",
    }
    return (
        scope.keyed(ranges)
        .join(masked_help(call.this, scope), using=[GROUP, "hits"])
        .select(*(f"{figure} AS {name}" for name, figure in figures.items()), dialect="duckdb")
        .having(parsed("SUM(most) > 0"))
    )
