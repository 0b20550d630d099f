"""residual on parts of a table, as an engine would run it, and in one go: the same rows are published."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.aggregates import residual_parts
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.knowledge import Knowledge, Tolerance
from shoal.methods.aggregates.residual import near_rows, residual, residual_part
from shoal.methods.aggregates.residual_parts import (
    NO_PART,
    PartScheme,
    part_numbers,
    part_schemes,
    row_status,
)
from shoal.methods.diversity import DISTINCT, Diversity
from tests.draws import draws

SUM = WeightedSum(np.array([1, 1, 1]))
OTHER = WeightedSum(np.array([1, 0, -1]))


class Largest:
    """An aggregate that does not add up."""

    ends_suffice = True

    def image(self, low, high):
        return low.max(axis=-1), high.max(axis=-1)

    def without(self, values, kept):
        kept = np.broadcast_to(kept, values.shape)
        return np.where(kept.any(axis=-1), np.where(kept, values, -np.inf).max(axis=-1), 0.0)


KNOWLEDGE_OF_ONE = Knowledge((WeightedSum(np.array([1])),))
KNOWLEDGE = {
    "sum": Knowledge((SUM,)),
    "two sums": Knowledge((SUM, OTHER)),
    "sum and a column": Knowledge((SUM,), (1,)),
    "largest": Knowledge((Largest(),)),
}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(residual_parts, "ROWS_AT_ONCE", 40)


def table_of(rng, rows):
    """Zeros and ties beside large numbers: some rows share what is known, others do not."""
    values = rng.integers(-2, 3, (rows, 3)) * 10
    odd = rng.random(rows) < rng.choice([0.0, 0.02, 0.3, 1.0])
    values[odd] += rng.integers(0, 500, (odd.sum(), 3))
    return values


def in_an_engine(values, known, k, key, within=None, diversity=None):
    """Low and high of every row. The rows come in any order; first those that know the same are together,
    then those of a part."""
    ids = np.random.default_rng(len(values)).permutation(len(values))
    asked = diversity or Diversity.none(len(values))
    alone = near_rows(values, known, k, within)
    stands = {}
    homes = np.unique(np.array(known.values(values)), axis=1, return_inverse=True)[1].ravel() % 3
    for home in range(3):
        rows = ids[homes[ids] == home]
        if len(rows):
            stands[home] = (rows, row_status(values[rows], rows, known, k, alone[rows], asked.of(rows)))
    free = sum(int(one.free.sum()) for _, one in stands.values())
    for cut in part_schemes(len(values) - free, free):
        part_of = np.full(len(values), NO_PART)
        for rows, one in stands.values():
            part_of[rows] = cut.part_of(one, rows, key)
        parts = [ids[part_of[ids] == number] for number in range(cut.parts)]
        if all(len(rows) >= k and asked.holds(rows) for rows in parts):
            break
    low, high = values.copy(), values.copy()
    for rows in parts:
        made = residual_part(
            values[rows], rows, known, k, key, None, within, asked.of(rows), alone=alone[rows]
        )
        low[rows[made.order]], high[rows[made.order]] = made.low, made.high
    return low, high


@draws(80)
@given(st.sampled_from(list(KNOWLEDGE)), st.integers(5, 160), st.integers(2, 5), st.integers(0, 2**32))
def test_an_engine_publishes_the_same_rows(name, rows, k, seed):
    values, known = table_of(np.random.default_rng(seed), rows), KNOWLEDGE[name]
    made = residual(values, known, k, seeded_key(seed))
    assert np.array_equal(made.in_input_order(), in_an_engine(values, known, k, seeded_key(seed)))


@draws(40)
@given(st.integers(5, 160), st.integers(2, 5), st.integers(0, 2**32), st.booleans())
def test_an_engine_publishes_the_same_rows_if_totals_are_known_within_a_share(rows, k, seed, anywhere):
    values, known, within = (
        table_of(np.random.default_rng(seed), rows),
        KNOWLEDGE["sum"],
        Tolerance(0.1, anywhere),
    )
    made = residual(values, known, k, seeded_key(seed), within=within)
    assert np.array_equal(made.in_input_order(), in_an_engine(values, known, k, seeded_key(seed), within))


@draws(40)
@given(st.sampled_from(list(KNOWLEDGE)), st.integers(10, 160), st.integers(2, 4), st.integers(0, 2**32))
def test_an_engine_publishes_the_same_rows_if_they_must_be_diverse(name, rows, k, seed):
    rng = np.random.default_rng(seed)
    values, known = table_of(rng, rows), KNOWLEDGE[name]
    codes = np.minimum(rng.integers(0, 9, (rows, 1)), 2)
    codes[:3, 0] = [0, 1, 2]
    asked = Diversity(codes, np.array([[DISTINCT, 3.0, 0.0]]))
    made = residual(values, known, k, seeded_key(seed), diversity=asked)
    for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
        assert asked.holds(made.order[begin:end])
    again = in_an_engine(values, known, k, seeded_key(seed), diversity=asked)
    assert np.array_equal(made.in_input_order(), again)


@draws(80)
@given(st.sampled_from(["sum", "two sums"]), st.integers(41, 160), st.integers(2, 5), st.integers(0, 2**32))
def test_classes_of_parts_have_one_image_and_contain_their_rows(name, rows, k, seed):
    values, known = table_of(np.random.default_rng(seed), rows), KNOWLEDGE[name]
    made = residual(values, known, k, seeded_key(seed))
    own = values[made.order]
    assert sorted(made.order) == list(range(rows))
    assert ((made.low <= own) & (own <= made.high)).all()
    assert (np.diff(made.starts) >= k).all()
    for f in known.sums():
        ends = np.sort([f.weights * made.low, f.weights * made.high], axis=0).sum(axis=2)
        for begin, end in zip(made.starts[:-1], made.starts[1:], strict=True):
            assert (ends[:, begin:end] == ends[:, [begin]]).all()


def parts_of(values, k):
    values = np.array(values).reshape(-1, 1)
    nothing = np.zeros(len(values), bool), Diversity.none(len(values))
    return part_numbers(values, np.arange(len(values)), KNOWLEDGE_OF_ONE, k, seeded_key(0), *nothing)


def test_shared_rows_of_a_large_table_need_no_part():
    assert (parts_of([7] * 30 + [8] * 30, 3) == NO_PART).all()


def test_a_rest_below_k_takes_small_classes_along_and_leaves_most_of_them():
    values = np.append(np.repeat(np.arange(100), 3), 1000)
    part_of = parts_of(values, 3)
    assert part_of[-1] == 0
    taken = (part_of[:-1] == 0).reshape(-1, 3)
    assert (taken.all(axis=1) == taken.any(axis=1)).all()
    assert 15 < taken.sum() < 75
    assert (residual(values.reshape(-1, 1), KNOWLEDGE_OF_ONE, 3, seeded_key(0)).high > 99).sum() == 4


def test_a_rest_below_k_among_large_classes_makes_all_rows_go_into_parts():
    values = np.append(np.repeat([1, 2], 60), 1000)
    part_of = parts_of(values, 3)
    assert sorted(set(part_of.tolist())) == [0, 1, 2, 3]
    made = residual(values.reshape(-1, 1), KNOWLEDGE_OF_ONE, 3, seeded_key(0))
    assert (made.high > 2).sum() == 3


def test_the_rest_of_a_large_table_is_parted_evenly():
    sizes = np.bincount(parts_of(np.arange(4000), 3))
    assert len(sizes) == 100
    assert abs(sizes - 40).max() < 32


def test_parts_too_small_for_a_class_are_joined():
    assert set(parts_of(np.arange(90), 31).tolist()) <= {0, 1}
    assert parts_of(np.arange(90), 90).tolist() == [0] * 90


def test_the_whole_table_is_the_last_cut():
    assert next(part_schemes(0, 50)).parts == 0
    assert next(part_schemes(3, 20)) == PartScheme(1, 2**32, 23)
    assert [cut.parts for cut in part_schemes(100, 100)] == [3, 5, 2, 1]
