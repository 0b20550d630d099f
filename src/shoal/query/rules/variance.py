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

from shoal.query.rules.sum import VARIANCE
from shoal.query.scope import Scope
from shoal.query.syntax import in_group, parsed, same, select

POPULATION = (exp.VariancePop, exp.StddevPop)
ROUNDING = 1e-12
ROOT = (exp.Stddev, exp.StddevSamp, exp.StddevPop)


def variance_bounds(call: exp.Expression, scope: Scope) -> exp.Select:
    help = scope.help(call.this)
    moments = scope.add("spread", _moments(help, scope))
    nearest = scope.add("nearest", _least(_sweep(help, scope, nearest=True), moments, scope, nearest=True))
    farthest = scope.add(
        "farthest", _least(_sweep(help, scope, nearest=False), moments, scope, nearest=False)
    )
    over = "size" if isinstance(call, POPULATION) else "NULLIF(size - 1, 0)"
    is_root = isinstance(call, ROOT)
    statement = select(*(f"{moments}.{name}" for name in scope.key_names)).select(
        f"{_figure('squares', nearest, over, is_root)} AS lower",
        "CAST(NULL AS DOUBLE) AS expected" if is_root else f"{moments}.squares / {over} AS expected",
        f"{_figure('squares', farthest, over, is_root)} AS upper",
        "CAST(NULL AS DOUBLE) AS sd",
        dialect="duckdb",
    )
    return (
        statement.from_(moments)
        .join(nearest, on=same(moments, nearest, scope.key_names) or exp.true())
        .join(farthest, on=same(moments, farthest, scope.key_names) or exp.true())
    )


def _figure(name: str, table: str, over: str, root: bool) -> str:
    figure = f"{table}.{name} / {over}"
    return f"SQRT({figure})" if root else figure


def _centre(help: str) -> str:
    """Numbers near 0 keep their digits when they are squared."""
    return f"(SELECT AVG(mean) FROM {help})"


def _moments(help: str, scope: Scope) -> exp.Select:
    """Hits, and the expected sum of squared deviations: E[Q] - E[S]^2 / M - Var(S) / M."""
    mean = f"(mean - {_centre(help)})"
    total = f"SUM(hits * {mean})"
    squares = f"SUM(hits * (variance + {mean} * {mean})) - ({VARIANCE} + {total} * {total}) / SUM(hits)"
    return scope.met(help).select("SUM(hits) AS size", f"{squares} AS squares", dialect="duckdb")


def _sweep(help: str, scope: Scope, nearest: bool) -> str:
    """Where choices change as the centre moves up, and by how much their sum and sum of squares change."""
    keys = [f"hits.{name}" for name in scope.key_names]
    first, second = (
        f"(CAST({table}.max_lower AS DOUBLE) - {_centre(help)})" for table in ("first", "second")
    )
    shift = "hits.hits" if nearest else "first.group_size - hits.hits"
    last = "first.group_size - hits.hits" if nearest else "hits.hits"
    sign = "" if nearest else "-"
    start = f"first.hits <= {shift}" if nearest else f"first.hits > {shift}"
    started = (
        select(
            *keys, "CAST('-infinity' AS DOUBLE) AS place", f"{first} AS gain", f"{first} * {first} AS square"
        )
        .from_("hits")
        .join(f"{help} AS first", on=exp.and_(in_group("first"), parsed(start)))
    )
    moved = (
        select(
            *keys,
            f"({first} + {second}) / 2 AS place",
            f"{sign}({second} - {first}) AS gain",
            f"{sign}({second} * {second} - {first} * {first}) AS square",
        )
        .from_("hits")
        .join(f"{help} AS first", on=exp.and_(in_group("first"), parsed(f"first.hits <= {last}")))
        .join(
            f"{help} AS second",
            on=exp.and_(in_group("second"), parsed(f"second.hits = first.hits + {shift}")),
        )
    )
    steps = scope.add("steps", started.union(moved, distinct=False))
    summed = select(*scope.key_names, "place", "SUM(gain) AS gain", "SUM(square) AS square").from_(steps)
    return scope.add("sweep", summed.group_by(*scope.key_names, "place"))


def _least(sweep: str, moments: str, scope: Scope, nearest: bool) -> exp.Select:
    keys = ", ".join(f"{sweep}.{name}" for name in scope.key_names)
    window = f"({'PARTITION BY ' + keys if keys else ''} ORDER BY place)"
    states = (
        select(*(f"{sweep}.{name}" for name in scope.key_names), "size", "place")
        .select(f"SUM(gain) OVER {window} AS total", f"SUM(square) OVER {window} AS square", dialect="duckdb")
        .select(f"LEAD(place, 1, CAST('infinity' AS DOUBLE)) OVER {window} AS until", dialect="duckdb")
        .from_(sweep)
        .join(moments, on=same(sweep, moments, scope.key_names) or exp.true())
    )
    table = scope.add("states", states)
    centre = "total / size" if nearest else "LEAST(GREATEST(total / size, place), until)"
    squares = f"square - 2 * {centre} * total + size * {centre} * {centre}"
    room = f"{'-' if nearest else '+'} {ROUNDING} * square"
    return scope.keyed(table).select(f"GREATEST(MIN({squares} {room}), 0) AS squares", dialect="duckdb")
