"""Figures 15 to 17 of the query answering paper: the time of a rewritten query, and of partitioning."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, cast

import duckdb
import numpy as np
import pyarrow as pa

from query_rivals import quadratic_min_sum
from query_shapes import BOUNDS, HITS, LINEAR, PLAIN, PRINTED, REWRITTEN, groups_claim, scaling, time_beside
from query_tables import AGE, AGES, LOSS, LOSSES, SEED, column, correlated
from results import Figure
from shoal.arrays import Ints
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.min_sum import min_sum
from shoal.query.answer import answer
from shoal.query.permuted.database import open_database
from shoal.query.schema import GROUP, Schema
from shoal.report.charts.loss_charts import Point

VARIANCE = 10  # chosen to give as many groups as the paper prints, which does not say how its table was drawn
DRAWS = 10
K = 20
PICKED = 30  # percent of each group
PRINTED_GROUPS = 38
NAME = "capital_loss"
SCALED_K, SCALED_E = 4, 100
RUNS = 5  # of partitioning; the fastest counts


@dataclass
class Listener:
    """A connection that remembers the statement it was given."""

    connection: duckdb.DuckDBPyConnection
    heard: str = ""

    def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
        self.heard = statement
        return self.connection.execute(statement)


def groups_of(values: Ints) -> Ints:
    groups = min_sum(values, K, 0, seeded_key(SEED))
    if groups is None:
        sys.exit("error: the timed table has too few different capital losses")
    return groups


def numbers_of_groups(rows: int) -> list[int]:
    """In several tables that differ by the draw alone."""
    tables = (correlated(rows, VARIANCE, SEED + draw) for draw in range(DRAWS))
    return [len(np.unique(groups_of(column(table, LOSS)))) for table in tables]


def timed_table(rows: int) -> pa.Table:
    """A permuted table; ``part`` is how far up a row's group is, ``pick`` its place in the group, in %."""
    census = correlated(rows, VARIANCE)
    values = column(census, LOSS)
    groups = groups_of(values)
    order = np.lexsort((np.random.default_rng(SEED).random(rows), groups))
    sizes = np.bincount(groups)
    place = np.empty(rows, np.int64)
    place[order] = np.arange(rows) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return pa.table({
        AGE: column(census, AGE), "part": groups * 100 // len(sizes), "pick": place * 100 // sizes[groups],
        NAME: values, GROUP: groups,
    })  # fmt: skip


def query_times(
    connection: duckdb.DuckDBPyConnection, schema: Schema, where: str, repeats: int
) -> dict[str, float]:
    """Milliseconds of a plain query and of its rewritten one, the median of some; all on an open connection.

    The second step is what the rewritten statement takes longer than the first one alone.
    """
    sql = f"SELECT avg({NAME}) FROM data WHERE {where}"  # noqa: S608
    listener = Listener(connection)
    answer(cast(duckdb.DuckDBPyConnection, listener), schema, sql)
    hits = f"SELECT {GROUP}, count(*) FROM data WHERE {where} GROUP BY {GROUP}"  # noqa: S608
    statements = {PLAIN: sql, HITS: hits, REWRITTEN: listener.heard}
    times = {
        name: float(np.median(milliseconds(partial(_fetch, connection, statement), repeats)))
        for name, statement in statements.items()
    }
    times[BOUNDS] = max(times[REWRITTEN] - times[HITS], 0.0)
    whole = milliseconds(partial(answer, connection, schema, sql), repeats)
    return times | {"answer(), rewriting included": float(np.median(whole))}


def _fetch(connection: duckdb.DuckDBPyConnection, statement: str) -> list[Any]:
    return connection.execute(statement).fetchall()


def milliseconds(work: Callable[[], object], repeats: int) -> list[float]:
    work()  # loading code is no part of any time
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(1_000 * (perf_counter() - start))
    return times


def time_figures(rows: int, parts: Sequence[int], spans: Sequence[int], repeats: int) -> list[Figure]:
    table = timed_table(rows)
    asked = open_database(table, [NAME])
    by_part = {part: f"part < {part} AND pick < {PICKED}" for part in parts}
    by_span = {span: f"{AGE} BETWEEN {AGES[0]} AND {AGES[0] + span}" for span in spans}
    points = [
        tuple(
            Point(series, x, time)
            for x, where in conditions.items()
            for series, time in query_times(*asked, where, repeats).items()
        )
        for conditions in (by_part, by_span)
    ]
    claim = groups_claim(numbers_of_groups(rows), PRINTED_GROUPS, "how its table was drawn is not known")
    made = f"{rows:,} rows, ({K}, 0)-anonymous by min sum"
    note = f"{made}; variance {VARIANCE} was chosen for the number of groups"
    title = f"Figure 15. Time of queries that pick {PICKED} % of some groups"
    return [
        Figure("figure-15", title, "% of groups", "milliseconds", points[0],
               (claim, *time_beside(points[0])), (note,)),
        Figure("figure-16", "Figure 16. Time of range queries", "span of ages", "milliseconds", points[1],
               tuple(time_beside(points[1]))),
    ]  # fmt: skip


def scaling_figure(sizes: Sequence[int], quadratic_up_to: int) -> Figure:
    random = np.random.default_rng(SEED)
    key = seeded_key(SEED)
    points = []
    for rows in sizes:
        losses = random.integers(*LOSSES, rows, endpoint=True)
        apart = random.integers(0, 1_000 * rows, rows)
        asked: dict[str, Callable[[], object]] = {
            LINEAR: partial(min_sum, losses, SCALED_K, SCALED_E, key),
            f"{LINEAR}, hardly a value twice": partial(min_sum, apart, SCALED_K, SCALED_E, key),
        }
        if rows <= quadratic_up_to:
            asked[PRINTED] = partial(quadratic_min_sum, np.sort(losses), SCALED_K, SCALED_E)
        points += [Point(series, rows, min(milliseconds(work, RUNS))) for series, work in asked.items()]
    note = f"k = {SCALED_K}, e = {SCALED_E}, capital losses drawn evenly"
    title = "Figure 17. Time of partitioning"
    return Figure("figure-17", title, "rows", "milliseconds", tuple(points), tuple(scaling(points)), (note,))
