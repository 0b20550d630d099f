"""Refined groups: sound, never worse, at best the best there are, and as good as figures that were seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.means import refined as module
from shoal.methods.means.mdav import mdav
from shoal.methods.means.refined import refined
from shoal.methods.means.sse import information_loss, sse
from tests.draws import draws
from tests.methods.census import census, generated, needs_census
from tests.methods.means.test_mdav import heaped, tables
from tests.methods.slow_mdav import k_partitions, numbered
from tests.methods.slow_mdav import sse as slow_sse

KEY = seeded_key(0)
BRIEF = 0.02  # seconds


@draws(40)
@given(points=tables(), k=st.integers(1, 7), seed=st.integers(0, 9))
def test_groups_keep_k_rows_and_lose_no_more(points, k, seed):
    if k <= len(points):
        start = mdav(points, k)
        found = refined(points, start, k, seeded_key(seed), BRIEF)
        assert np.bincount(found).min() >= k
        assert sse(points, found) <= sse(points, start)


@pytest.mark.parametrize("seed", range(8))
def test_small_tables_get_the_best_groups_there_are(seed):
    points = np.random.default_rng(seed).normal(size=(8 + seed % 2, 2))
    k = 2 + seed % 2
    best = min(
        slow_sse(points.tolist(), numbered(groups)) for groups in k_partitions(list(range(len(points))), k)
    )
    found = refined(points, mdav(points, k), k, KEY)
    assert slow_sse(points.tolist(), found.tolist()) == pytest.approx(best)


def test_no_move_and_no_exchange_is_left_that_helps():
    points, k = generated(60), 3
    found = refined(points, mdav(points, k), k, KEY)
    least, sizes = sse(points, found) * (1 - 1e-9), np.bincount(found)
    for row in range(60):
        for other in range(60):
            exchanged, moved = found.copy(), found.copy()
            exchanged[[row, other]] = found[[other, row]]
            moved[row] = found[other]
            assert sse(points, exchanged) >= least
            assert sizes[found[row]] == k or sizes[found[other]] == 2 * k or sse(points, moved) >= least


def test_one_group_of_all_rows_is_cut():
    points = generated(100)
    found = refined(points, np.zeros(100, np.int64), 4, KEY, 0.2)
    assert sse(points, found) < 0.3 * sse(points, np.zeros(100, np.int64))
    assert np.bincount(found).min() >= 4


def test_groups_far_too_many_or_few_are_changed_in_number():
    """Twelve clusters of four, cut into threes: four fit all of a cluster."""
    middles = 50.0 * np.arange(12)
    points = (np.repeat(middles, 4) + np.tile([0.0, 1.0, 2.0, 3.0], 12))[:, np.newaxis]
    found = refined(points, np.arange(48) // 3, 3, KEY)
    assert (found == np.arange(48) // 4).all()


def test_a_key_tells_the_groups(monkeypatch):
    monkeypatch.setattr(module, "MOST", 100)
    points = generated(300)
    start = mdav(points, 3)
    several = [refined(points, start, 3, seeded_key(seed), 60.0) for seed in (1, 1, 2)]
    assert (several[0] == several[1]).all()
    assert (several[0] != several[2]).any()


def test_equal_rows_cost_nothing_and_stay():
    assert refined(np.zeros((9, 2)), np.arange(9) // 3, 3, KEY).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    points = heaped(200, 3, 0)
    assert np.bincount(refined(points, mdav(points, 5), 5, KEY, BRIEF)).min() >= 5


def test_progress_rises_to_one_and_tells_the_loss():
    points, seen = generated(200), []
    found = refined(points, mdav(points, 3), 3, KEY, 0.2, lambda *standing: seen.append(standing))
    shares, losses = zip(*seen, strict=True)
    assert list(shares) == sorted(shares)
    assert shares[-1] == 1.0
    assert losses[-1] == pytest.approx(information_loss(points, found))


def test_without_time_there_is_an_answer():
    points = generated(2000)
    start = mdav(points, 5)
    assert sse(points, refined(points, start, 5, KEY, 0.0)) <= sse(points, start)


def test_a_start_with_small_groups_is_refused():
    with pytest.raises(ValueError, match="fewer than 3"):
        refined(np.zeros((5, 1)), np.array([0, 0, 0, 1, 1]), 3, KEY)


@pytest.mark.slow
@needs_census
@pytest.mark.parametrize(("k", "most"), [(3, 5.0), (5, 7.6), (10, 11.8)])
def test_information_loss_of_the_census_table(k, most):
    points = census()
    found = refined(points, mdav(points, k), k, KEY)
    assert np.bincount(found).min() >= k
    assert 100 * slow_sse(points.tolist(), found.tolist()) / points.size < most
