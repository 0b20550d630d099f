"""MIN and MAX: one end is the extreme value of the hit groups, the other what remains unavoidable.

A group of N with m hits surely holds one of its N - m + 1 smallest values: MIN is at most the smallest
x_(N-m+1) over the groups. For the expectation the values between the two ends are met in order: given
that the j - 1 smaller values of a group are not hit, its j-th is hit with probability m / (N - j + 1), and
the groups are independent. MAX is the same from the other side.
"""

from sqlglot import exp

from shoal.query.cell import Cell, cell
from shoal.query.lists import Lists
from shoal.query.schema import GROUP
from shoal.query.scope import HITS, Scope
from shoal.query.syntax import parsed, select, window

HIT = "CAST(hits AS DOUBLE) / (group_size - place + 1)"
IMPOSSIBLE = -700  # the logarithm of next to nothing; that of 0 does not exist


def extreme_bounds(value: exp.Expression, scope: Scope, smallest: bool) -> Cell:
    lists = scope.lists(value)
    lower, upper = _edges(lists, scope, smallest)
    possible = _possible(lists, lower, upper, scope, smallest)
    moments = scope.keyed(scope.step("chances", _chances(possible, scope, smallest))).select(
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


def _possible(lists: Lists, lower: str, upper: str, scope: Scope, smallest: bool) -> exp.Select:
    """Each value that may be the extreme, and its place from the extreme end of its group."""
    ends = scope.joined(HITS, lower.split(".")[0]).select(
        f"hits.{GROUP}", "hits.hits", f"{lower} AS lower", f"{upper} AS upper", dialect="duckdb"
    )
    reach = scope.step("reach", ends)
    size, hits = lists.size, f"{reach}.hits"
    rest = f"{size} - {hits} + 1"
    values = lists.between("1", rest) if smallest else lists.between(hits, size)
    near = f"{lists.at('1')} <= {reach}.upper" if smallest else f"{lists.at(size)} >= {reach}.lower"
    return (
        scope.beside(lists, reach)
        .select(f"{reach}.{GROUP}", f"{hits} AS hits", f"{size} AS group_size", dialect="duckdb")
        .select(f"{reach}.lower", f"{reach}.upper", f"{values} AS value", dialect="duckdb")
        .select(f"UNNEST(GENERATE_SERIES(1, {rest})) AS number", dialect="duckdb")
        .where(parsed(near))
    )


def _chances(possible: exp.Select, scope: Scope, smallest: bool) -> exp.Select:
    """The probability that each value is the extreme: it is hit, and those before it are not."""
    place = "number" if smallest else "group_size - hits + 2 - number"
    found = (
        select(*scope.key_names, GROUP, "hits", "group_size", "lower", "value", f"{place} AS place")
        .from_(possible.subquery("possible"))
        .where("value <= upper" if smallest else "value >= lower")
    )
    order = window(scope.key_names, f"{'value' if smallest else 'value DESC'}, {GROUP}, place", rows=False)
    before = order.replace(")", " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)")
    missed = f"CASE WHEN place > group_size - hits THEN {IMPOSSIBLE} ELSE LN(1 - {HIT}) END"
    none = f"EXP(GREATEST(COALESCE(SUM({missed}) OVER {before}, 0), {IMPOSSIBLE}))"
    return select(
        *scope.key_names, "CAST(value - lower AS DOUBLE) AS above", f"{none} * {HIT} AS chance"
    ).from_(found.subquery("found"))
