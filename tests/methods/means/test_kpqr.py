"""Groups that are settled satisfy the definition, and where there are none, there are none."""

import os
from fractions import Fraction

import numpy as np
import pytest

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.diversity import DISTINCT, ENTROPY, Diversity
from shoal.methods.means import kpqr as module
from shoal.methods.means.kpqr import kpqr
from shoal.methods.means.kpqr_paper import kpqr_paper
from shoal.methods.means.mdav import mdav
from shoal.methods.means.merge_nearest import merge_nearest
from shoal.methods.means.rare_values import rare_demand
from shoal.methods.means.sse import information_loss, sse
from tests.methods.census import census, generated, needs_census
from tests.methods.slow_kpqr import Column, Table, drawn_table

TABLES = 40_000 if "SHOAL_EXPLORE" in os.environ else 500
SMALL = 7  # rows of which all partitions can be tried
EIGHT = Column("numbers", [9, 9, 4, 9, 1, 1, 2, 1], Fraction(15, 100), 3, Fraction(1, 2))
SKEWED, EVEN = [10] * 9 + [990], [108] * 10


def starts(table, seed):
    rows = len(table.points)
    yield mdav(table.points, table.k)
    yield kpqr_paper(table.points, table.k, table.confidential(), seeded_key(seed))
    yield np.random.default_rng(seed).integers(0, rows, rows)


def test_every_result_satisfies_the_definition():
    for seed in range(TABLES):
        table = drawn_table(seed)
        rows = len(table.points)
        solvable = table.holds(range(rows))  # all of them together
        if rows <= SMALL and not solvable:
            assert not table.can_be_solved(), seed
        for start in list(starts(table, seed))[seed % 3 :: 3]:
            found = kpqr(table.points, table.k, Diversity.none(rows), table.confidential(), start)
            assert (found is not None) == solvable, seed
            assert found is None or table.solved_by(found), seed


def test_groups_that_only_merge_stay_whole():
    for seed in range(0, TABLES, 10):
        table = drawn_table(seed)
        start = mdav(table.points, table.k)
        asked = table.k, Diversity.none(len(start)), table.confidential()
        found = kpqr(table.points, *asked, start, only_merge=True)
        if found is not None:
            assert table.solved_by(found), seed
            assert len(np.unique(np.column_stack([start, found]), axis=0)) == start.max() + 1, seed


def test_enough_values_and_rows_always_suffice():
    for seed in range(0, TABLES, 10):
        table = drawn_table(seed)
        if all(column.p <= column.different(range(len(table.points))) for column in table.columns):
            start = mdav(table.points, table.k)
            nothing = Diversity.none(len(table.points))
            assert kpqr(table.points, table.k, nothing, table.confidential(), start) is not None


@pytest.mark.parametrize("seed", range(1, 9))
def test_rare_values_of_eight_rows(seed):
    table = Table(np.arange(1.0, 9.0)[:, np.newaxis], 4, [EIGHT])
    nothing = Diversity.none(8)
    printed = kpqr_paper(table.points, 4, table.confidential(), seeded_key(seed))
    for start in mdav(table.points, 4), printed:
        assert table.solved_by(kpqr(table.points, 4, nothing, table.confidential(), start))


@pytest.mark.parametrize("rule", [[DISTINCT, 3, 0], [ENTROPY, 2, 0]])
def test_diversity_is_kept_with_and_without_rare_values(rule):
    points = generated(120)
    rng = np.random.default_rng(1)
    codes = rng.choice(5, (120, 1), p=[0.6, 0.1, 0.1, 0.1, 0.1])
    diversity = Diversity(codes, np.array([rule], float))
    column = Column("numbers", rng.integers(0, 6, 120).tolist(), Fraction(1), 3, Fraction(3, 4))
    table = Table(points, 4, [column])
    for columns in [], table.confidential():
        found = kpqr(points, 4, diversity, columns, mdav(points, 4))
        assert all(diversity.holds(np.flatnonzero(found == group)) for group in range(found.max() + 1))
        assert np.bincount(found).min() >= 4
    assert table.solved_by(found)


def test_what_no_group_can_have_is_refused():
    points = generated(6)
    asked = Diversity(np.zeros((6, 1), np.int64), np.array([[DISTINCT, 2.0, 0.0]]))
    assert kpqr(points, 2, asked, [], np.arange(6) // 2) is None
    assert kpqr(points, 7, Diversity.none(6), [], np.arange(6)) is None


def test_groups_that_hold_stay_as_they_are():
    points = generated(90)
    start = mdav(points, 3)
    assert (kpqr(points, 3, Diversity.none(90), [], start) == start).all()


def test_where_floats_fail_all_rows_are_one_group(monkeypatch):
    """Variances of numbers about 10^17 that are equal on paper."""
    values = [10**17, 10**17 + 3] * 4
    table = Table(generated(8), 2, [Column("numbers", values, Fraction(1), 2, Fraction(1))])
    monkeypatch.setattr(module, "SLACKS", (0.5,))
    alike = np.array([0, 0, 0, 1, 1, 1, 1, 1])  # too low a variance, by less than half
    assert kpqr(table.points, 2, Diversity.none(8), table.confidential(), alike).tolist() == [0] * 8
    monkeypatch.undo()
    for start in mdav(table.points, 2), alike:
        assert table.solved_by(kpqr(table.points, 2, Diversity.none(8), table.confidential(), start))


def test_it_loses_no_more_than_merging():
    points = generated(600)
    column = Column("numbers", [row % 10 for row in range(600)], Fraction(1), 3, Fraction(3, 4))
    columns, nothing, start = [column.confidential()], Diversity.none(600), mdav(points, 4)
    merged = merge_nearest(points, start, nothing, 4, rare_demand(columns, 600))
    assert sse(points, kpqr(points, 4, nothing, columns, start)) < 0.9 * sse(points, merged)


def shuffled(counts, seed):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(1, 11), counts)).tolist()


@pytest.mark.slow
@needs_census
@pytest.mark.parametrize(("k", "p"), [(3, 2), (4, 3), (7, 5)])
def test_skewed_values_cost_less_than_p_sensitivity(k, p):
    """Table 3 of the paper: and at least half as many groups as without any confidential values."""
    points, start = census(12), mdav(census(12), k)
    for seed in range(10):
        table = Table(
            points, k, [Column("numbers", shuffled(SKEWED, seed), Fraction(1, 5), p, Fraction(1, 2))]
        )
        codes = np.array(table.columns[0].values)[:, np.newaxis]
        sensitive = Diversity(codes, np.array([[DISTINCT, p, 0.0]]))
        least = information_loss(points, kpqr(points, k, sensitive, [], start))
        printed = kpqr_paper(points, k, table.confidential(), seeded_key(seed))
        for begun in start, printed:
            found = kpqr(points, k, Diversity.none(len(points)), table.confidential(), begun)
            assert information_loss(points, found) < 0.85 * least
            assert 2 * (found.max() + 1) >= start.max() + 1
