"""Groups from counts and rows dealt one by one are those of the methods that see all rows."""

from functools import reduce

import numpy as np
import pytest

from shoal.kernels.keyed_hash import Purpose, seeded_key
from shoal.methods.permutation.group_assignment import assign_groups, join_tallies, tally_values, value_groups
from shoal.methods.permutation.max_groups import max_groups, max_groups_points
from shoal.methods.permutation.min_max import min_max, min_max_points
from shoal.methods.permutation.min_sum import min_sum, min_sum_points
from shoal.methods.permutation.partition import GroupDemand
from shoal.methods.permutation.points import points_from_counts, points_of
from tests.methods.slow_siphash import slow_hash

METHODS = {
    "min-sum": (min_sum, min_sum_points),
    "max-groups": (max_groups, max_groups_points),
    "min-max": (min_max, min_max_points),
}


def columns(count):
    """Values with ties, negative ones, one alone, and what is asked of their groups."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        spread = int(rng.choice([1, 3, 10, 60]))
        values = rng.integers(-spread, spread + 1, int(rng.integers(1, 120))) * int(rng.choice([1, 10**15]))
        e = int(rng.choice([0, 1, spread])) * int(np.abs(values).max(initial=0) > 60 or 1)
        yield rng, values, GroupDemand(int(rng.integers(1, 5)), e, int(rng.choice([1, 1, 3])))


def in_batches(rng, values, demand, search, key):
    """Each batch knows of the others only what they came to together."""
    batches = np.array_split(rng.permutation(len(values)), 4)
    found = reduce(
        lambda one, other: join_tallies(one, other, key),
        [tally_values(values[ids], ids, key) for ids in batches],
    )
    sides = value_groups(found, demand, search)
    if sides is None:
        return None
    groups = np.empty(len(values), np.int64)
    for ids in batches:
        groups[ids] = assign_groups(values[ids], ids, found, sides, key)
    return groups


@pytest.mark.parametrize("name", METHODS)
def test_groups_are_those_of_the_method_that_sees_all_rows(name):
    method, search = METHODS[name]
    refused = 0
    for seed, (rng, values, demand) in enumerate(columns(150)):
        key = seeded_key(seed)
        expected = method(values, demand.k, demand.e, key, demand.gap)
        if demand.of_single_rows and name != "min-max":
            assert expected.tolist() == list(range(len(values)))
            continue
        found = in_batches(rng, values, demand, search, key)
        refused += expected is None
        assert (found is None) == (expected is None)
        assert expected is None or found.tolist() == expected.tolist()
    assert 0 < refused < 100


@pytest.mark.parametrize("name", METHODS)
def test_draws_follow_the_numbers_of_the_rows_whoever_has_left(name):
    method, search = METHODS[name]
    for seed, (rng, values, demand) in enumerate(columns(80)):
        key, ids = seeded_key(seed), np.sort(rng.choice(500, len(values), replace=False))
        found = tally_values(values, ids, key)
        sides = value_groups(found, demand, search)
        if demand.of_single_rows or sides is None:
            continue
        expected = assign_groups(values, ids, found, sides, key)
        assert method(values, demand.k, demand.e, key, demand.gap, ids).tolist() == expected.tolist()


def test_a_tally_says_who_comes_first_and_last_by_hash():
    values, key = np.array([4, 4, 9, 4, 4]), seeded_key(1)
    found = tally_values(values, np.arange(5), key)
    by_hash = sorted([0, 1, 3, 4], key=lambda row: slow_hash(key, Purpose.GROUPS, row))
    assert found.values.tolist() == [4, 9]
    assert found.counts.tolist() == [4, 1]
    assert found.first.tolist() == [by_hash[0], 2]
    assert found.last.tolist() == [by_hash[-1], 2]


def test_no_rows_come_to_nothing():
    nothing = np.empty(0, np.int64)
    found = tally_values(nothing, nothing, seeded_key(1))
    assert len(found.values) == 0
    assert value_groups(found, GroupDemand(2, 0), min_sum_points) is None


def test_points_from_counts_are_those_of_the_rows():
    for _, values, _ in columns(50):
        counted = points_from_counts(*np.unique(values, return_counts=True))
        assert counted.tolist() == points_of(values).above.tolist()
    with pytest.raises(OverflowError, match="63 bits"):
        points_from_counts(np.array([-(2**62), 2**62]), np.array([1, 1]))
