"""aggranon, compiled and general, against the slow one that anybody can check."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import seeded_key
from shoal.kernels.order import random_tie_order
from shoal.methods.aggregates import aggranon as module
from shoal.methods.aggregates import band_counts as nearby
from shoal.methods.aggregates.aggranon import aggranon, aggranon_blocks
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.knowledge import Tolerance
from tests.draws import draws
from tests.methods.slow_aggranon import slow_aggranon, slow_largest, slow_weighted_sum

KEY = seeded_key(3)
ks = st.integers(2, 4)
seeds = st.integers(0, 2**32)
bands = st.one_of(
    st.none(),
    st.builds(Tolerance, st.sampled_from([1 / 16, 1 / 4, 1 / 2]), st.booleans()),
)


@pytest.fixture(autouse=True, scope="module")
def exact_bands():
    """Bands are compared a billionth too strictly; here they must meet the slow algorithm exactly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearby, "SLACK", 0.0)
        yield


@st.composite
def tables(draw):
    """Small tables full of ties, zeros and negatives, or of incomes in coarse steps."""
    width = draw(st.integers(1, 4))
    cell = draw(
        st.sampled_from([st.integers(-2, 2), st.integers(0, 40), st.integers(1, 6).map(lambda v: 50 * v)])
    )
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=4, max_size=14))
    return np.array(rows, np.int64)


def weights_for(values):
    return st.lists(st.integers(-3, 3), min_size=values.shape[1], max_size=values.shape[1])


@dataclass(frozen=True)
class GeneralSum:
    """A weighted sum as any other aggregate."""

    weights: np.ndarray
    ends_suffice: bool = True

    def image(self, low, high):
        ends = np.stack([self.weights * low, self.weights * high])
        return ends.min(axis=0).sum(axis=-1), ends.max(axis=0).sum(axis=-1)

    def without(self, values, kept):
        return np.where(kept, self.weights * values, 0).sum(axis=-1).astype(float)


@dataclass(frozen=True)
class Largest:
    """The largest of all columns, which no weighted sum is."""

    ends_suffice: bool = True

    def image(self, low, high):
        return low.max(axis=-1), high.max(axis=-1)

    def without(self, values, kept):
        kept = np.broadcast_to(kept, values.shape)
        return np.where(kept.any(axis=-1), np.where(kept, values, -np.inf).max(axis=-1), 0.0)


def assert_same_boxes(published, expected):
    low, high = published.in_input_order()
    assert low.tolist() == expected[0].tolist()
    assert high.tolist() == expected[1].tolist()


@draws(200)
@given(st.data(), tables(), ks, seeds, bands)
def test_the_kernel_opens_what_the_slow_algorithm_opens(data, values, k, seed, within):
    weights = data.draw(weights_for(values))
    published = aggranon(values, WeightedSum(np.array(weights)), k, seeded_key(seed), within)
    assert_same_boxes(
        published, slow_aggranon(values, slow_weighted_sum(weights), k, seeded_key(seed), within)
    )


@draws(200)
@given(st.data(), tables(), ks, seeds, bands, st.booleans())
def test_the_general_path_opens_the_same_for_a_weighted_sum(data, values, k, seed, within, ends_suffice):
    weights = data.draw(weights_for(values))
    published = aggranon(values, GeneralSum(np.array(weights), ends_suffice), k, seeded_key(seed), within)
    slow = replace(slow_weighted_sum(weights), ends_suffice=ends_suffice)
    assert_same_boxes(published, slow_aggranon(values, slow, k, seeded_key(seed), within))


@draws(200)
@given(tables(), ks, seeds, bands, st.booleans())
def test_the_general_path_opens_what_the_slow_one_opens_for_a_maximum(values, k, seed, within, ends_suffice):
    published = aggranon(values, Largest(ends_suffice), k, seeded_key(seed), within)
    slow = replace(slow_largest(), ends_suffice=ends_suffice)
    assert_same_boxes(published, slow_aggranon(values, slow, k, seeded_key(seed), within))


