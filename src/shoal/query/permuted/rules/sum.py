"""SUM: the smallest and the largest values of each group that is hit.

The m hits of a group of N are a random sample without replacement: the expectation is m times the mean,
the variance m (N - m) / (N - 1) times the population variance of the group. Groups are independent.
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, cell
from shoal.query.permuted.lists import Lists
from shoal.query.permuted.scope import Scope


def sum_bounds(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds, expectation and deviation of a sum of sensitive values."""
    return cell(*sum_figures(scope.lists(call.this), scope))


def sum_figures(lists: Lists, scope: Scope) -> tuple[str, str, str, str]:
    """Lower, expected, upper and sd, as columns of the pass over the lists."""
    met = scope.hit_groups(lists)
    return (
        met.add("sum_lower", f"SUM({lists.smallest('hits.hits')})"),
        met.add("sum_expected", f"SUM(hits.hits * {lists.mean})"),
        met.add("sum_upper", f"SUM({lists.largest('hits.hits')})"),
        met.add("sum_sd", f"SQRT({sampled_variance(lists, 'hits.hits')})"),
    )


def sampled_variance(lists: Lists, hits: str) -> str:
    """The variance of the sum of so many hits in each group."""
    return f"SUM({hits} * ({lists.size} - {hits}) * {lists.spread})"
