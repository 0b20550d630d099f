"""MIN and MAX: one end is the extreme value of the hit groups, the other what remains unavoidable.

A group of N with m hits surely holds one of its N - m + 1 smallest values: MIN is at most the smallest
x_(N-m+1) over the groups. For the expectation all values that may be the minimum are met in order: given
that the j - 1 smaller values of a group are not hit, its j-th is not hit either with probability
(N - m - j + 1) / (N - j + 1), and the groups are independent. MAX is the same from the other side.
"""

from sqlglot import exp

from shoal.query.schema import GROUP
from shoal.query.scope import Scope
from shoal.query.syntax import in_group, parsed, same, select

MISSED = "(group_size - hits.hits - ranks.hits + 1) / (group_size - ranks.hits + 1)"


def extreme_bounds(value: exp.Expression, scope: Scope, smallest: bool) -> exp.Select:
    edges = _edges(scope.help(value), scope, smallest)
    chances = _chances(
        scope.add("missed", _missed(scope.help(value), edges, scope, smallest)), scope, smallest
    )
    totals = ("SUM(above * chance) AS above", "SUM(above * above * chance) AS square")
    moments = scope.add("moments", scope.keyed(scope.add("chances", chances)).select(*totals))
    return (
        select(
            *(f"{edges}.{name}" for name in scope.key_names), "lower", "lower + above AS expected", "upper"
        )
        .select("SQRT(GREATEST(square - above * above, 0)) AS sd", dialect="duckdb")
        .from_(edges)
        .join(moments, on=same(edges, moments, scope.key_names) or exp.true())
    )


def _edges(help: str, scope: Scope, smallest: bool) -> str:
    name, function = ("min", "MIN") if smallest else ("max", "MAX")
    ends = (f"{function}({name}_lower) AS lower", f"{function}({name}_upper) AS upper")
    return scope.add("edges", scope.met(help).select(*ends, dialect="duckdb"))


def _missed(help: str, edges: str, scope: Scope, smallest: bool) -> exp.Select:
    """Each value that may be the extreme, with the probability that it and all before it are not hit."""
    value, order = ("max_lower", "max_lower") if smallest else ("min_upper", "min_upper DESC")
    keys = ", ".join(f"hits.{name}" for name in scope.key_names)
    window = f"{'PARTITION BY ' + keys if keys else ''} ORDER BY ranks.{order}, hits.{GROUP}, ranks.hits"
    within = f"ranks.{value} <= {edges}.upper" if smallest else f"ranks.{value} >= {edges}.lower"
    possible = exp.and_(in_group("ranks"), parsed("ranks.hits <= group_size - hits.hits + 1"))
    return (
        select(*(f"hits.{name}" for name in scope.key_names), f"hits.{GROUP}", "ranks.hits AS place")
        .select(f"CAST(ranks.{value} - {edges}.lower AS DOUBLE) AS above", dialect="duckdb")
        .select(f"PRODUCT({MISSED}) OVER ({window} ROWS UNBOUNDED PRECEDING) AS missed", dialect="duckdb")
        .from_("hits")
        .join(f"{help} AS ranks", on=possible)
        .join(edges, on=exp.and_(same("hits", edges, scope.key_names) or exp.true(), parsed(within)))
    )


def _chances(missed: str, scope: Scope, smallest: bool) -> exp.Select:
    """The probability that each value is the extreme."""
    keys = ", ".join(scope.key_names)
    order = "above" if smallest else "above DESC"
    window = f"{'PARTITION BY ' + keys if keys else ''} ORDER BY {order}, {GROUP}, place"
    before = f"LAG(missed, 1, 1) OVER ({window})"
    return (
        select(*scope.key_names, "above")
        .select(f"{before} - missed AS chance", dialect="duckdb")
        .from_(missed)
    )
