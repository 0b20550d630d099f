"""Rows dealt to groups of points one by one, where nobody sees all rows at once.

The groups follow from the distinct values and how many rows have each. Where a value is in two groups, two of
its rows have to be known besides: the first and the last by the keyed hash of their numbers, which see to it
that neither group is without the value. Every other row draws its side by itself, so about half go to each.
"""

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.keyed_hash import Key, Purpose, hash_ids
from shoal.methods.permutation.partition import GroupDemand, Search
from shoal.methods.permutation.points import points_from_counts


@dataclass(frozen=True)
class ValueTally:
    """The distinct values in ascending order: how many rows have each, and the numbers of the first and the
    last of them by hash."""

    values: Ints
    counts: Ints
    first: Ints
    last: Ints


@dataclass(frozen=True)
class ValueGroups:
    """The two groups of every distinct value, which are often the same."""

    lower: Ints
    upper: Ints


def tally_values(values: Ints, ids: Ints, key: Key) -> ValueTally:
    """What is to be known of some rows.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> tally_values(np.array([5, 2, 5]), np.array([0, 1, 2]), seeded_key(0)).counts.tolist()
    [1, 2]
    """
    return _tally(values, np.ones(len(ids), np.int64), ids, ids, key)


def join_tallies(one: ValueTally, other: ValueTally, key: Key) -> ValueTally:
    """What is to be known of the rows of both."""
    return _tally(
        np.append(one.values, other.values),
        np.append(one.counts, other.counts),
        np.append(one.first, other.first),
        np.append(one.last, other.last),
        key,
    )


def _tally(values: Ints, counts: Ints, first: Ints, last: Ints, key: Key) -> ValueTally:
    by_first = np.lexsort((first, hash_ids(key, Purpose.GROUPS, first), values))
    by_last = np.lexsort((last, hash_ids(key, Purpose.GROUPS, last), values))
    ordered = values[by_first]
    changes = ordered[1:] != ordered[:-1]
    starts, ends = np.flatnonzero(np.append(True, changes)), np.flatnonzero(np.append(changes, True))
    if not len(values):
        return ValueTally(values, counts, first, last)
    sums = np.add.reduceat(counts[by_first], starts)
    return ValueTally(ordered[starts], sums, first[by_first[starts]], last[by_last[ends]])


def value_groups(found: ValueTally, demand: GroupDemand, search: Search) -> ValueGroups | None:
    """The groups of every value by the search of a method, such as ``min_sum_points``; None if there are no
    valid ones."""
    groups = search(points_from_counts(found.values, found.counts), demand)
    if groups is None:
        return None
    points = np.minimum(found.counts, 2)
    ends = np.cumsum(points)
    return ValueGroups(groups[ends - points], groups[ends - 1])


def assign_groups(values: Ints, ids: Ints, found: ValueTally, sides: ValueGroups, key: Key) -> Ints:
    """The group of some rows, given what all rows together came to."""
    at = np.searchsorted(found.values, values)
    upper = (hash_ids(key, Purpose.GROUPS, ids) & np.uint64(1)).astype(bool)
    upper = (upper & (ids != found.first[at])) | ((ids == found.last[at]) & (found.counts[at] > 1))
    return np.where(upper, sides.upper[at], sides.lower[at])