@draws(200)
@given(st.data(), tables(), ks, seeds)
def test_a_block_has_one_image_and_its_boxes_hold_their_rows(data, values, k, seed):
    weights = np.array(data.draw(weights_for(values)))
    published = aggranon(values, WeightedSum(weights), k, seeded_key(seed))
    images = np.stack(GeneralSum(weights).image(published.low, published.high))
    for start, stop in pairwise(published.starts):
        assert stop - start >= k
        assert (images[:, start:stop] == images[:, start : start + 1]).all()
    own = values[published.order]
    assert ((published.low <= own) & (own <= published.high)).all()


@draws(200)
@given(tables(), ks, st.integers(1, 3))
def test_blocks_at_a_time_change_nothing(values, k, at_once):
    f = GeneralSum(np.ones(values.shape[1], np.int64))
    expected = aggranon(values, f, k, KEY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCKS_AT_ONCE", at_once)
        assert_same_boxes(aggranon(values, f, k, KEY), expected.in_input_order())


@draws(200)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=80))
def test_the_pairwise_difference_is_the_sum_over_all_pairs(values):
    """Both below and above the size from which it is sorted by another algorithm."""
    expected = sum(abs(a - b) for at, a in enumerate(values) for b in values[:at])
    assert module._pairwise_difference(np.array(values, np.int64)) == expected


def test_records_with_one_total_are_published_as_they_are():
    values = np.array([[1, 2, 3], [3, 2, 1], [0, 0, 6], [6, 0, 0]])
    published = aggranon(values, WeightedSum(np.ones(3, np.int64)), 4, KEY)
    assert np.array_equal(published.low, published.high)


def test_ties_between_columns_are_broken_both_ways_over_keys():
    """Opening either of the first two columns makes the totals equal, so the key decides."""
    values = np.array([[0, 0, 5], [1, 1, 4]])

    def opened(seed):
        published = aggranon(values, WeightedSum(np.ones(3, np.int64)), 2, seeded_key(seed))
        return tuple((published.low < published.high).all(axis=0).tolist())

    assert {opened(seed) for seed in range(40)} == {(True, False, False), (False, True, False)}


@pytest.mark.parametrize("anywhere", [False, True])
def test_with_a_band_more_cells_stay_exact(anywhere):
    values = np.random.default_rng(1).integers(1, 1000, (60, 3))
    f = WeightedSum(np.ones(3, np.int64))
    exact_without_band = aggranon(values, f, 5, KEY).summary()[1]
    assert aggranon(values, f, 5, KEY, Tolerance(0.3, anywhere)).summary()[1] > exact_without_band


@draws(100)
@given(tables(), ks, seeds, st.booleans())
def test_rows_may_stand_in_any_order_if_their_numbers_are_given(values, k, seed, general):
    f = Largest() if general else WeightedSum(np.arange(1, values.shape[1] + 1))
    ids = np.random.default_rng(seed).permutation(len(values))
    low, high = aggranon(values, f, k, seeded_key(seed)).in_input_order()
    assert_same_boxes(aggranon(values[ids], f, k, seeded_key(seed), ids=ids), (low[ids], high[ids]))


@draws(100)
@given(tables(), ks, seeds, st.booleans(), st.data())
def test_some_of_the_blocks_are_published_as_in_the_whole(values, k, seed, general, data):
    f = Largest() if general else WeightedSum(np.ones(values.shape[1], np.int64))
    whole = aggranon(values, f, k, seeded_key(seed))
    totals = f.image(values, values)[0] if general else f.of(values)
    assert whole.order.tolist() == random_tie_order(totals, seeded_key(seed)).tolist()
    first = data.draw(st.integers(0, whole.classes - 1))
    last = data.draw(st.integers(first + 1, whole.classes))
    starts = whole.starts[first : last + 1]
    rows = whole.order[starts[0] : starts[-1]]
    part = aggranon_blocks(values[rows], rows, f, starts - starts[0], seeded_key(seed))
    assert part.low.tolist() == whole.low[starts[0] : starts[-1]].tolist()
    assert part.high.tolist() == whole.high[starts[0] : starts[-1]].tolist()
