"""Groups of coprime sizes: there whenever they can be, and cheap."""

from math import gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means.coprime_groups import coprime_groups
from shoal.methods.means.mdav import mdav
from shoal.methods.means.sse import sse
from shoal.methods.means.whole_means import total_keeping_means
from tests.draws import draws
from tests.methods.census import generated


def possible(rows, k):
    """Do two coprime sizes of at least k make up so many rows?"""
    return any(gcd(size, rows) == 1 for size in range(k, rows - k + 1))


@draws(300)
@given(
    k=st.integers(1, 5),
    divisor=st.integers(1, 6),
    multiples=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    columns=st.integers(1, 3),
    spread=st.sampled_from([0, 2, 1000]),
    seed=st.integers(0, 1000),
)
def test_sizes_are_coprime_whenever_they_can_be(k, divisor, multiples, columns, spread, seed):
    sizes = [divisor * multiple for multiple in multiples if divisor * multiple >= k] or [k]
    rng = np.random.default_rng(seed)
    group_of = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    points = rng.integers(-spread, spread + 1, (len(group_of), columns)).astype(float)
    found = coprime_groups(points, group_of, k)
    if gcd(*sizes) == 1:
        assert found is group_of
    elif len(sizes) == 1 or not possible(len(group_of), k):
        assert found is None
    else:
        counts = np.bincount(found)
        assert counts.min() >= k
        assert np.gcd.reduce(counts) == 1
        assert len(found) == len(group_of)


@pytest.mark.parametrize("seed", range(5))
def test_it_costs_no_more_than_two_near_groups_less_one_row(seed):
    points, k = generated(5 * 4, seed), 4
    groups = mdav(points, k)
    centroids = np.array([points[groups == group].mean(axis=0) for group in range(5)])
    apart = [(((centroids[a] - centroids[b]) ** 2).sum(), a, b) for a in range(5) for b in range(a)]
    _, a, b = min(apart)
    merged = np.where(groups == a, b, groups)
    tried = []
    for row in np.flatnonzero(merged == b):
        for to in set(range(5)) - {a, b}:
            moved = merged.copy()
            moved[row] = to
            tried.append(sse(points, moved))
    assert sse(points, coprime_groups(points, groups, k)) <= min(tried) + 1e-9


def test_a_row_that_can_be_spared_moves_alone():
    points = np.array([[0.0], [1.0], [2.0], [5.5], [6.0], [7.0], [20.0], [21.0], [22.0], [23.0]])
    groups = np.repeat([0, 1, 2], [4, 2, 4])
    assert coprime_groups(points, groups, 2).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_three_groups_of_two_cannot_be_coprime():
    assert coprime_groups(np.arange(6.0)[:, np.newaxis], np.repeat([0, 1, 2], 2), 2) is None


def test_groups_are_numbered_without_gaps():
    points = generated(60)
    found = coprime_groups(points, mdav(points, 5), 5)
    assert sorted(set(found.tolist())) == list(range(found.max() + 1))
    assert found.max() + 1 == 11


def test_every_total_can_be_kept_then():
    points = generated(200)
    groups = mdav(points, 5)
    values = np.arange(200)
    assert total_keeping_means(values + (values == 3), groups) is None
    changed = coprime_groups(points, groups, 5)
    for more in range(5):
        values[0] += more
        means = total_keeping_means(values, changed)
        assert (np.bincount(changed) * means).sum() == values.sum()
