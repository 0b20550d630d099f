"""residual: classes of one residual, cheap ones first, never worse than aggranon."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.aggregates.aggranon import aggranon
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.candidates import column_subsets
from shoal.methods.aggregates.knowledge import Knowledge, Tolerance
from shoal.methods.aggregates.residual import residual
from shoal.methods.diversity import DISTINCT, ENTROPY, RECURSIVE, Diversity
from shoal.methods.ranges import Ranges
from tests.draws import draws

TABLES = st.tuples(st.integers(2, 24), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-6, 12))
)
WEIGHTS = st.lists(st.integers(-3, 3).filter(bool), min_size=4, max_size=4)


def image_ends(ranges: Ranges, weights: np.ndarray) -> list[tuple[int, int]]:
    low, high = ranges.low * weights, ranges.high * weights
    return list(zip(np.minimum(low, high).sum(axis=1), np.maximum(low, high).sum(axis=1), strict=True))


def loss(ranges: Ranges, costs: np.ndarray) -> float:
    return float(((ranges.high - ranges.low) @ costs).sum())


@draws(200)
@given(table=TABLES, weights=WEIGHTS, k=st.integers(2, 5), seed=st.integers(0, 99))
def test_every_class_has_one_f_and_contains_its_rows(table, weights, k, seed):
    k = min(k, len(table))
    f = WeightedSum(np.array(weights[: table.shape[1]]))
    made = residual(table, Knowledge((f,)), k, seeded_key(seed))
    ends = image_ends(made, f.weights)
    assert sorted(made.order) == list(range(len(table)))
    assert (np.diff(made.starts) >= k).all()
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert len(set(ends[begin:end])) == 1
    assert (made.low <= table[made.order]).all()
    assert (table[made.order] <= made.high).all()


@draws(200)
@given(table=TABLES, weights=WEIGHTS, k=st.integers(2, 5), seed=st.integers(0, 99))
def test_it_never_loses_more_than_aggranon(table, weights, k, seed):
    k = min(k, len(table))
    f = WeightedSum(np.array(weights[: table.shape[1]]))
    costs = np.arange(1.0, table.shape[1] + 1)
    ours = residual(table, Knowledge((f,)), k, seeded_key(seed), costs)
    assert loss(ours, costs) <= loss(aggranon(table, f, k, seeded_key(seed)), costs) + 1e-9


def test_records_that_share_their_total_cost_nothing():
    table = np.array([[5, 0], [0, 5], [2, 3], [9, 9], [10, 8], [8, 10]])
    made = residual(table, Knowledge((WeightedSum(np.array([1, 1])),)), 3, seeded_key(3))
    assert np.array_equal(made.low, made.high)


def test_the_rare_few_take_neighbours_from_large_classes_instead_of_opening_them():
    table = np.array([[7, 0]] * 50 + [[9, 0]])
    made = residual(table, Knowledge((WeightedSum(np.array([1, 1])),)), 3, seeded_key(5))
    assert (made.high - made.low).sum() == 3 * 2


def test_ties_are_broken_at_random():
    table = np.array([[1], [1], [1], [3]])
    partners = set()
    for seed in range(60):
        made = residual(table, Knowledge((WeightedSum(np.array([1])),)), 2, seeded_key(seed))
        (opened,) = np.unique(
            made.starts[:-1][made.low[made.starts[:-1], 0] < made.high[made.starts[:-1], 0]]
        )
        begin, end = opened, made.starts[made.starts > opened].min()
        partners.add(frozenset(made.order[begin:end].tolist()) - {3})
    assert {frozenset({0}), frozenset({1}), frozenset({2})} <= partners


def test_within_publishes_what_has_company_as_it_is():
    table = np.arange(1000, 1100).reshape(-1, 1)
    made = residual(table, Knowledge((WeightedSum(np.array([1])),)), 5, seeded_key(1), within=Tolerance(0.05))
    assert np.array_equal(made.low, made.high)


@pytest.mark.parametrize("columns", [1, 2, 7, 30])
def test_the_sets_of_columns_end_with_all_of_them_and_are_bounded(columns):
    subsets = column_subsets(np.arange(3 * columns).reshape(3, columns), 2)
    assert subsets[-1].all()
    assert len(subsets) <= 127
    assert len({tuple(subset) for subset in subsets.tolist()}) == len(subsets)


SMALL_TABLES = st.tuples(st.integers(2, 12), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-2, 3))
)


@st.composite
def knowledge(draw, columns):
    """One to three sums, some of them over a few columns only, and columns that are known besides."""
    weights = st.lists(st.integers(-2, 2), min_size=columns, max_size=columns).filter(any)
    sums = draw(st.lists(weights, min_size=1, max_size=3))
    also = draw(st.lists(st.integers(0, columns - 1), max_size=2, unique=True))
    return Knowledge(tuple(WeightedSum(np.array(one)) for one in sums), tuple(also))


def joint_image(known, low, high):
    """Everything that may be known together of the grid points of a box."""
    points = np.array(list(product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))))
    return frozenset(zip(*(column.tolist() for column in known.values(points)), strict=True))


@st.composite
def sensitive(draw, rows):
    """Sensitive values with a rule that the whole table satisfies."""
    codes = np.array(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))[:, np.newaxis]
    rules = [(DISTINCT, 2, 0), (ENTROPY, 1.5, 0), (RECURSIVE, 2, 2.0)]
    asked = [Diversity(codes, np.array([rule], np.float64)) for rule in rules]
    return draw(st.sampled_from([one for one in asked if one.holds(slice(None))] or [Diversity.none(rows)]))


@draws(250)
@given(table=SMALL_TABLES, k=st.integers(2, 4), seed=st.integers(0, 99), data=st.data())
def test_every_class_has_one_joint_image_on_the_grid(table, k, seed, data):
    k, known = min(k, len(table)), data.draw(knowledge(table.shape[1]))
    made = residual(table, known, k, seeded_key(seed))
    assert sorted(made.order) == list(range(len(table)))
    assert (made.low <= table[made.order]).all()
    assert (table[made.order] <= made.high).all()
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert end - begin >= k
        assert len({joint_image(known, made.low[i], made.high[i]) for i in range(begin, end)}) == 1


@draws(250)
@given(table=SMALL_TABLES, k=st.integers(2, 4), seed=st.integers(0, 99), data=st.data())
def test_with_diversity_every_class_is_diverse_and_has_one_joint_image(table, k, seed, data):
    k, known = min(k, len(table)), data.draw(knowledge(table.shape[1]))
    asked = data.draw(sensitive(len(table)))
    made = residual(table, known, k, seeded_key(seed), diversity=asked)
    assert sorted(made.order) == list(range(len(table)))
    assert (made.low <= table[made.order]).all()
    assert (table[made.order] <= made.high).all()
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert end - begin >= k
        assert asked.holds(made.order[begin:end])
        assert len({joint_image(known, made.low[i], made.high[i]) for i in range(begin, end)}) == 1


@draws(150)
@given(table=TABLES, weights=WEIGHTS, k=st.integers(2, 4), seed=st.integers(0, 99), data=st.data())
def test_with_diversity_it_never_loses_more_than_aggranon_with_it(table, weights, k, seed, data):
    k, asked = min(k, len(table)), data.draw(sensitive(len(table)))
    f, costs = WeightedSum(np.array(weights[: table.shape[1]])), np.arange(1.0, table.shape[1] + 1)
    ours = residual(table, Knowledge((f,)), k, seeded_key(seed), costs, diversity=asked)
    printed = aggranon(table, f, k, seeded_key(seed), diversity=asked)
    assert loss(ours, costs) <= loss(printed, costs) + 1e-9


@draws(150)
@given(table=SMALL_TABLES, k=st.integers(2, 3), seed=st.integers(0, 99))
def test_a_column_known_besides_shows_one_range_in_a_class(table, k, seed):
    k = min(k, len(table))
    made = residual(table, Knowledge((WeightedSum(np.ones(table.shape[1], int)),), (0,)), k, seeded_key(seed))
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert len(set(made.low[begin:end, 0])) == len(set(made.high[begin:end, 0])) == 1


def test_two_sums_that_one_column_could_hide_apart_are_hidden_together():
    """a + b and a - b: opening a alone leaves b, and with it the difference of the two, exact."""
    table = np.array([[1, 0], [0, 1], [5, 9], [9, 5]])
    known = Knowledge((WeightedSum(np.array([1, 1])), WeightedSum(np.array([1, -1]))))
    made = residual(table, known, 2, seeded_key(0))
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert (made.low[begin:end] == made.low[begin]).all()
        assert (made.high[begin:end] == made.high[begin]).all()
