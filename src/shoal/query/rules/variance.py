"""VAR and STDDEV: the exact lower bound, and a safe upper one.

The squared deviations of a choice from its own mean are the least over all centres c. So the smallest
variance is found by moving c along the line while each group gives the m values nearest to c: a window that
moves on by one value where c passes the middle between the value it loses and the one it gains. Every
position of the windows is a choice, and the best one is met. For the upper bound each group gives the m
values farthest from c, and the least such total over all c is at least the largest variance.
The expectation of the variance is exact; that of its root is not told. Squares of real numbers are
rounded: the bounds leave room for that (``ROUNDING`` of the sum of squares).
"""

from sqlglot import exp

from shoal.query.cell import Cell, bounds, cell
from shoal.query.lists import Lists
from shoal.query.rules.sum import sampled_variance
from shoal.query.scope import HITS, Scope
from shoal.query.syntax import UNKNOWN, select, window

POPULATION = (exp.VariancePop, exp.StddevPop)
ROUNDING = 1e-12
ROOT = (exp.Stddev, exp.StddevSamp, exp.StddevPop)


def variance_bounds(call: exp.Expression, scope: Scope) -> Cell:
    lists = scope.lists(call.this)
    nearest, farthest = (
        scope.end("squares", _least(_sweep(lists, scope, nearest), scope, nearest))
        for nearest in (True, False)
    )
    over = f"NULLIF({scope.total}{'' if isinstance(call, POPULATION) else ' - 1'}, 0)"
    lower, upper = (f"{table}.squares / {over}" for table in (nearest, farthest))
    if isinstance(call, ROOT):
        return bounds(f"SQRT({lower})", f"SQRT({upper})")
    return cell(lower, f"{_expected(lists, scope)} / {over}", upper, UNKNOWN)


def _centre(lists: Lists) -> str:
    """Numbers near 0 keep their digits when they are squared."""
    return f"(SELECT AVG({lists.mean}) FROM {lists.table})"


def _expected(lists: Lists, scope: Scope) -> str:
    """The expected sum of squared deviations: E[Q] - E[S]^2 / M - Var(S) / M."""
    mean = f"({lists.mean} - {_centre(lists)})"
    total = f"SUM(hits.hits * {mean})"
    spread = f"({sampled_variance(lists)} + {total} * {total}) / SUM(hits.hits)"
    squares = f"SUM(hits.hits * ({lists.variance} + {mean} * {mean})) - {spread}"
    return scope.met(lists).add("squares", squares)


def _sweep(lists: Lists, scope: Scope, nearest: bool) -> str:
    """Where choices change as the centre moves up, and by how much their sum and sum of squares change."""
    size, hits = lists.size, "hits.hits"
    rest = f"{size} - {hits}"
    given = ("1", hits) if nearest else (f"{rest} + 1", size)
    moves = rest if nearest else hits  # the i-th value is exchanged for the one at i + shift
    shift = hits if nearest else rest
    sign = "" if nearest else "-"
    first, second = (f"(CAST({name} AS DOUBLE) - {_centre(lists)})" for name in ("first", "second"))
    started = scope.beside(lists, HITS).select(f"{lists.between(*given)} AS first", dialect="duckdb")
    moved = scope.beside(lists, HITS).select(
        f"{lists.between('1', moves)} AS first",
        f"{lists.between(f'{shift} + 1', f'{shift} + {moves}')} AS second",
        dialect="duckdb",
    )
    begin = select(
        *scope.key_names,
        "CAST('-infinity' AS DOUBLE) AS place",
        f"{first} AS gain",
        f"{first} * {first} AS square",
    ).from_(started.subquery("started"))
    steps = select(
        *scope.key_names,
        f"({first} + {second}) / 2 AS place",
        f"{sign}({second} - {first}) AS gain",
        f"{sign}({second} * {second} - {first} * {first}) AS square",
    ).from_(moved.subquery("moved"))
    table = scope.step("moves", begin.union(steps, distinct=False))
    summed = select(*scope.key_names, "place", "SUM(gain) AS gain", "SUM(square) AS square").from_(table)
    return scope.step("sweep", summed.group_by(*scope.key_names, "place"))


def _least(sweep: str, scope: Scope, nearest: bool) -> exp.Select:
    keys = tuple(f"{sweep}.{name}" for name in scope.key_names)
    over = f"OVER {window(keys, 'place')}"
    until = f"LEAD(place, 1, CAST('infinity' AS DOUBLE)) OVER {window(keys, 'place', rows=False)} AS until"
    states = scope.joined(sweep, "met").select(
        f"{scope.total} AS size",
        "place",
        f"SUM(gain) {over} AS total",
        f"SUM(square) {over} AS square",
        until,
        dialect="duckdb",
    )
    table = scope.step("states", states)
    centre = "(total / size)" if nearest else "LEAST(GREATEST(total / size, place), until)"
    squares = f"square - 2 * {centre} * total + size * {centre} * {centre}"
    room = f"{'-' if nearest else '+'} {ROUNDING} * square"
    return scope.keyed(table).select(f"GREATEST(MIN({squares} {room}), 0) AS squares", dialect="duckdb")
