"""Sorting with random ties."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import Purpose, seeded_key
from shoal.kernels.order import SHORT_RUN, _sort_equal, random_tie_order, tie_order
from tests.draws import draws
from tests.methods.slow_siphash import slow_hash

tied_values = st.lists(st.integers(-3, 3), min_size=1, max_size=40).map(np.array)
seeds = st.integers(0, 2**64 - 1)


@draws(200)
@given(tied_values, seeds)
def test_rows_are_sorted_and_ties_follow_the_hash_of_the_row_number(values, seed):
    key = seeded_key(seed)
    expected = sorted(
        range(len(values)), key=lambda row: (values[row], slow_hash(key, Purpose.TIES, row), row)
    )
    assert random_tie_order(values, key).tolist() == expected


@draws(200)
@given(tied_values, seeds)
def test_the_order_is_a_permutation(values, seed):
    assert sorted(random_tie_order(values, seeded_key(seed))) == list(range(len(values)))


@draws(200)
@given(tied_values, seeds, st.integers(-100, 100))
def test_which_of_two_equal_rows_comes_first_depends_on_their_numbers_only(values, seed, others):
    """Rows 0 and 1 stay equal while every other row changes."""
    key = seeded_key(seed)
    before = random_tie_order(np.concatenate([[0, 0], values]), key).tolist()
    after = random_tie_order(np.concatenate([[0, 0], values + others]), key).tolist()
    assert (before.index(0) < before.index(1)) == (after.index(0) < after.index(1))


@pytest.mark.parametrize("different", [1, 3, 40])
def test_a_part_of_the_rows_keeps_the_order_it_has_in_the_whole(different):
    """Runs of equal values both short and long."""
    rng = np.random.default_rng(different)
    values = rng.integers(0, different, 5 * SHORT_RUN)
    whole = random_tie_order(values, seeded_key(7))
    some = rng.permutation(len(values))[: 3 * SHORT_RUN]
    ordered = some[tie_order(values[some], some, seeded_key(7))]
    assert ordered.tolist() == [row for row in whole if row in set(some)]


def test_rows_of_equal_value_and_hash_come_in_the_order_of_their_numbers():
    order = np.array([2, 0, 3, 1])
    _sort_equal(np.array([4, 4, 4, 9], np.uint64), np.array([50, 60, 70, 10]), order)
    assert order.tolist() == [3, 0, 2, 1]


def test_all_orders_of_ties_occur_over_keys():
    orders = {tuple(random_tie_order(np.zeros(3, np.int64), seeded_key(seed))) for seed in range(200)}
    assert orders == set(permutations(range(3)))


def test_real_values_are_ordered_too():
    assert random_tie_order(np.array([0.5, -2.5, 0.25]), seeded_key(1)).tolist() == [1, 2, 0]


@draws(200)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=30), st.integers(0, 9))
def test_sorting_in_halves_changes_nothing(values, seed):
    values = np.array(values)
    whole = random_tie_order(values, seeded_key(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.kernels.order.LARGE", 2)
        assert np.array_equal(random_tie_order(values, seeded_key(seed)), whole)
