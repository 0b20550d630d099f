"""MIN and MAX: one end is the extreme value of the hit groups, the other what remains unavoidable.

A group of N with m hits surely holds one of its N - m + 1 smallest values: MIN is at most the smallest
x_(N-m+1) over the groups. For the expectation the values between the two ends are met in order: given
that the j - 1 smaller values of a group are missed, its j-th is missed with probability 1 - m / (N - j + 1),
and the groups are independent. The product of these is the chance that MIN lies beyond a value. The steps
from each value to the next, times this chance, add up to what MIN is expected to be above its lower end, and
the steps of the squares to its square. MAX is the same from the other side, and shares the tables.
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, cell
from shoal.query.permuted.lists import Lists
from shoal.query.permuted.scope import HITS, Pass, Scope
from shoal.query.syntax import equal_columns, select, trusted_sql, window

NEXT_TO_NOTHING = -700  # as a logarithm; smaller ones have no power


def min_or_max_bounds(value: exp.Expression, scope: Scope, smallest: bool) -> Cell:
    """The bounds, expectation and deviation of the smallest or the largest value."""
    lists = scope.lists(value)
    lower, upper = _edges(lists, scope, smallest)
    mean, square = _moments(lists, lower, upper, scope, smallest)
    way = f"COALESCE({mean}, 0)"
    expected = f"{lower} + {way}" if smallest else f"{upper} - {way}"
    return cell(lower, expected, upper, f"SQRT(GREATEST({square} - {mean} * {mean}, 0))")


def _edges(lists: Lists, scope: Scope, smallest: bool) -> tuple[str, str]:
    met = scope.hit_groups(lists)
    if smallest:
        unavoidable = f"MIN({lists.at(f'{lists.size} - hits.hits + 1')})"
        return met.add("min_lower", f"MIN({lists.at('1')})"), met.add("min_upper", unavoidable)
    unavoidable = f"MAX({lists.at('hits.hits')})"
    return met.add("max_lower", unavoidable), met.add("max_upper", f"MAX({lists.at(lists.size)})")


def _moments(lists: Lists, lower: str, upper: str, scope: Scope, smallest: bool) -> tuple[str, str]:
    """How far the extreme is expected to be from its outer end, and the square of that."""
    near = _near(lists, scope)
    near.where.append(
        trusted_sql(f"{lists.at('1')} < {upper}" if smallest else f"{lists.at(lists.size)} > {lower}")
    )
    far = near.add("far", f"CAST({_distance(lists, lower, upper, smallest)} AS DOUBLE)")
    width = near.add("width", f"CAST({upper} - {lower} AS DOUBLE)")
    hit = f"{near.add('hits', 'hits.hits')} / {near.add('rest', _rest(lists, smallest))}"
    steps = scope.grow(f"steps_{lists.table}", select(*scope.key_names).from_(near.name))
    steps.where.append(trusted_sql(f"{far} < {width}"))
    over = f"OVER {window(scope.key_names, far, rows=False)}"  # equal values are missed together
    missed = f"SUM(LN(1 - {hit})) {over}"
    beyond = steps.add("beyond", f"EXP(GREATEST({missed}, {NEXT_TO_NOTHING}))")
    since = steps.add("since", far)
    until = steps.add("until", f"LEAD({far}, 1, {width}) {over}")
    ends = scope.grow(f"extremes_{lists.table}", scope.keyed(steps.name), end=True)
    return (
        ends.add("mean", f"SUM(({until} - {since}) * {beyond})"),
        ends.add("square", f"SUM(({until} * {until} - {since} * {since}) * {beyond})"),
    )


def _near(lists: Lists, scope: Scope) -> Pass:
    """The avoidable values of the groups that reach between the ends of an extreme."""
    met = scope.hit_groups(lists).name
    groups = scope.join_lists(lists, HITS).join(met, on=equal_columns(HITS, met, scope.key_names))
    return scope.grow(f"near_{lists.table}", groups)


def _distance(lists: Lists, lower: str, upper: str, smallest: bool) -> str:
    """The distance from the outer end; what lies beyond the inner one counts as that."""
    if smallest:
        return f"LEAST({lists.between('1', f'{lists.size} - hits.hits')}, {upper}) - {lower}"
    return f"{upper} - GREATEST({lists.between('hits.hits + 1', lists.size)}, {lower})"


def _rest(lists: Lists, smallest: bool) -> str:
    """How many values of the group are left to be hit, this one among them."""
    if smallest:
        return f"UNNEST(GENERATE_SERIES({lists.size}, hits.hits + 1, -1))"
    return f"UNNEST(GENERATE_SERIES(hits.hits + 1, {lists.size}))"
