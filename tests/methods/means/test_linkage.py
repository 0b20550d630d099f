"""Linked records against all distances, by exact fractions of chances."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means import linkage as module
from shoal.methods.means.linkage import linkage_shares
from shoal.methods.means.mdav import mdav
from tests.draws import draws
from tests.methods.census import generated
from tests.methods.slow_mdav import squared_distance


def slow_linked(points, centres, group_of):
    shares, found = Fraction(0), Fraction(0)
    at = [tuple(centre) for centre in centres]
    for point, group in zip(points, group_of, strict=True):
        distances = {centre: squared_distance(point, centre) for centre in at}
        least = min(distances.values())
        nearest = [centre for centre in distances if distances[centre] == least]
        if at[group] in nearest:
            shares += Fraction(1, len(nearest))
            there = sum(at[other] == at[group] for other in group_of)
            found += Fraction(1, len(nearest) * there)
    return float(shares / len(points)), float(found / len(points))


@draws(100)
@given(
    rows=st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 5)), min_size=1, max_size=40
    ),
    centres=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=6, max_size=6),
)
def test_ties_and_equal_centres_are_shared(rows, centres):
    table = np.array(rows)
    points, centres = table[:, :2].astype(float), np.array(centres) / 2
    expected = slow_linked(points.tolist(), centres.tolist(), table[:, 2].tolist())
    assert linkage_shares(points, centres, table[:, 2]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_centroids_of_many_groups(k):
    points = generated(400)
    group_of = mdav(points, k)
    centres = np.array([points[group_of == group].mean(axis=0) for group in range(group_of.max() + 1)])
    expected = slow_linked(points.tolist(), centres.tolist(), group_of.tolist())
    assert linkage_shares(points, centres, group_of) == pytest.approx(expected, abs=1e-12)


def test_records_published_as_they_are_are_found():
    points = np.arange(10.0)[:, np.newaxis]
    assert linkage_shares(points, points, np.arange(10)) == (1.0, 1.0)


def test_one_centre_for_all_finds_one_of_all():
    points = np.arange(8.0)[:, np.newaxis]
    assert linkage_shares(points, np.array([[3.5]]), np.zeros(8, np.int64)) == (1.0, 1 / 8)
    assert linkage_shares(points, np.array([[3.5], [3.5]]), np.arange(8) % 2) == (1.0, 1 / 8)


def test_negative_zero_is_zero():
    assert linkage_shares(np.zeros((2, 1)), np.array([[0.0], [-0.0]]), np.array([0, 1])) == (1.0, 0.5)


def test_no_records_are_none_found():
    assert linkage_shares(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, np.int64)) == (0.0, 0.0)


def test_progress_is_told_in_parts(monkeypatch):
    monkeypatch.setattr(module, "PART", 3)
    said = []
    linkage_shares(np.arange(8.0)[:, np.newaxis], np.array([[1.0], [6.0]]), np.arange(8) // 4, said.append)
    assert said == [3 / 8, 6 / 8, 1.0]
