"""The printed heuristic against the paper's steps, one by one, and made to hold."""

import os
from fractions import Fraction

import numpy as np
import pytest

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.diversity import Diversity
from shoal.methods.means.kpqr import kpqr
from shoal.methods.means.kpqr_paper import kpqr_paper
from shoal.methods.means.mdav import mdav
from tests.methods.census import generated
from tests.methods.slow_kpqr import Column, Table, drawn_table, slow_kpqr_paper

TABLES = 20_000 if "SHOAL_EXPLORE" in os.environ else 500
KEY = seeded_key(3)


def test_groups_are_those_of_the_paper():
    for seed in range(TABLES):
        table = drawn_table(seed)
        found = kpqr_paper(table.points, table.k, table.confidential(), KEY)
        assert found.tolist() == slow_kpqr_paper(table, KEY), seed


def test_more_records_are_looked_at_until_one_fits():
    """Of 400 records, only the farthest has another value."""
    points = np.arange(400.0)[:, np.newaxis]
    values = [1] * 399 + [5]
    table = Table(points, 3, [Column("numbers", values, Fraction(1), 2, Fraction(1, 2))])
    found = kpqr_paper(points, 3, table.confidential(), KEY)
    assert found.tolist() == slow_kpqr_paper(table, KEY)


def test_nothing_rare_is_mdav_with_one_group_per_centroid():
    points = generated(60)
    column = Column("words", [0, 1] * 30, Fraction(1, 4), 2, Fraction(1))
    found = kpqr_paper(points, 3, [column.confidential()], KEY)
    assert (found == mdav(points, 3, "one-group")).all()


def test_what_the_printed_steps_leave_short_is_settled():
    """The rare values 8 and 9 are alike: a variance that suffices among them is low in the whole table."""
    values = [1] * 20 + [8, 9, 8, 9] + [20] * 20
    points = generated(len(values))
    table = Table(points, 2, [Column("numbers", values, Fraction(1, 8), 2, Fraction(1, 2))])
    printed = kpqr_paper(points, 2, table.confidential(), KEY)
    assert not table.solved_by(printed)
    assert table.solved_by(kpqr(points, 2, Diversity.none(len(points)), table.confidential(), printed))


def test_the_key_tells_the_groups():
    points = generated(200)
    column = Column("numbers", [row % 7 for row in range(200)], Fraction(1), 3, Fraction(1, 2)).confidential()
    several = [kpqr_paper(points, 4, [column], seeded_key(seed)).tolist() for seed in (1, 1, 2)]
    assert several[0] == several[1] != several[2]


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="no groups of 3 rows"):
        kpqr_paper(np.zeros((2, 1)), 3, [], KEY)
