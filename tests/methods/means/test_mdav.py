"""MDAV against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means import mdav as module
from shoal.methods.means.mdav import mdav
from shoal.methods.means.sse import information_loss
from tests.draws import draws
from tests.methods.census import census, generated, needs_census
from tests.methods.slow_mdav import plain_mdav, slow_mdav

RULES = ("two-groups", "one-group")
CELLS = {
    "whole": st.integers(-3, 3).map(float),
    "real": st.floats(-1e6, 1e6),
    "tiny": st.sampled_from([0.0, 1e-200, 3e-200, 1e-320]),
    "huge": st.sampled_from([0.0, 1e150, -1e150, 1.0]),
    "0.1": st.integers(-5, 5).map(lambda number: number * 0.1),
}


@st.composite
def tables(draw, most=40):
    width = draw(st.integers(1, 4))
    cells = [CELLS[draw(st.sampled_from(sorted(CELLS)))] for _ in range(width)]
    return np.array(draw(st.lists(st.tuples(*cells), min_size=1, max_size=most)))


def heaped(rows, columns, seed):
    """Many equal rows, a constant column, and a few rows far out."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (rows, columns)).astype(float) * rng.integers(0, 2, (rows, 1))
    points[:, -1] = 2.5
    points[rng.integers(0, rows, rows // 50), 0] *= 100
    return points


@pytest.mark.parametrize("rule", RULES)
@draws(200)
@given(points=tables(), k=st.integers(1, 9))
def test_groups_are_those_of_the_definition(rule, points, k):
    if k <= len(points):
        assert mdav(points, k, rule).tolist() == slow_mdav(points, k, rule)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_groups_of_hundreds_of_rows_are_those_of_the_definition(rule, seed):
    rng = np.random.default_rng(seed)
    columns, k = int(rng.integers(1, 8)), int(rng.integers(2, 12))
    points = rng.normal(size=(300, columns)) if seed % 2 else heaped(300, columns, seed)
    assert (
        mdav(points, k, rule).tolist() == slow_mdav(points, k, rule) == plain_mdav(points, k, rule).tolist()
    )


@pytest.mark.parametrize("points", [np.random.default_rng(0).normal(size=(3000, 7)), heaped(3000, 4, 0)])
@pytest.mark.parametrize("k", [3, 40])
def test_groups_of_thousands_of_rows_are_those_of_brute_force(points, k):
    assert (mdav(points, k) == plain_mdav(points, k)).all()


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("k", [3, 10])
def test_groups_of_20_000_rows_are_those_of_brute_force(k, rule):
    for points in (
        np.random.default_rng(1).normal(size=(20_000, 7)),
        heaped(20_000, 5, 1),
        generated(20_000),
    ):
        assert (mdav(points, k, rule) == plain_mdav(points, k, rule)).all()


@pytest.mark.parametrize("patience", [0, 1000])
def test_how_often_lists_and_trees_are_made_again_does_not_matter(patience, monkeypatch):
    points = generated(700)
    usual = mdav(points, 4)
    monkeypatch.setattr(module, "REBUILD", 0.99 if patience else 0.0)
    monkeypatch.setattr(module, "PART", 0.99 if patience else 0.0)
    assert (mdav(points, 4) == usual).all()


@pytest.mark.parametrize(("rows", "sizes"), [(5, [5]), (9, [9]), (10, [5, 5]), (14, [5, 9]), (15, [5, 5, 5])])
def test_groups_have_k_rows_and_the_last_one_up_to_twice_as_many(rows, sizes):
    points = np.random.default_rng(rows).normal(size=(rows, 2))
    assert np.bincount(mdav(points, 5)).tolist() == sizes
    assert np.bincount(mdav(points, 5, "one-group")).tolist() == sizes


def test_equal_rows_are_grouped_by_their_numbers():
    assert mdav(np.zeros((7, 2)), 2).tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_order_of_memory_does_not_matter():
    points = generated(100)
    assert (mdav(np.asfortranarray(points), 3) == mdav(points, 3)).all()


def test_progress_rises_to_one():
    shares = []
    mdav(generated(500), 3, on_progress=shares.append)
    assert shares == sorted(shares)
    assert len(shares) > 20
    assert shares[-1] == 1.0


@pytest.mark.parametrize("k", [0, 4])
def test_too_few_rows_are_refused(k):
    with pytest.raises(ValueError, match="no groups of"):
        mdav(np.zeros((3, 1)), k)


@pytest.mark.parametrize("cell", [np.nan, np.inf])
def test_cells_that_are_no_numbers_are_refused(cell):
    with pytest.raises(ValueError, match="missing or infinite"):
        mdav(np.array([[0.0], [cell]]), 1)


@pytest.mark.parametrize(
    ("k", "two", "one"), [(3, 0.954563, 0.987193), (5, 2.131097, 2.118315), (10, 4.396953, 4.119882)]
)
def test_information_loss_of_a_generated_table(k, two, one):
    """Figures of the slow reference."""
    points = generated(400)
    assert information_loss(points, mdav(points, k)) == pytest.approx(two, abs=1e-6)
    assert information_loss(points, mdav(points, k, "one-group")) == pytest.approx(one, abs=1e-6)


@pytest.mark.slow
@needs_census
@pytest.mark.parametrize(("k", "loss"), [(3, 5.6922), (4, 7.4947), (5, 9.0884), (7, 11.5979), (10, 14.1559)])
def test_information_loss_of_the_census_table(k, loss):
    assert information_loss(census(), mdav(census(), k)) == pytest.approx(loss, abs=5e-5)


@pytest.mark.slow
@needs_census
@pytest.mark.parametrize(("k", "loss"), [(3, 5.587), (4, 7.527), (5, 9.212), (7, 11.536)])
def test_information_loss_of_the_paper(k, loss):
    """Domingo-Ferrer, Sebé and Solanas (2008), table 2: 5.58, 7.52, 11.53, and 9.21 in the text, cut."""
    points = census(12)
    assert information_loss(points, mdav(points, k, "one-group")) == pytest.approx(loss, abs=5e-4)
