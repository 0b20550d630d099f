"""V-MDAV against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means.sse import information_loss
from shoal.methods.means.vmdav import vmdav
from tests.draws import draws
from tests.methods.census import generated
from tests.methods.means.test_mdav import heaped, tables
from tests.methods.slow_mdav import slow_vmdav


@draws(200)
@given(points=tables(), k=st.integers(1, 7), gamma=st.sampled_from([0.0, 0.2, 0.5, 1.0, 1.1, 3.0]))
def test_groups_are_those_of_the_definition(points, k, gamma):
    if k <= len(points):
        assert vmdav(points, k, gamma).tolist() == slow_vmdav(points, k, gamma)


@pytest.mark.parametrize("points", [generated(250), heaped(250, 3, 1)])
@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_groups_of_hundreds_of_rows_are_those_of_the_definition(points, gamma):
    assert vmdav(points, 4, gamma).tolist() == slow_vmdav(points, 4, gamma)


def clusters(sizes):
    rng = np.random.default_rng(0)
    middles = 100 * rng.permutation(len(sizes))[:, np.newaxis] * np.ones(2)
    return np.repeat(middles, sizes, axis=0) + rng.normal(size=(sum(sizes), 2))


def test_clusters_of_different_sizes_become_groups():
    sizes = [5, 3, 4, 5, 3]
    found = vmdav(clusters(sizes), 3, gamma=2.0)
    assert sorted(np.bincount(found).tolist()) == sorted(sizes)
    assert information_loss(clusters(sizes), found) < 0.1 * information_loss(
        clusters(sizes), vmdav(clusters(sizes), 3, gamma=0.0)
    )


def test_groups_have_at_least_k_rows():
    assert np.bincount(vmdav(generated(501), 5)).min() >= 5


def test_progress_rises_to_one():
    shares = []
    vmdav(generated(500), 3, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="no groups of"):
        vmdav(np.zeros((3, 1)), 4)
