"""VAR and STDDEV: the exact lower bound, and a safe upper one.

The squared deviations of a choice from its own mean are the least over all centres c. So the smallest
variance is found by moving c along the line while each group gives the m values nearest to c: a window that
moves on by one value where c passes the middle between the value it loses and the one it gains. Every
position of the windows is a choice, and the best one is met. For the upper bound each group gives the m
values farthest from c, and the least such total over all c is at least the largest variance.
In both cases the best c is a mean of choices, so it lies between the bounds of AVG: groups whose window does
not move between these need not be followed.
The expectation of the variance is exact; that of its root is not told. Squares of real numbers are
rounded: the bounds leave room for that (``ROUNDING`` of the ``weight``, all squares that were added or taken
away until then).
"""

from sqlglot import exp

from shoal.query.permuted.cell import Cell, bounds, cell
from shoal.query.permuted.lists import Lists
from shoal.query.permuted.rules.sum import sampled_variance, sum_figures
from shoal.query.permuted.scope import HITS, Scope
from shoal.query.schema import GROUP
from shoal.query.syntax import UNKNOWN, select, window

POPULATION = (exp.VariancePop, exp.StddevPop)
ROUNDING = 1e-12
MARGIN = 1e-9  # around the bounds of the mean, which are rounded too
WIDE = "CAST(0 AS DECIMAL(38, 0))"
ROOT = (exp.Stddev, exp.StddevSamp, exp.StddevPop)


def variance_bounds(call: exp.Expression, scope: Scope) -> Cell:
    """The bounds of a variance and its expectation, or of a standard deviation without one."""
    lists = scope.lists(call.this)
    nearest, farthest = (
        scope.end("squares", _least(_sweep(lists, scope, nearest), scope, nearest))
        for nearest in (True, False)
    )
    over = scope.size if isinstance(call, POPULATION) else f"NULLIF({scope.size} - 1, 0)"
    lower, upper = (f"{table}.squares / {over}" for table in (nearest, farthest))
    if isinstance(call, ROOT):
        return bounds(f"SQRT({lower})", f"SQRT({upper})")
    return cell(lower, f"{_expected(lists, scope)} / {over}", upper, UNKNOWN)


def _reach(lists: Lists, scope: Scope) -> str:
    """The hit groups, and between what centres their choices are followed.

    Values are taken from ``centre``, one of them, before they are rounded to floats: numbers near 0 keep
    their digits when they are squared. It is as wide as numbers can be, so that no distance is too large.
    """
    met = scope.hit_groups(lists)
    lower, _, upper, _ = sum_figures(lists, scope)
    size = met.add("hits", "SUM(hits.hits)")
    mean, width = f"{lower} / {size}", f"({upper} - {lower}) / {size}"
    middle = lists.at(f"({lists.size} + 1) // 2")
    centre = met.add("centre", f"QUANTILE_DISC({middle}, 0.5) + {WIDE}")
    margin = f"{MARGIN} * (ABS({mean}) + {width})"
    ends = scope.joined(HITS, met.name).select(
        f"hits.{GROUP}",
        "hits.hits",
        f"{centre} AS centre",
        f"{mean} - {centre} - {margin} AS since",
        f"{mean} - {centre} + {width} + {margin} AS until",
        dialect="duckdb",
    )
    return scope.step("reach", ends)


def _expected(lists: Lists, scope: Scope) -> str:
    """The expected sum of squared deviations: E[Q] - E[S]^2 / M - Var(S) / M."""
    reach = _reach(lists, scope)
    hits, mean = f"{reach}.hits", f"({lists.mean} - {reach}.centre)"
    total = f"SUM({hits} * {mean})"
    spread = f"({sampled_variance(lists, hits)} + {total} * {total}) / SUM({hits})"
    squares = f"SUM({hits} * ({lists.variance} + {mean} * {mean})) - {spread}"
    figures = scope.join_lists(lists, reach, keyed=True).select(f"{squares} AS squares", dialect="duckdb")
    return f"{scope.end('spread', figures)}.squares"


