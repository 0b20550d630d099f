"""MIN and MAX: one end is the extreme value of the hit groups, the other what remains unavoidable.

A group of N with m hits surely holds one of its N - m + 1 smallest values: MIN is at most the smallest
x_(N-m+1) over the groups. For the expectation the values between the two ends are met in order: given
that the j - 1 smaller values of a group are not hit, its j-th is not hit either with probability
(N - m - j + 1) / (N - j + 1), and the groups are independent. MAX is the same from the other side.
"""

from sqlglot import exp

from shoal.query.cell import Cell, cell
from shoal.query.lists import Lists
from shoal.query.schema import GROUP
from shoal.query.scope import HITS, Scope
from shoal.query.syntax import parsed, select, window

SMALLEST = -700  # EXP of less is 0, or an error


def extreme_bounds(value: exp.Expression, scope: Scope, smallest: bool) -> Cell:
    lists = scope.lists(value)
    lower, upper = _edges(lists, scope, smallest)
    missed = scope.step("missed", _missed(_possible(lists, (lower, upper), scope, smallest), scope, smallest))
    before = f"LAG(missed, 1, 1) OVER {window(scope.key_names, 'step', rows=False)}"
    chances = select(*scope.key_names, "above", f"{before} - missed AS chance").from_(missed)
    moments = scope.keyed(scope.step("chances", chances)).select(
        "SUM(above * chance) AS above", "SUM(above * above * chance) AS square", dialect="duckdb"
    )
    table = scope.end("extreme", moments)
    sd = f"SQRT(GREATEST({table}.square - {table}.above * {table}.above, 0))"
    return cell(lower, f"{lower} + {table}.above", upper, sd)


def _edges(lists: Lists, scope: Scope, smallest: bool) -> tuple[str, str]:
    met = scope.met(lists)
    if smallest:
        unavoidable = f"MIN({lists.at(f'{lists.size} - hits.hits + 1')})"
        return met.add("min_lower", f"MIN({lists.at('1')})"), met.add("min_upper", unavoidable)
    unavoidable = f"MAX({lists.at('hits.hits')})"
    return met.add("max_lower", unavoidable), met.add("max_upper", f"MAX({lists.at(lists.size)})")


def _possible(lists: Lists, edges: tuple[str, str], scope: Scope, smallest: bool) -> exp.Select:
    """Each value that may be the extreme."""
    lower, upper = edges
    ends = scope.joined(HITS, lower.split(".")[0]).select(
        f"hits.{GROUP}", "hits.hits", f"{lower} AS lower", f"{upper} AS upper", dialect="duckdb"
    )
    reach = scope.step("reach", ends)
    size, hits = lists.size, f"{reach}.hits"
    values = lists.between("1", f"{size} - {hits} + 1") if smallest else lists.between(hits, size)
    near = f"{lists.at('1')} <= {reach}.upper" if smallest else f"{lists.at(size)} >= {reach}.lower"
    found = (
        scope.beside(lists, reach)
        .select(f"{reach}.{GROUP}", f"{hits} AS hits", f"{size} AS group_size", dialect="duckdb")
        .select(f"{reach}.lower", f"{reach}.upper", f"{values} AS value", dialect="duckdb")
        .where(parsed(near))
    )
    order = "value" if smallest else "value DESC"
    place = f"ROW_NUMBER() OVER {window((*scope.key_names, GROUP), order)} AS place"
    return (
        select("*", place)
        .from_(found.subquery("found"))
        .where("value <= upper" if smallest else "value >= lower")
    )


def _missed(possible: exp.Select, scope: Scope, smallest: bool) -> exp.Select:
    """The probability that a value and all before it are not hit; it is 0 from an unavoidable one on."""
    order = window(scope.key_names, f"{'value' if smallest else 'value DESC'}, {GROUP}, place")
    ratio = "CAST(group_size - hits - place + 1 AS DOUBLE) / (group_size - place + 1)"
    avoidable = "place <= group_size - hits"
    sure = f"SUM(CASE WHEN {avoidable} THEN 0 ELSE 1 END) OVER {order}"
    chance = f"EXP(GREATEST(SUM(CASE WHEN {avoidable} THEN LN({ratio}) ELSE 0 END) OVER {order}, {SMALLEST}))"
    return select(
        *scope.key_names,
        "CAST(value - lower AS DOUBLE) AS above",
        f"ROW_NUMBER() OVER {order} AS step",
        f"CASE WHEN {sure} > 0 THEN 0 ELSE {chance} END AS missed",
    ).from_(possible.subquery("possible"))
