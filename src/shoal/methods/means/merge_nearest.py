"""Merge groups that fail with the group of the nearest centroid until every group holds.

Merging ends at the latest when all rows are one group. Groups are taken up in the order of their numbers; one
that fails takes in the group whose centroid is nearest to its own (of equally near ones the lower number),
failing or not, until it holds. The rules of ``diversity`` survive unions; what ``rare_demand`` asks may not,
so every union is judged anew.

The centroids stand in a kd-tree; those that have moved since are in a list beside it, and when the list is
long the tree is built again: for g groups of which f fail, O((g + f) log g) distances where the tree prunes
well. A group that fails counts its rows once, and then those that it takes in.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.diversity import Diversity, diverse
from shoal.methods.means.kd_tree import GONE, kd_tree, nearest, remove, squared_distance
from shoal.methods.means.rare_values import (
    RareDemand,
    begin_group,
    count_row,
    empty_tally,
    rare_demand,
    satisfies_demand,
)

MOVED = 500  # centroids that may stand beside the tree
NONE = -1


class CentroidMerge(NamedTuple):
    """Rows of a group form a chain: from its head, each has a next one, up to the tail."""

    into: Any  # the group that a group has gone into, or NONE
    sums: Any
    centroids: Any
    sizes: Any
    heads: Any
    tails: Any
    next_row: Any
    moved: Any  # groups whose centroids are not in the tree
    counts: Any  # room to count sensitive values
    counted: Any  # the same for confidential ones


def merge_nearest(
    points: Floats, group_of: Ints, diversity: Diversity, k: int = 1, asked: RareDemand | None = None
) -> Ints | None:
    """The group of every row, numbered from 0 on; None if even all rows together fail.

    A group with fewer than k rows fails too, and one that does not keep what is asked of rare values.

    >>> from shoal.methods.diversity import DISTINCT
    >>> asked = Diversity(np.array([[0], [0], [1], [1], [0], [1]]), np.array([[DISTINCT, 2, 0]]))
    >>> points = np.array([[1.0], [2.0], [3.0], [4.0], [8.0], [9.0]])
    >>> merge_nearest(points, np.array([0, 0, 1, 1, 2, 2]), asked).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    points = np.ascontiguousarray(points, np.float64)
    asked = rare_demand([], len(points)) if asked is None else asked
    numbers = np.unique(group_of, return_inverse=True)[1].astype(np.int64)
    groups, columns = int(numbers.max(initial=-1)) + 1, points.shape[1]
    merging = CentroidMerge(
        np.full(groups, NONE),
        np.zeros((groups, columns)),
        np.zeros((groups, columns)),
        np.zeros(groups, np.int64),
        np.full(groups, NONE),
        np.full(groups, NONE),
        np.full(len(points), NONE),
        np.zeros(MOVED, np.int64),
        diversity.counters(),
        empty_tally(asked),
    )
    _chain(points, numbers, merging)
    at = 0
    while at < groups:
        tree = kd_tree(merging.centroids, np.flatnonzero(merging.into == NONE))
        at = _merge(merging, tree, at, k, diversity.codes, diversity.rules, asked)
        if at == NONE:
            return None
    return np.unique(_last(merging.into)[numbers], return_inverse=True)[1].astype(np.int64)


@compiled
def _chain(points: Any, numbers: Any, merging: Any) -> None:
    for row in range(len(points)):
        group = numbers[row]
        if merging.sizes[group] == 0:
            merging.heads[group] = row
        else:
            merging.next_row[merging.tails[group]] = row
        merging.tails[group] = row
        merging.sizes[group] += 1
        merging.sums[group] += points[row]
    for group in range(len(merging.sizes)):
        merging.centroids[group] = merging.sums[group] / merging.sizes[group]


@compiled
def _merge(merging: Any, tree: Any, first: int, k: int, codes: Any, rules: Any, asked: Any) -> int:
    """Go through the groups from the first on; where to go on with another tree, NONE if the last group left
    fails."""
    moved = 0
    for group in range(first, len(merging.into)):
        if merging.into[group] != NONE:
            continue
        merging.counts[:] = 0
        begin_group(merging.counted)
        _count(merging, merging.heads[group], codes, asked)
        while not (
            merging.sizes[group] >= k
            and diverse(merging.counts, rules)
            and satisfies_demand(asked, merging.counted)
        ):
            if moved == len(merging.moved):
                return group
            if tree.places[group] != GONE:
                remove(tree, group)
                merging.moved[moved] = group
                moved += 1
            other = _nearest_centroid(merging, tree, group, moved)
            if other == NONE:
                return NONE
            if tree.places[other] != GONE:
                remove(tree, other)
            _count(merging, merging.heads[other], codes, asked)
            _join(merging, group, other)
    return len(merging.into)


@compiled
def _count(merging: Any, row: int, codes: Any, asked: Any) -> None:
    """The values of the rows from this one on."""
    while row != NONE:
        for at in range(codes.shape[1]):
            merging.counts[at, codes[row, at]] += 1
        count_row(asked, merging.counted, row)
        row = merging.next_row[row]


@compiled
def _nearest_centroid(merging: Any, tree: Any, group: int, moved: int) -> int:
    distance, found = np.full(1, np.inf), np.full(1, NONE)
    nearest(tree, merging.centroids[group], distance, found)
    least, other = distance[0], found[0]
    for i in range(moved):
        candidate = merging.moved[i]
        if candidate != group and merging.into[candidate] == NONE:
            apart = squared_distance(merging.centroids, candidate, merging.centroids[group])
            if apart < least or (apart == least and candidate < other):
                least, other = apart, candidate
    return int(other)


@compiled
def _join(merging: Any, group: int, other: int) -> None:
    """The other group goes into this one."""
    merging.into[other] = group
    merging.next_row[merging.tails[group]] = merging.heads[other]
    merging.tails[group] = merging.tails[other]
    merging.sizes[group] += merging.sizes[other]
    merging.sums[group] += merging.sums[other]
    merging.centroids[group] = merging.sums[group] / merging.sizes[group]


@compiled
def _last(into: Any) -> Any:
    """For every group, the group that it is part of in the end."""
    found = np.arange(len(into))
    for group in range(len(into)):
        at = group
        while into[at] != NONE:
            at = into[at]
        found[group] = at
    return found