def _sweep(lists: Lists, scope: Scope, nearest: bool) -> str:
    """Where choices change as the centre moves up, and by how much their sum and sum of squares change."""
    windows = _windows(lists, scope, nearest)
    start, hits, followed, shift = (f"{windows}.{name}" for name in ("start", "hits", "followed", "shift"))
    rows = scope.join_lists(lists, windows).select("centre", "since", "until", dialect="duckdb")
    values, times = lists.counts_between(f"{start} + 1", f"{start} + {hits}")
    given = rows.select(f"{values} AS first", f"{times} AS times", dialect="duckdb")
    moved = rows.select(
        f"{lists.between('1', followed)} AS first",
        f"{lists.between(f'{shift} + 1', f'{shift} + {followed}')} AS second",
        dialect="duckdb",
    )
    first, second = (_distance(name) for name in ("first", "second"))
    sign = "" if nearest else "-"
    begin = select(
        *scope.key_names,
        "since AS place",
        "until",
        f"times * {first} AS gain",
        f"times * {first} * {first} AS square",
        f"times * {first} * {first} AS weight",
    )
    steps = select(
        *scope.key_names,
        f"GREATEST({_middle('first', 'second')}, since) AS place",
        "until",
        f"{sign}({second} - {first}) AS gain",
        f"{sign}({second} * {second} - {first} * {first}) AS square",
        f"{second} * {second} + {first} * {first} AS weight",
    )
    both = begin.from_(given.subquery("given")).union(steps.from_(moved.subquery("moved")), distinct=False)
    sums = (*(f"SUM({name}) AS {name}" for name in ("gain", "square", "weight")), "MIN(until) AS until")
    summed = select(*scope.key_names, "place", *sums).from_(scope.step("moves", both)).where("place <= until")
    return scope.step("sweep", summed.group_by(*scope.key_names, "place"))


def _windows(lists: Lists, scope: Scope, nearest: bool) -> str:
    """After which value the choice of each group starts, and how often it moves on: the i-th value is
    exchanged for the one ``shift`` places later."""
    reach = _reach(lists, scope)
    hits, rest = f"{reach}.hits", f"({lists.size} - {reach}.hits)"
    shift, moves = (hits, rest) if nearest else (rest, hits)
    done = f"{_middle(lists.at(moves), lists.at(lists.size))} < since"
    ahead = f"{_middle(lists.at('1'), lists.at(f'1 + {shift}'))} > until"
    lowest, highest = ("0", rest) if nearest else (rest, "0")
    figures = {
        "start": f"CASE WHEN {done} THEN {highest} ELSE {lowest} END",
        "followed": f"CASE WHEN {done} OR {ahead} THEN 0 ELSE {moves} END",
        "shift": shift,
    }
    named = (f"{text} AS {name}" for name, text in figures.items())
    kept = (f"{reach}.{name}" for name in (GROUP, "hits", "centre", "since", "until"))
    return scope.step("windows", scope.join_lists(lists, reach).select(*kept, *named, dialect="duckdb"))


def _distance(value: str) -> str:
    return f"CAST({value} - centre AS DOUBLE)"


def _middle(first: str, second: str) -> str:
    """Where the centre is as near to one value as to the other."""
    return f"({_distance(first)} + {_distance(second)}) / 2"


def _least(sweep: str, scope: Scope, nearest: bool) -> exp.Select:
    keys = tuple(f"{sweep}.{name}" for name in scope.key_names)
    over = f"OVER {window(keys, 'place')}"
    until = f"COALESCE(LEAD(place) OVER {window(keys, 'place', rows=False)}, until) AS until"
    states = scope.joined(sweep, "met").select(
        f"{scope.size} AS size",
        "place",
        f"SUM(gain) {over} AS total",
        f"SUM(square) {over} AS square",
        f"SUM(weight) {over} AS weight",
        until,
        dialect="duckdb",
    )
    table = scope.step("states", states)
    centre = "(total / size)" if nearest else "LEAST(GREATEST(total / size, place), until)"
    squares = f"square - 2 * {centre} * total + size * {centre} * {centre}"
    room = f"{'-' if nearest else '+'} {ROUNDING} * weight"
    return scope.keyed(table).select(f"GREATEST(MIN({squares} {room}), 0) AS squares", dialect="duckdb")
