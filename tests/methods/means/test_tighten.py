"""Groups come closer and keep what is asked."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.methods.diversity import DISTINCT, Diversity
from shoal.methods.means import tighten as module
from shoal.methods.means.mdav import mdav
from shoal.methods.means.rare_values import rare_demand
from shoal.methods.means.sse import sse
from shoal.methods.means.tighten import tighten
from tests.methods.census import generated
from tests.methods.slow_kpqr import Column, Table


@pytest.mark.parametrize("r", [Fraction(1, 4), Fraction(3, 4)])
def test_one_group_of_all_rows_is_split_and_every_part_holds(r):
    points = generated(200)
    values = np.random.default_rng(0).choice([1, 1, 1, 1, 2, 5, 9], 200).tolist()
    table = Table(points, 3, [Column("numbers", values, Fraction(1, 4), 2, r)])
    together = np.zeros(200, np.int64)
    found = tighten(
        points, together, np.array([True]), 3, Diversity.none(200), rare_demand(table.confidential(), 200)
    )
    assert table.solved_by(found)
    assert sse(points, found) < 0.5 * sse(points, together)


def test_diversity_is_kept():
    points = generated(200)
    diversity = Diversity(np.arange(200)[:, np.newaxis] // 10 % 4, np.array([[DISTINCT, 3.0, 0.0]]))
    found = tighten(points, np.zeros(200, np.int64), np.array([True]), 4, diversity, rare_demand([], 200))
    assert all(diversity.holds(np.flatnonzero(found == group)) for group in range(found.max() + 1))
    assert np.bincount(found).min() >= 4
    assert found.max() > 9


def test_groups_that_are_not_loose_stay_if_no_group_is():
    points = generated(90)
    start = mdav(points, 3)
    found = tighten(points, start, np.zeros(30, bool), 3, Diversity.none(90), rare_demand([], 90))
    assert len(np.unique(found * 30 + start)) == 30


def test_work_is_limited(monkeypatch):
    monkeypatch.setattr(module, "WORK", 0)
    start = np.zeros(50, np.int64)
    found = tighten(generated(50), start, np.array([True]), 3, Diversity.none(50), rare_demand([], 50))
    assert (found == start).all()
