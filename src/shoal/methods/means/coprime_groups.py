"""Groups whose sizes have no common divisor, so that whole means can keep every total.

If all sizes are multiples of a number above 1, so is every sum of size times mean. A record that moves from a
group to another one makes an end of that, but a group of k records has none to spare. So of two near groups
that are merged one record moves on to a third, or the records of one group move to the nearest others. What
costs the least SSE among these changes, tried where groups lie close together, is done. Nothing but sizes is
looked at: whoever asks more of a group has to look again.

If none of them helps, the two nearest groups are merged for good. Of two groups, any number of records may
move. So there is no answer only if no two coprime sizes of at least k make up the table: 2k records, say.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.means.kd_tree import KdTree, kd_tree, nearest
from shoal.methods.means.neighbours import neighbours
from shoal.methods.means.sse import sse

PAIRS = 20  # near groups that are tried
NEAR = 4  # groups to which a record may move
LOOKED_AT = 10_000  # records that may move


def coprime_groups(points: Floats, group_of: Ints, k: int) -> Ints | None:
    """Groups of at least k rows, numbered from 0 on, whose sizes have no common divisor: the same ones if
    that is so already. None if there are none, or only one group.

    >>> points = np.array([[1.0], [2.0], [4.0], [5.0], [8.0], [9.0], [30.0], [31.0]])
    >>> coprime_groups(points, np.array([0, 0, 1, 1, 2, 2, 3, 3]), 2).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2]
    """
    points = np.ascontiguousarray(points, np.float64)
    groups = CentroidGroups(points, np.unique(group_of, return_inverse=True)[1].astype(np.int64), k)
    if gcd(*groups.sizes.tolist()) == 1:
        return group_of
    if len(groups.sizes) == 1:
        return None
    changes = list(_shifts(groups) if len(groups.sizes) == 2 else _changes(groups))
    if changes:
        best = min(changes, key=groups.cost)
        return np.unique(groups.after(best), return_inverse=True)[1].astype(np.int64)
    pair = next(_near_pairs(groups), None) if len(groups.sizes) > 2 else None
    return None if pair is None else coprime_groups(points, groups.after(_merged(groups, *pair)), k)


def dissolve_group(points: Floats, group_of: Ints, k: int, outside: float = 0.0) -> Ints | None:
    """Groups of at least k rows, numbered from 0 on, after one has been dissolved and its records have joined
    as many others: means of groups of different sizes, each a unit more or less, make up any total. None if
    there are fewer than three groups.

    It is one near the centre of all, or further ``outside``, up to 1, where values differ more.

    >>> points = np.array([[1.0], [2.0], [4.0], [5.0], [8.0], [9.0], [30.0], [31.0]])
    >>> dissolve_group(points, np.array([0, 0, 1, 1, 2, 2, 3, 3]), 2).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2]
    """
    points = np.ascontiguousarray(points, np.float64)
    groups = CentroidGroups(points, np.unique(group_of, return_inverse=True)[1].astype(np.int64), k)
    if len(groups.sizes) < 3:
        return None
    smallest = (groups.sizes == groups.sizes.min()).nonzero()[0]
    around = _squares(groups.centroids[smallest], points.mean(axis=0))
    first = int(outside * max(len(smallest) - PAIRS, 0))
    tried = smallest[np.argsort(around, kind="stable")[first : first + PAIRS]].tolist()
    best = min((_spread(groups, group) for group in tried), key=groups.cost)
    return np.unique(groups.after(best), return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class GroupChange:
    """Rows and the groups to which they move."""

    rows: Ints
    to: Ints


@dataclass(frozen=True)
class CentroidGroups:
    """Groups of points with their sizes and centroids."""

    points: Floats
    group_of: Ints
    k: int

    @cached_property
    def sizes(self) -> Ints:
        return np.bincount(self.group_of)

    @cached_property
    def centroids(self) -> Floats:
        columns = [np.bincount(self.group_of, column) / self.sizes for column in self.points.T]
        return np.ascontiguousarray(np.transpose(columns))

    @cached_property
    def tree(self) -> KdTree:
        return kd_tree(self.centroids, np.arange(len(self.sizes)))

    @cached_property
    def _by_group(self) -> tuple[Ints, Ints]:
        return np.argsort(self.group_of, kind="stable"), np.append(0, np.cumsum(self.sizes))

    def rows(self, *groups: int) -> Ints:
        order, begins = self._by_group
        return np.concatenate([order[begins[group] : begins[group + 1]] for group in groups])

    def near(self, rows: Ints, besides: int = 1) -> Ints:
        """For every row the groups whose centroids are nearest, and as many as may be its own."""
        found = np.empty((len(rows), min(NEAR + besides, len(self.sizes))), np.int64)
        _near(self.tree, self.points[rows], found)
        return found

    def after(self, change: GroupChange) -> Ints:
        changed = self.group_of.copy()
        changed[change.rows] = change.to
        return changed

    def cost(self, change: GroupChange) -> float:
        """The amount by which SSE grows."""
        rows = self.rows(*np.unique(np.append(self.group_of[change.rows], change.to)).tolist())
        before, after = (
            sse(self.points[rows], np.unique(numbers[rows], return_inverse=True)[1])
            for numbers in (self.group_of, self.after(change))
        )
        return after - before

    def holds(self, change: GroupChange) -> bool:
        """Are sizes coprime then, and none below k?"""
        left = np.bincount(self.group_of[change.rows], minlength=len(self.sizes))
        after = self.sizes - left + np.bincount(change.to, minlength=len(self.sizes))
        there = after[after > 0]
        return bool(there.min() >= self.k and np.gcd.reduce(there) == 1)


def _spread(groups: CentroidGroups, group: int) -> GroupChange:
    """Every row of a group in a near other one, each in another as long as there are some."""
    rows = groups.rows(group)
    near = groups.near(rows, besides=len(rows))
    squares = _squares(groups.points[rows][:, np.newaxis], groups.centroids[near])
    to, taken = np.empty(len(rows), np.int64), {group}
    for at in range(len(rows)):
        others = near[at, np.argsort(squares[at], kind="stable")]
        others = others[others != group].tolist()
        to[at] = next((other for other in others if other not in taken), others[0])
        taken.add(int(to[at]))
    return GroupChange(rows, to)


def _changes(groups: CentroidGroups) -> Iterator[GroupChange]:
    """Changes that make the sizes of three or more groups coprime."""
    yield from _moves(groups)
    for a, b in _near_pairs(groups):
        yield from _merged_less_one(groups, a, b)
        for group in (a, b):
            dissolved = _dissolved(groups, group)
            if groups.holds(dissolved):
                yield dissolved


def _moves(groups: CentroidGroups) -> Iterator[GroupChange]:
    """The best move of one row whose group can spare it."""
    rows = np.flatnonzero(groups.sizes[groups.group_of] > groups.k)
    homes = groups.group_of[rows]
    sizes = groups.sizes[homes]
    leaving = _squares(groups.points[rows], groups.centroids[homes]) * sizes / np.maximum(sizes - 1, 1)
    chosen = np.argsort(-leaving, kind="stable")[:LOOKED_AT]
    yield from _best_moves(groups, rows[chosen], leaving[chosen], None)


def _merged_less_one(groups: CentroidGroups, a: int, b: int) -> Iterator[GroupChange]:
    """Two groups in one, but for the row that can leave best."""
    merged, rows = _merged(groups, a, b), groups.rows(a, b)
    leaving = _squares(groups.points[rows], groups.points[rows].mean(axis=0)) * len(rows) / (len(rows) - 1)
    yield from _best_moves(groups, rows, leaving, merged)


def _best_moves(
    groups: CentroidGroups, rows: Ints, leaving: Floats, merged: GroupChange | None
) -> Iterator[GroupChange]:
    """The first of these moves to a near group that makes sizes coprime, the cheapest one first."""
    if not len(rows):
        return
    near = groups.near(rows, besides=2)
    sizes = groups.sizes[near]
    apart = _squares(groups.points[rows][:, np.newaxis], groups.centroids[near])
    costs = apart * sizes / (sizes + 1) - leaving[:, np.newaxis]
    homes = groups.group_of[rows]
    costs[near == homes[:, np.newaxis] if merged is None else np.isin(near, homes)] = np.inf
    for place in np.argsort(costs, axis=None, kind="stable").tolist():
        at, choice = divmod(place, near.shape[1])
        if costs[at, choice] == np.inf:
            return
        change = _with_row(merged, int(rows[at]), int(near[at, choice]))
        if groups.holds(change):
            yield change
            return


def _with_row(merged: GroupChange | None, row: int, to: int) -> GroupChange:
    if merged is None:
        return GroupChange(np.array([row]), np.array([to]))
    others = merged.rows != row
    return GroupChange(np.append(merged.rows[others], row), np.append(merged.to[others], to))


def _merged(groups: CentroidGroups, a: int, b: int) -> GroupChange:
    rows = groups.rows(a)
    return GroupChange(rows, np.full(len(rows), b))


def _dissolved(groups: CentroidGroups, group: int) -> GroupChange:
    """Every row of a group in the nearest other one."""
    rows = groups.rows(group)
    near = groups.near(rows)
    squares = _squares(groups.points[rows][:, np.newaxis], groups.centroids[near])
    squares[near == group] = np.inf
    return GroupChange(rows, near[np.arange(len(rows)), squares.argmin(axis=1)])


def _near_pairs(groups: CentroidGroups) -> Iterator[tuple[int, int]]:
    """Pairs of groups that cost the least to merge, first."""
    near = neighbours(groups.centroids, 1)[1][:, 0].astype(np.int64)
    sizes, others = groups.sizes, groups.sizes[near]
    costs = _squares(groups.centroids, groups.centroids[near]) * sizes * others / (sizes + others)
    for a in np.argsort(costs, kind="stable")[:PAIRS].tolist():
        yield a, int(near[a])


def _shifts(groups: CentroidGroups) -> Iterator[GroupChange]:
    """Rows of one of two groups that move to the other, as few as make the sizes coprime."""
    for home in (0, 1):
        rows, other = groups.rows(home), 1 - home
        gain = _squares(groups.points[rows], groups.centroids[home])
        gain -= _squares(groups.points[rows], groups.centroids[other])
        order = np.argsort(-gain, kind="stable")
        for count in range(1, len(rows) - groups.k + 1):
            if gcd(len(rows) - count, len(groups.points)) == 1:
                yield GroupChange(rows[order[:count]], np.full(count, other))
                break


def _squares(points: Any, targets: Any) -> Any:
    return ((points - targets) ** 2).sum(axis=-1)


@compiled
def _near(tree: Any, targets: Any, found: Any) -> None:
    distances = np.empty(found.shape[1])
    for at in range(len(targets)):
        nearest(tree, targets[at], distances, found[at])
