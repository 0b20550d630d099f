"""Figures 6 to 17 of *Aggregate Query Answering on Anonymized Tables* (Zhang, Koudas, Srivastava, Yu).

    python experiments/query_answering.py [-o FOLDER] [--data FOLDER] [--quick]

How far apart the bounds of an average are on a generalized and on a permuted table, and by which rule its
groups were made; how long a rewritten query takes, and how long partitioning. What the paper says of its
figures is asked of ours. It prints k, e and the ends of some x axes; the other places, the numbers of queries
and how the synthetic tables are drawn are ours (``Plan``, ``query_tables.py``). Writes a chart per figure,
``results.json`` and ``results.md``.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from diversity import Census
from query_rivals import SwappedColumn, average_bounds, range_fits
from query_shapes import (
    DIVERSE,
    GENERALIZED,
    PERMUTED,
    RANDOM,
    SWAPPED,
    TIGHTEST,
    arbitrary_beside,
    arbitrary_partitions,
    correlation,
    groups_claim,
    growing_e,
    growing_k,
    range_partitions,
    ranges_beside,
    tightest,
)
from query_tables import (
    AGE,
    AGES,
    ALL_QUASI,
    LOSS,
    LOSSES,
    OLD,
    SEED,
    Classes,
    census_for,
    column,
    correlated,
    differences,
    diverse_classes,
    independent,
    mondrian_groups,
    without_the_oldest,
)
from query_times import VARIANCE, scaling_figure, time_figures
from real_tables import DATA
from results import Claim, Figure, write_results
from shoal.arrays import Ints
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.max_groups import max_groups
from shoal.methods.permutation.min_max import min_max
from shoal.methods.permutation.min_max_exact import min_max_exact
from shoal.methods.permutation.min_sum import min_sum
from shoal.methods.permutation.random_groups import random_groups
from shoal.report.charts.loss_charts import Point
from shoal.utility.workload import (
    PermutedColumn,
    Rows,
    arbitrary_queries,
    mean_error,
    relative_error,
    workload_error,
)

TITLE = "Aggregate query answering on anonymized tables"
PRINTED_GROUPS = 25
UNKNOWN = "the paper's hierarchies and which of the minimal tables it took are not known"
K, E = 4, 100
SPAN = 30
KEY = seeded_key(SEED)
PARTITIONS: dict[str, Callable[..., Ints | None]] = {
    "min max": min_max,
    "min sum": min_sum,
    "max groups": max_groups,
    RANDOM: random_groups,
    "min max exact": min_max_exact,  # not in the paper's figures
}


@dataclass(frozen=True)
class Plan:
    """Which parameters are tried, and how often."""

    shares: tuple[int, ...] = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90)  # percent of the rows
    spans: tuple[int, ...] = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
    variances: tuple[int, ...] = (1, 2, 5, 10, 15, 20, 25, 30)
    ks: tuple[int, ...] = (4, 10, 20, 30, 40)
    es: tuple[int, ...] = (40, 80, 120, 160, 200)
    parts: tuple[int, ...] = (20, 40, 60, 80, 100)  # percent of the groups
    timed_spans: tuple[int, ...] = (10, 20, 30, 40, 50)
    sizes: tuple[int, ...] = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000)
    quadratic_up_to: int = 10_000
    queries: int = 1_000  # arbitrary ones; range queries are all that fit between the ages
    matched: int = 40  # queries for the tightest bounds of a swapped table: each takes a matching
    rows: int = 1_427  # of the synthetic tables
    timed_rows: int = 10_000
    repeats: int = 41


QUICK = Plan(
    shares=(10, 50, 90), spans=(5, 20, 40), variances=(1, 5, 10, 20), ks=(4, 20), es=(40, 200),
    parts=(20, 100), timed_spans=(10, 50), sizes=(100, 1_000, 2_000, 10_000, 100_000), quadratic_up_to=2_000,
    queries=50, matched=5, rows=400, timed_rows=2_000, repeats=3,
)  # fmt: skip


# Queries and their errors


def arbitrary(rows: int, share: int, plan: Plan) -> list[Rows]:
    return list(arbitrary_queries(rows, share / 100, plan.queries, SEED))


def age_ranges(ages: Ints, span: int) -> list[tuple[int, int]]:
    """Every range of this span between the youngest and the oldest; the youngest's if there is none."""
    first, last = int(ages.min()), int(ages.max())
    return [(low, low + span) for low in range(first, max(first, last - span) + 1)]


def age_queries(ages: Ints, span: int) -> list[Rows]:
    return [np.flatnonzero((ages >= low) & (ages <= high)) for low, high in age_ranges(ages, span)]


