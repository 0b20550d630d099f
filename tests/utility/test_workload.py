"""Fast bounds against the slow obvious way: every permutation, every query, one by one."""

from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.min_sum import min_sum
from shoal.query.answer import answer
from shoal.query.permuted.database import open_database
from shoal.utility.workload import (
    PermutedColumn,
    SumBounds,
    arbitrary_queries,
    max_of_error,
    mean_error,
    range_queries,
    relative_error,
    sum_of_error,
    workload_error,
)

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(-20, 20), st.booleans()), min_size=1, max_size=6)


def every_sum(groups: np.ndarray, values: np.ndarray, picked: np.ndarray) -> list[int]:
    """The sum over the picked rows for all ways to permute inside the groups."""
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    sums = []
    for orders in product(*(list(permutations(rows)) for rows in members)):
        placed = values.copy()
        for rows, order in zip(members, orders, strict=True):
            placed[rows] = values[list(order)]
        sums.append(int(placed[picked].sum()))
    return sums


def slow_bounds(groups: np.ndarray, values: np.ndarray, picked: np.ndarray) -> tuple[float, float]:
    lower = upper = 0.0
    for group in set(groups.tolist()):
        ordered = sorted(values[groups == group].tolist())
        hits = sum(groups[row] == group for row in picked)
        lower += sum(ordered[:hits])
        upper += sum(ordered[len(ordered) - hits :])
    return lower, upper


@given(ROWS)
def test_bounds_are_the_extremes_of_all_permutations(rows: list[tuple[int, int, bool]]) -> None:
    groups, values, chosen = (np.array(column) for column in zip(*rows, strict=True))
    picked = np.flatnonzero(chosen)
    sums = every_sum(groups, values, picked)
    assert PermutedColumn.of(groups, values).bounds(picked) == SumBounds(min(sums), max(sums))


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_a_workload_is_the_mean_of_its_queries_one_by_one(kind: type) -> None:
    random = np.random.default_rng(3)
    values = random.integers(1, 1_000, 200).astype(kind) / (1 if kind is np.int64 else 8)
    groups = random.integers(5, 25, 200)
    queries = [*arbitrary_queries(200, 0.3, 20, 0), *range_queries([random.integers(0, 50, 200)], 0.2, 20, 0)]
    expected = []
    for picked in queries:
        lower, upper = slow_bounds(groups, values, picked)
        expected.append((upper - lower) / values[picked].sum())
    found = workload_error(PermutedColumn.of(groups, values), queries)
    assert (found.queries, found.left_out) == (40, 0)
    assert found.mean == pytest.approx(np.mean(expected))


def test_bounds_are_those_that_the_query_engine_gives() -> None:
    random = np.random.default_rng(4)
    age, loss = random.integers(17, 90, 300), random.integers(155, 3_900, 300)
    groups = min_sum(loss, 4, 100, seeded_key(0))
    assert groups is not None
    column = PermutedColumn.of(groups, loss)
    table = pa.table({"age": age, "loss": loss, "shoal_group": groups})
    connection, schema = open_database(table, ["loss"])
    for low, high in ((20, 30), (40, 41), (17, 89)):
        picked = np.flatnonzero((age >= low) & (age <= high))
        where = f"from data where age between {low} and {high}"
        (row,) = answer(connection, schema, f"select sum(loss) as s, avg(loss) as a {where}").rows
        bounds = column.bounds(picked)
        assert (row["s"].lower, row["s"].upper) == (bounds.lower, bounds.upper)
        mean = (row["a"].upper - row["a"].lower) / loss[picked].mean()
        assert column.error(picked) == pytest.approx(mean)


def test_a_true_answer_of_zero_has_no_relative_error_unless_it_is_certain() -> None:
    column = PermutedColumn.of(np.array([0, 0, 1, 1]), np.array([0, 10, 0, 0]))
    assert np.isnan(column.error(np.array([0])))
    assert column.error(np.array([2])) == 0
    assert np.isnan(column.error(np.array([], np.int64)))
    found = workload_error(column, [np.array([0]), np.array([1]), np.array([2])])
    assert (found.mean, found.queries, found.left_out) == (0.5, 3, 1)
    nothing = mean_error([np.nan])
    assert np.isnan(nothing.mean)
    assert (nothing.queries, nothing.left_out) == (1, 1)


def test_a_negative_answer_counts_by_its_size() -> None:
    assert relative_error(SumBounds(-30, -10), np.array([-12, -8])) == 1


def test_sums_beyond_63_bits_become_floats() -> None:
    values = np.array([2**62, 2**62, 2**62, 0])
    bounds = PermutedColumn.of(np.array([0, 0, 0, 0]), values).bounds(np.array([0, 1, 2]))
    assert (bounds.lower, bounds.upper) == (2.0**63, 3 * 2.0**62)
    assert relative_error(bounds, values[:3]) == pytest.approx(1 / 3)


def test_arbitrary_queries_pick_their_share_of_different_rows() -> None:
    queries = list(arbitrary_queries(1_000, 0.25, 30, 7))
    assert {len(set(picked.tolist())) for picked in queries} == {250}
    assert all(
        np.array_equal(a, b) for a, b in zip(queries, arbitrary_queries(1_000, 0.25, 30, 7), strict=True)
    )
    assert [len(picked) for picked in arbitrary_queries(10, 0.001, 2, 7)] == [1, 1]


def test_range_queries_pick_whole_ranges_of_one_column() -> None:
    random = np.random.default_rng(5)
    columns = [random.integers(17, 90, 400), np.array(list("abcdefgh"))[random.integers(0, 8, 400)]]
    for picked in range_queries(columns, 0.1, 40, 0):
        assert len(picked) >= 40
        inside = []
        for column in columns:
            met = set(np.unique(column[picked]).tolist())
            between = set(np.unique(column[(column >= min(met)) & (column <= max(met))]).tolist())
            rows = np.flatnonzero(np.isin(column, list(met)))
            inside.append(met == between and np.array_equal(rows, np.sort(picked)))
        assert any(inside)


@given(ROWS)
def test_the_error_of_a_partition_is_that_of_its_groups(rows: list[tuple[int, int, bool]]) -> None:
    groups, values, _ = (np.array(column) for column in zip(*rows, strict=True))
    ranges = [np.ptp(values[groups == group]) for group in np.unique(groups)]
    assert sum_of_error(groups, values) == sum(ranges)
    assert max_of_error(groups, values) == max(ranges)
