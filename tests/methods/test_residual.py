"""residual: classes of one residual, cheap ones first, never worse than aggranon."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.methods.aggranon import aggranon
from shoal.methods.aggregate import WeightedSum
from shoal.methods.candidates import column_subsets
from shoal.methods.keyed_hash import seeded_key
from shoal.methods.knowledge import Known, Within
from shoal.methods.ranges import Ranges
from shoal.methods.residual import residual

TABLES = st.tuples(st.integers(2, 24), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-6, 12))
)
WEIGHTS = st.lists(st.integers(-3, 3).filter(bool), min_size=4, max_size=4)


def image_ends(ranges: Ranges, weights: np.ndarray) -> list[tuple[int, int]]:
    low, high = ranges.low * weights, ranges.high * weights
    return list(zip(np.minimum(low, high).sum(axis=1), np.maximum(low, high).sum(axis=1), strict=True))


def loss(ranges: Ranges, costs: np.ndarray) -> float:
    return float(((ranges.high - ranges.low) @ costs).sum())


@settings(max_examples=200, deadline=None)
@given(table=TABLES, weights=WEIGHTS, k=st.integers(2, 5), seed=st.integers(0, 99))
def test_every_class_has_one_f_and_contains_its_rows(table, weights, k, seed):
    k = min(k, len(table))
    f = WeightedSum(np.array(weights[: table.shape[1]]))
    made = residual(table, Known((f,)), k, seeded_key(seed))
    ends = image_ends(made, f.weights)
    assert sorted(made.order) == list(range(len(table)))
    assert (np.diff(made.starts) >= k).all()
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert len(set(ends[begin:end])) == 1
    assert (made.low <= table[made.order]).all()
    assert (table[made.order] <= made.high).all()


@settings(max_examples=200, deadline=None)
@given(table=TABLES, weights=WEIGHTS, k=st.integers(2, 5), seed=st.integers(0, 99))
def test_it_never_loses_more_than_aggranon(table, weights, k, seed):
    k = min(k, len(table))
    f = WeightedSum(np.array(weights[: table.shape[1]]))
    costs = np.arange(1.0, table.shape[1] + 1)
    ours = residual(table, Known((f,)), k, seeded_key(seed), costs)
    assert loss(ours, costs) <= loss(aggranon(table, f, k, seeded_key(seed)), costs) + 1e-9


def test_records_that_share_their_total_cost_nothing():
    table = np.array([[5, 0], [0, 5], [2, 3], [9, 9], [10, 8], [8, 10]])
    made = residual(table, Known((WeightedSum(np.array([1, 1])),)), 3, seeded_key(3))
    assert np.array_equal(made.low, made.high)


def test_the_rare_few_take_neighbours_from_large_classes_instead_of_opening_them():
    table = np.array([[7, 0]] * 50 + [[9, 0]])
    made = residual(table, Known((WeightedSum(np.array([1, 1])),)), 3, seeded_key(5))
    assert (made.high - made.low).sum() == 3 * 2


def test_ties_are_broken_at_random():
    table = np.array([[1], [1], [1], [3]])
    partners = set()
    for seed in range(60):
        made = residual(table, Known((WeightedSum(np.array([1])),)), 2, seeded_key(seed))
        (opened,) = np.unique(
            made.starts[:-1][made.low[made.starts[:-1], 0] < made.high[made.starts[:-1], 0]]
        )
        begin, end = opened, made.starts[made.starts > opened].min()
        partners.add(frozenset(made.order[begin:end].tolist()) - {3})
    assert {frozenset({0}), frozenset({1}), frozenset({2})} <= partners


def test_within_publishes_what_has_company_as_it_is():
    table = np.arange(1000, 1100).reshape(-1, 1)
    made = residual(table, Known((WeightedSum(np.array([1])),)), 5, seeded_key(1), within=Within(0.05))
    assert np.array_equal(made.low, made.high)


@pytest.mark.parametrize("columns", [1, 2, 7, 30])
def test_the_sets_of_columns_end_with_all_of_them_and_are_bounded(columns):
    subsets = column_subsets(np.arange(3 * columns).reshape(3, columns), 2)
    assert subsets[-1].all()
    assert len(subsets) <= 127
    assert len({tuple(subset) for subset in subsets.tolist()}) == len(subsets)