def generalized_arbitrary_error(values: Ints, queries: Iterable[Rows]) -> float:
    """No row surely fits and every row may: the average is between the smallest and the largest value."""
    every = np.ones(len(values), np.bool_)
    bounds = average_bounds(values, ~every, every)
    return float(np.mean([(bounds.upper - bounds.lower) / values[picked].mean() for picked in queries]))


def generalized_error(values: Ints, classes: Classes, ages: Ints, span: int) -> float:
    """The mean error of AVG over all ranges of a span."""
    errors = []
    for (low, high), picked in zip(age_ranges(ages, span), age_queries(ages, span), strict=True):
        if len(picked):
            bounds = average_bounds(values, *range_fits(classes.low, classes.high, low, high))
            errors.append((bounds.upper - bounds.lower) / values[picked].mean())
    return float(np.mean(errors))


def partitions(values: Ints, k: int, e: int) -> dict[str, PermutedColumn]:
    """One permuted column per way to part the rows."""
    found = {name: part(values, k, e, KEY) for name, part in PARTITIONS.items()}
    return {name: PermutedColumn.of(groups, values) for name, groups in found.items() if groups is not None}


def points_at(
    x: float, columns: dict[str, PermutedColumn], swapped: SwappedColumn, queries: list[Rows], matched: int
) -> Iterator[Point]:
    """The mean error of every partition, and of the swapped column."""
    for name, permuted in columns.items():
        yield Point(name, x, workload_error(permuted, queries).mean)
    values = next(iter(columns.values())).values
    step = max(1, len(queries) // matched)
    for name, bounds, asked in (
        (SWAPPED, swapped.covered_bounds, queries),
        (TIGHTEST, swapped.bounds, queries[::step]),
    ):
        yield Point(name, x, mean_error([relative_error(bounds(rows), values[rows]) for rows in asked]).mean)


# Figures 6 to 11: the real table


def beside_figures(
    census: Census, quasi: Sequence[str], plan: Plan, first: int, claims: Callable[[int], Sequence[Claim]]
) -> list[Figure]:
    """The same partition generalized and permuted: arbitrary queries, then ranges of ages."""
    classes = diverse_classes(census, quasi)
    values, ages = column(census, LOSS), column(census, AGE)
    permuted = PermutedColumn.of(classes.groups, values)
    any_rows, ranges = [], []
    for share in plan.shares:
        queries = arbitrary(len(values), share, plan)
        any_rows.append(Point(GENERALIZED, share, generalized_arbitrary_error(values, queries)))
        any_rows.append(Point(PERMUTED, share, workload_error(permuted, queries).mean))
    for span in plan.spans:
        ranges.append(Point(GENERALIZED, span, generalized_error(values, classes, ages, span)))
        ranges.append(Point(PERMUTED, span, workload_error(permuted, age_queries(ages, span)).mean))
    which = f"{len(quasi)} quasi columns" if len(quasi) > 1 else "age alone is quasi"
    note = f"{classes.count} groups, a label stands for up to {classes.widest} ages"
    return [
        error_figure(first, f"Arbitrary queries, {which}", "% of rows picked", any_rows,
                     [*claims(classes.count), *arbitrary_beside(any_rows)], note),
        error_figure(first + 1, f"Range queries, {which}", "span of ages", ranges,
                     list(ranges_beside(ranges, any_rows)), note),
    ]  # fmt: skip


def partition_figures(census: Census, plan: Plan) -> list[Figure]:
    values, ages = column(census, LOSS), column(census, AGE)
    columns = {DIVERSE: PermutedColumn.of(diverse_classes(census, ALL_QUASI).groups, values)}
    columns |= partitions(values, K, E)
    columns["mondrian"] = PermutedColumn.of(mondrian_groups(census, ALL_QUASI), values)
    at = partial(points_at, columns=columns, swapped=swapped(values, K, E), matched=plan.matched)
    any_rows = [point for share in plan.shares
                for point in at(share, queries=arbitrary(len(values), share, plan))]  # fmt: skip
    ranges = [point for span in plan.spans for point in at(span, queries=age_queries(ages, span))]
    note = "groups: " + ", ".join(f"{name} {len(each.begins) - 1}" for name, each in columns.items())
    return [
        error_figure(10, "Partitions, arbitrary queries", "% of rows picked", any_rows,
                     list(arbitrary_partitions(any_rows)), tightest(any_rows), note),
        error_figure(11, "Partitions, range queries", "span of ages", ranges, list(range_partitions(ranges)),
                     tightest(ranges)),
    ]  # fmt: skip


def swapped(values: Ints, k: int, e: int) -> SwappedColumn:
    return SwappedColumn.of(values, k, e, np.random.default_rng(SEED))


def error_figure(
    number: int, title: str, x: str, points: Sequence[Point], claims: Sequence[Claim], *notes: str
) -> Figure:
    name, title = f"figure-{number:02}", f"Figure {number}. {title}"
    return Figure(name, title, x, "relative error", tuple(points), tuple(claims), notes)


# Figures 12 to 14: synthetic tables


def synthetic_figures(plan: Plan) -> list[Figure]:
    tables = {variance: correlated(plan.rows, variance) for variance in plan.variances}
    classes = {variance: diverse_classes(table, [AGE]) for variance, table in tables.items()}
    by_variance = [point for variance, table in tables.items()
                   for point in range_points(table, variance, K, E, plan, classes[variance])]  # fmt: skip
    table = independent(plan.rows)
    by_k = [point for k in plan.ks for point in range_points(table, k, k, 50, plan)]
    by_e = [point for e in plan.es for point in range_points(table, e, 10, e, plan)]
    widths = ", ".join(f"{each.widest} at {variance}" for variance, each in classes.items())
    return [
        error_figure(12, "Correlation of age and capital loss", "variance", by_variance,
                     list(correlation(by_variance)), tightest(by_variance),
                     f"ages in a label of {DIVERSE} by variance: {widths}"),
        error_figure(13, "Accuracy against k (e = 50)", "k", by_k, list(growing_k(by_k)), tightest(by_k)),
        error_figure(14, "Accuracy against e (k = 10)", "e", by_e, list(growing_e(by_e)), tightest(by_e)),
    ]  # fmt: skip


def range_points(
    census: Census, x: float, k: int, e: int, plan: Plan, classes: Classes | None = None
) -> Iterator[Point]:
    values = column(census, LOSS)
    columns = {DIVERSE: PermutedColumn.of(classes.groups, values)} if classes else {}
    columns |= partitions(values, k, e)
    yield from points_at(
        x, columns, swapped(values, k, e), age_queries(column(census, AGE), SPAN), plan.matched
    )


# All of them


def figures(census: Census, plan: Plan) -> Iterator[Figure]:
    younger = without_the_oldest(census)
    parts: dict[str, Callable[[], Sequence[Figure]]] = {
        "6 and 7": lambda: beside_figures(
            younger, ALL_QUASI, plan, 6, lambda groups: [groups_claim([groups], PRINTED_GROUPS, UNKNOWN)]
        ),
        "8 and 9": lambda: beside_figures(younger, [AGE], plan, 8, lambda _: []),
        "10 and 11": lambda: partition_figures(younger, plan),
        "12 to 14": lambda: synthetic_figures(plan),
        "15 and 16": lambda: time_figures(plan.timed_rows, plan.parts, plan.timed_spans, plan.repeats),
        "17": lambda: [scaling_figure(plan.sizes, plan.quadratic_up_to)],
    }
    for numbers, drawn in parts.items():
        print(f"   figures {numbers}", file=sys.stderr)
        yield from drawn()


def about(census: Census, plan: Plan) -> str:
    differs = "; ".join(differences(census))
    younger = without_the_oldest(census)
    left, largest = census.table.num_rows - younger.table.num_rows, int(column(younger, LOSS).max())
    records = f"{census.table.num_rows:,} records ({differs or 'as the paper prints them'})"
    return (
        f"{census.name}: {records}; the {left} of {OLD} years or more are left out, as in the paper, "
        f"and the largest capital loss is then {largest:,}. "
        f"k = {K}, e = {E} where they do not vary (no e for l-diversity). An error is the mean over "
        f"{plan.queries:,} random sets of rows, or over all ranges of a span between the youngest and the "
        f"oldest (span {SPAN} where it does not vary); about {plan.matched} of them for the tightest bounds "
        f"of a swapped table. Synthetic tables have {plan.rows:,} records, ages of {AGES[0]} to {AGES[1]} "
        f"drawn evenly and capital losses of {LOSSES[0]} to {LOSSES[1]:,}; the timed one has "
        f"{plan.timed_rows:,} and variance {VARIANCE}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Reproduce figures 6 to 17 of the (k,e)-anonymity paper.")
    parser.add_argument("-o", "--out", type=Path, default=Path("query-answering"), help="output folder")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real tables")
    parser.add_argument("--quick", action="store_true", help="few parameters and queries")
    asked = parser.parse_args()
    census = census_for(asked.data, asked.quick)
    plan = QUICK if asked.quick else Plan()
    drawn = list(figures(census, plan))
    write_results(drawn, asked.out, TITLE, about(census, plan))
    for each in drawn:
        print(f"{each.title}: {each.sentence()}")
    print(f"Wrote {asked.out}/results.md")


if __name__ == "__main__":
    main()
