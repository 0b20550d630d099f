"""Merging with the nearest centroid against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.diversity import ALPHA, DISTINCT, ENTROPY, RECURSIVE, Diversity
from shoal.methods.means import merge_nearest as module
from shoal.methods.means.mdav import mdav
from shoal.methods.means.merge_nearest import merge_nearest
from shoal.methods.means.rare_values import rare_demand
from tests.draws import draws
from tests.methods.census import generated
from tests.methods.slow_kpqr import drawn_table
from tests.methods.slow_mdav import slow_merge_nearest

RULES = {
    "distinct": [DISTINCT, 3, 0],
    "entropy": [ENTROPY, 2, 0],
    "recursive": [RECURSIVE, 2, 1.5],
    "alpha": [ALPHA, 0, 0.6],
}


def sets_of(found):
    return {frozenset(np.flatnonzero(found == group).tolist()) for group in range(found.max() + 1)}


def assert_merged_as_slowly(points, groups, diversity, k):
    found = merge_nearest(points, groups, diversity, k)
    expected = slow_merge_nearest(
        points.tolist(), groups.tolist(), lambda rows: len(rows) >= k and diversity.holds(rows)
    )
    assert (found is None) == (expected is None)
    if found is not None:
        assert sets_of(found) == expected


@pytest.mark.parametrize("rule", RULES)
@draws(50)
@given(
    rows=st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 3), st.integers(0, 8)),
        min_size=1,
        max_size=30,
    ),
    k=st.integers(1, 4),
)
def test_groups_are_those_of_the_definition(rule, rows, k):
    table = np.array(rows)
    diversity = Diversity(table[:, 2:3], np.array([RULES[rule]], np.float64))
    assert_merged_as_slowly(table[:, :2].astype(float), table[:, 3], diversity, k)


@pytest.mark.parametrize("moved", [1, 5, 500])
def test_how_often_the_tree_is_built_does_not_matter(moved, monkeypatch):
    rng = np.random.default_rng(0)
    points = generated(400)
    codes = rng.choice(6, (400, 2), p=[0.7, 0.1, 0.1, 0.05, 0.03, 0.02])
    diversity = Diversity(codes, np.array([[DISTINCT, 2, 0], [ENTROPY, 1.5, 0]]))
    monkeypatch.setattr(module, "MOVED", moved)
    assert_merged_as_slowly(points, mdav(points, 3), diversity, 1)


def test_groups_that_hold_stay_as_they_are():
    points = generated(90)
    groups = mdav(points, 3)
    found = merge_nearest(points, groups, Diversity.none(90))
    assert sets_of(found) == sets_of(groups)


def test_small_groups_join_the_nearest():
    points = np.array([[0.0], [1.0], [9.0], [10.0], [11.0]])
    found = merge_nearest(points, np.array([0, 0, 1, 2, 2]), Diversity.none(5), k=2)
    assert found.tolist() == [0, 0, 1, 1, 1]


def test_what_all_rows_together_lack_cannot_be_reached():
    asked = Diversity(np.zeros((6, 1), np.int64), np.array([[DISTINCT, 2.0, 0.0]]))
    assert merge_nearest(np.zeros((6, 1)), np.arange(6) // 2, asked) is None


def test_groups_with_rare_values_merge_until_these_are_kept():
    for seed in range(200):
        table = drawn_table(seed)
        rows = len(table.points)
        groups = np.random.default_rng(seed).integers(0, rows, rows)
        asked = rare_demand(table.confidential(), rows, slack=1e-12)
        found = merge_nearest(table.points, groups, Diversity.none(rows), table.k, asked)
        expected = slow_merge_nearest(table.points.tolist(), groups.tolist(), table.holds)
        assert (None if found is None else sets_of(found)) == expected
