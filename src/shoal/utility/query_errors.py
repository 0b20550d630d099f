"""How wrong the answers of a permuted release are: the same random queries for every release of a table.

A query picks a tenth of the rows: any of them, or a range of a quasi column. In a release with groups its
error is (upper - lower) / |truth| of a sum, or of an average, which is the same. Without groups there are no
bounds; then it is how far the sum over the published values is from the true one.
"""

from collections.abc import Iterator

import numpy as np

from shoal.arrays import Ints
from shoal.policy.model.guarantee import KeAnonymity
from shoal.policy.model.policy import GROUP
from shoal.release.release import Release
from shoal.table.table import Table
from shoal.utility.workload import (
    Column,
    PermutedColumn,
    Rows,
    SumBounds,
    arbitrary_queries,
    mean_error,
    range_queries,
    relative_error,
)

QUERIES, SHARE, SEED = 200, 0.1, 0


def query_errors(release: Release) -> dict[str, float]:
    """``arbitrary_error`` and ``range_error`` on the column of the first (k,e) guarantee."""
    name = next(one.sensitive for one in release.policy.guarantees if isinstance(one, KeAnonymity))
    order = np.argsort(
        release.result.input_rows
    )  # as the rows stood, so that all releases get the same queries
    rows = release.result.input_rows[order]
    truth = release.original.points(name).units[rows]
    shown = Table(release.result.table)
    columns = [_column(release.original, quasi)[rows] for quasi in release.policy.having("quasi")]
    workloads = {
        "arbitrary_error": arbitrary_queries(len(rows), SHARE, QUERIES, SEED),
        "range_error": range_queries(columns, SHARE, QUERIES, SEED),
    }
    groups = release.result.class_of[order] if GROUP in shown.names else None
    published = shown.points(name).units[order]
    return {what: _mean(queries, truth, published, groups) for what, queries in workloads.items()}


def _mean(queries: Iterator[Rows], truth: Column, published: Column, groups: Ints | None) -> float:
    if groups is not None:
        column = PermutedColumn.of(groups, truth)
        return mean_error([column.error(picked) for picked in queries]).mean
    return mean_error([_off(truth[picked], published[picked]) for picked in queries]).mean


def _off(truth: Column, published: Column) -> float:
    low, high = sorted((float(truth.sum()), float(published.sum())))
    return relative_error(SumBounds(low, high), truth)


def _column(table: Table, name: str) -> Column:
    """Numbers as numbers, words in their order."""
    return table.numbers(name).units if table.mostly_numbers(name) else table.words(name).codes
