"""Groups of one column against all partitions there are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means.mdav import mdav
from shoal.methods.means.sse import sse
from shoal.methods.means.univariate import univariate
from tests.draws import draws
from tests.methods.slow_mdav import k_partitions


def exact_sse(values, groups):
    return sum(
        sum(values[row] ** 2 for row in group) - Fraction(sum(values[row] for row in group) ** 2, len(group))
        for group in groups
    )


def groups_of(found):
    return [np.flatnonzero(found == group).tolist() for group in range(found.max() + 1)]


@draws(100)
@given(
    values=st.lists(st.integers(-20, 20) | st.integers(-1000, 1000), min_size=1, max_size=9),
    k=st.integers(2, 4),
)
def test_no_partition_is_better(values, k):
    if k <= len(values):
        found = groups_of(univariate(np.array(values), k))
        assert all(len(group) >= k for group in found)
        best = min(exact_sse(values, groups) for groups in k_partitions(list(range(len(values))), k))
        assert exact_sse(values, found) == best


def test_with_k_1_nothing_is_lost():
    assert univariate(np.array([5, 1, 5, 3]), 1).tolist() == [2, 0, 3, 1]


def test_values_far_from_zero_lose_nothing():
    values = np.array([0, 1, 2, 50, 51, 90, 91, 92])
    assert (univariate(values + 2**52, 2) == univariate(values, 2)).all()


def test_groups_ascend_and_are_runs_of_k_to_2k_less_1_values():
    values = np.random.default_rng(0).lognormal(size=2000)
    found = univariate(values, 7)
    assert (np.diff(found[np.argsort(values)]) >= 0).all()
    assert 7 <= np.bincount(found).min() <= np.bincount(found).max() <= 13


@pytest.mark.parametrize("k", [2, 3, 10])
def test_mdav_is_never_better(k):
    values = np.random.default_rng(k).lognormal(size=1000)
    points = values[:, np.newaxis]
    assert sse(points, univariate(values, k)) <= sse(points, mdav(points, k))


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="no groups of"):
        univariate(np.zeros(3), 4)
