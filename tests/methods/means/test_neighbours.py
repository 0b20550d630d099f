"""Nearest rows from the tree against sorting all distances, while rows are taken away."""

import numpy as np
import pytest

from shoal.methods.means.kd_tree import farthest, kd_tree, nearest, remove
from shoal.methods.means.neighbours import neighbours
from tests.methods.means.test_mdav import heaped
from tests.methods.slow_mdav import squared_distance

TABLES = [np.random.default_rng(0).normal(size=(200, 3)), heaped(200, 3, 0), np.ones((50, 2))]


@pytest.mark.parametrize("points", TABLES)
def test_neighbours_are_the_first_of_all_others(points):
    rows, near = neighbours(points, 12)
    assert sorted(rows.tolist()) == list(range(len(points)))
    for row, found in enumerate(near.tolist()):
        others = [other for other in range(len(points)) if other != row]
        others.sort(key=lambda other: (squared_distance(points[other], points[row]), other))
        assert found == others[:12]


@pytest.mark.parametrize("points", TABLES)
def test_rows_that_are_gone_are_not_found(points):
    rng = np.random.default_rng(1)
    tree, left = kd_tree(points, np.arange(len(points))), list(range(len(points)))
    for row in rng.permutation(len(points))[:-1].tolist():
        remove(tree, row)
        left.remove(row)
        target = points[rng.integers(len(points))] + rng.integers(0, 2)
        ranked = sorted(left, key=lambda other: (squared_distance(points[other], target), other))
        distances, rows = np.empty(5), np.empty(5, np.int64)
        count = nearest(tree, target, distances, rows)
        assert sorted(rows[:count].tolist()) == sorted(ranked[:5])
        assert distances[0] == squared_distance(points[rows[0]], target)
        assert rows[0] == ranked[:5][-1]
        away = sorted(left, key=lambda other: (-squared_distance(points[other], target), other))
        assert farthest(tree, target) == away[0]


def test_when_time_is_over_some_rows_are_done():
    rows, _ = neighbours(np.random.default_rng(0).normal(size=(50_000, 2)), 3, until=0.0)
    assert 0 < len(rows) < 50_000
