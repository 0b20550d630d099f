"""Permutations inside groups: nothing leaves its group, and all permutations are equally likely."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from shoal.kernels.keyed_hash import Purpose, seeded_key
from shoal.methods.permutation.permute import permute
from tests.methods.slow_siphash import slow_hash

GROUPS = np.random.default_rng(1).integers(0, 40, 3000)
CHI_SQUARE_999 = {5: 20.5, 23: 49.7}  # the 99.9 % points for these degrees of freedom


@pytest.mark.parametrize(
    "groups", [GROUPS, np.zeros(500, np.int64), np.arange(500)], ids=["many", "one", "alone"]
)
def test_every_row_receives_one_value_of_its_group(groups):
    source = permute(groups, seeded_key(1))
    assert source.dtype == np.int64
    assert sorted(source.tolist()) == list(range(len(groups)))
    assert (groups[source] == groups).all()


def test_one_row_stays_where_it_is_and_none_is_no_fault():
    assert permute(np.array([2, 0, 1]), seeded_key(1)).tolist() == [0, 1, 2]
    assert permute(np.empty(0, np.int64), seeded_key(1)).tolist() == []


@pytest.mark.parametrize("size", [3, 4])
def test_all_permutations_are_equally_likely(size):
    """Two groups whose rows alternate, under many keys."""
    groups = np.tile([0, 1], size)
    expected = 300
    draws = expected * len(list(permutations(range(size))))
    found = [permute(groups, seeded_key(seed)) // 2 for seed in range(draws)]
    for group in (0, 1):
        counts = Counter(tuple(source[groups == group]) for source in found)
        assert set(counts) == set(permutations(range(size)))
        distance = sum((count - expected) ** 2 for count in counts.values()) / expected
        assert distance < CHI_SQUARE_999[len(counts) - 1]


def pairs_of(one, other):
    """How often the permutations of three rows come together under many keys."""
    rows = np.zeros(3, np.int64)
    return Counter(
        (tuple(one(rows, seeded_key(seed))), tuple(other(rows, seeded_key(seed)))) for seed in range(7200)
    )


@pytest.mark.parametrize("second", [{"purpose": Purpose.GROUPS}, {"stream": 1}], ids=["purpose", "stream"])
def test_another_purpose_or_stream_permutes_independently(second):
    counts = pairs_of(permute, lambda groups, key: permute(groups, key, **second))
    assert len(counts) == 36
    assert sum((count - 200) ** 2 for count in counts.values()) / 200 < 66.6  # 35 degrees of freedom


def test_the_groups_of_a_table_are_permuted_independently():
    groups = np.repeat([0, 1], 3)
    counts = Counter(tuple(permute(groups, seeded_key(seed))) for seed in range(7200))
    assert len(counts) == 36
    assert sum((count - 200) ** 2 for count in counts.values()) / 200 < 66.6


def test_keys_differ_and_one_key_repeats_itself():
    one = permute(GROUPS, seeded_key(1))
    assert one.tolist() == permute(GROUPS, seeded_key(1)).tolist()
    assert (one != permute(GROUPS, seeded_key(2))).mean() > 0.9


def slow_permute(groups, key):
    source = list(range(len(groups)))
    for group in set(groups.tolist()):
        rows = np.flatnonzero(groups == group).tolist()
        shuffled = []
        for i, row in enumerate(rows):
            shuffled.append(row)
            place = slow_hash(key, Purpose.PERMUTE, row) % (i + 1)
            shuffled[i], shuffled[place] = shuffled[place], shuffled[i]
        for row, other in zip(rows, shuffled, strict=True):
            source[row] = other
    return source


def test_it_is_the_textbook_shuffle():
    groups = GROUPS[:200] % 7
    assert permute(groups, seeded_key(5)).tolist() == slow_permute(groups, seeded_key(5))


def test_a_part_that_holds_whole_groups_is_permuted_as_in_the_whole():
    rng = np.random.default_rng(2)
    whole = permute(GROUPS, seeded_key(5), stream=3)
    ids = rng.permutation(len(GROUPS))
    ids = ids[GROUPS[ids] % 3 == 1]
    part = permute(GROUPS[ids] // 3, seeded_key(5), stream=3, ids=ids)
    assert ids[part].tolist() == whole[ids].tolist()
