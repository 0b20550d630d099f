"""The bounds of generalized and swapped tables against every table that may lie behind them."""

from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from query_rivals import SwappedColumn, average_bounds, quadratic_min_sum, range_fits, reaches
from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.permutation.min_sum import min_sum
from shoal.utility.workload import PermutedColumn, SumBounds, sum_of_error

VALUES = st.lists(st.integers(-9, 20), min_size=1, max_size=7)
FITS = st.lists(
    st.tuples(st.integers(-9, 20), st.sampled_from(["sure", "possible", "never"])), min_size=1, max_size=7
)


@given(FITS)
def test_an_average_over_possible_rows_is_bounded_by_all_subsets(rows: list[tuple[int, str]]) -> None:
    sure = [value for value, fit in rows if fit == "sure"]
    possible = [value for value, fit in rows if fit == "possible"]
    subsets = chain.from_iterable(combinations(possible, size) for size in range(len(possible) + 1))
    averages = [np.mean([*sure, *chosen]) for chosen in subsets if sure or chosen]
    assume(averages)
    flags = [np.array([fit == name for _, fit in rows]) for name in ("sure", "possible")]
    bounds = average_bounds(np.array([value for value, _ in rows]), *flags)
    assert (bounds.lower, bounds.upper) == (pytest.approx(min(averages)), pytest.approx(max(averages)))


@given(
    st.lists(st.tuples(st.integers(17, 60), st.integers(0, 99)), min_size=1, max_size=40), st.integers(17, 60)
)
def test_a_generalized_table_always_contains_the_permuted_bounds(
    rows: list[tuple[int, int]], low: int
) -> None:
    """Theorem 2 of the paper."""
    ages, values = (np.array(column) for column in zip(*rows, strict=True))
    picked = np.flatnonzero((ages >= low) & (ages <= low + 15))
    assume(len(picked))
    first = ages // 10 * 10
    wide = average_bounds(values, *range_fits(first, first + 9, low, low + 15))
    narrow = PermutedColumn.of(ages // 10, values).bounds(picked)
    assert wide.lower <= narrow.lower / len(picked) + 1e-9
    assert wide.upper >= narrow.upper / len(picked) - 1e-9


def test_a_row_surely_fits_when_its_whole_range_does() -> None:
    low, high = np.array([10, 20, 30, 40]), np.array([19, 29, 39, 49])
    sure, possible = range_fits(low, high, 15, 39)
    assert sure.tolist() == [False, True, True, False]
    assert possible.tolist() == [True, False, False, False]


def swaps(free: list[int], low: np.ndarray, high: np.ndarray) -> Iterator[dict[int, int]]:
    """Every set of pairs in which each rank lies in the other's window."""
    if not free:
        yield {}
        return
    first, *others = free
    yield from swaps(others, low, high)
    for other in others:
        if low[first] <= other <= high[first]:
            for pairs in swaps([rank for rank in others if rank != other], low, high):
                yield {**pairs, first: other, other: first}


@given(VALUES, st.integers(1, 3), st.integers(0, 4), st.data())
def test_swapped_bounds_are_the_extremes_of_all_exchanges(
    values: list[int], k: int, e: int, data: st.DataObject
) -> None:
    rows = np.array(values)
    column = SwappedColumn.of(rows, k, e, np.random.default_rng(0))
    picked = np.array(data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True)), np.int64)
    met = column.published[picked].tolist()
    sums = [
        sum(int(column.ordered[pairs.get(rank, rank)]) for rank in met)
        for pairs in swaps(list(range(len(rows))), column.low, column.high)
    ]
    assert column.bounds(picked) == SumBounds(min(sums), max(sums))
    wider = column.covered_bounds(picked)
    assert wider.lower <= min(sums) <= rows[picked].sum() <= max(sums) <= wider.upper


def test_a_value_whose_near_ranks_are_all_covered_is_certain() -> None:
    column = SwappedColumn.of(np.arange(100), 3, 2, np.random.default_rng(0))
    picked = np.flatnonzero((column.published >= 20) & (column.published < 80))
    published = sum(range(20, 80))
    assert column.covered_bounds(picked) == SumBounds(published - 1, published + 1)
    assert column.covered_bounds(np.arange(100)) == column.bounds(np.arange(100)) == SumBounds(4950, 4950)


@given(VALUES, st.integers(1, 4), st.integers(0, 9))
def test_a_window_reaches_as_far_as_it_must(values: list[int], k: int, e: int) -> None:
    ordered = np.sort(values)
    for rank, reach in enumerate(reaches(ordered, k, e).tolist()):
        windows = [ordered[max(rank - steps, 0) : rank + steps + 1] for steps in range(len(ordered))]
        fitting = [steps for steps, near in enumerate(windows)
                   if len(set(near.tolist())) >= k and near[-1] - near[0] >= e]  # fmt: skip
        assert reach == (fitting[0] if fitting else len(ordered) - 1)


def test_the_papers_programme_finds_the_same_least_sum() -> None:
    random = np.random.default_rng(1)
    for k, e in ((2, 0), (3, 5), (4, 30)):
        values = random.integers(0, 120, 80)
        groups = min_sum(values, k, e, seeded_key(0))
        assert groups is not None
        assert quadratic_min_sum(np.sort(values), k, e) == sum_of_error(groups, values)
