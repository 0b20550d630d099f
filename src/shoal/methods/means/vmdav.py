"""V-MDAV, MDAV with groups of variable size (Solanas and Martínez-Ballesté, COMPSTAT 2006).

The record farthest from the centroid of all records and its k - 1 nearest form a group. The group then takes
in the nearest record that is left, up to 2k - 1 records, as long as the distance from that record to the
closest one in the group is below gamma times its distance to the closest one outside. Fewer than k records at
the end join the groups with the nearest centroids.

A small gamma (0.2) suits records that are spread evenly, one above 1 those in clusters; with 0 all groups but
the last ones have k records. Distances, ties and the centroid are computed as in ``mdav``. Brute force takes
O(n²); the same groups come from a kd-tree that shrinks.
"""

from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.means.kd_tree import GONE, kd_tree, nearest, remove, squared_distance
from shoal.methods.means.mdav import (
    PART,
    REBUILD,
    Report,
    centroid_sums,
    contiguous_points,
    fixed_point,
    ignore_progress,
)

GAMMA = 0.2


def vmdav(points: Floats, k: int, gamma: float = GAMMA, on_progress: Report = ignore_progress) -> Ints:
    """The group of every row, numbered from 0 on as they are formed. Columns should be standardized.

    ``on_progress`` is told the share of the rows that have a group.

    >>> vmdav(np.array([[1.0], [2.0], [2.5], [8.0], [9.0]]), 2, gamma=1.1).tolist()
    [1, 1, 1, 0, 0]
    """
    points = contiguous_points(points, k)
    scale = fixed_point(points)
    centroid = centroid_sums(points, scale) / len(points) / scale
    apart = _distances(points, centroid)
    outermost = np.lexsort((np.arange(len(points)), -apart))
    group_of = np.full(len(points), -1)
    tree, groups, left, at = kd_tree(points, np.arange(len(points))), 0, len(points), 0
    while left >= k:
        if left < REBUILD * len(tree.rows):
            tree = kd_tree(points, np.flatnonzero(group_of < 0))
        groups, left, at = _form_groups(
            points, tree, k, gamma, outermost, at, group_of, groups, left, max(int(PART * left), k)
        )
        on_progress(1 - left / len(points))
    join_nearest(points, group_of, groups)
    on_progress(1.0)
    return group_of


@compiled
def _distances(points: Any, target: Any) -> Any:
    found = np.empty(len(points))
    for row in range(len(points)):
        found[row] = squared_distance(points, row, target)
    return found


@compiled
def _form_groups(
    points: Any, tree: Any, k: int, gamma: float, outermost: Any, at: int, group_of: Any, groups: int,
    left: int, until: int,
) -> Any:  # fmt: skip
    """Form groups as long as this many rows are left; how many groups and rows there are then, and where the
    outermost one is."""
    members = np.empty(2 * k, np.int64)
    distances, rows = np.empty(k - 1), np.empty(k - 1, np.int64)
    while left >= until and left >= k:
        while tree.places[outermost[at]] == GONE:
            at += 1
        members[0], size = outermost[at], k
        remove(tree, members[0])
        if k > 1:
            nearest(tree, points[members[0]], distances, rows)
            members[1:k] = rows
            for i in range(1, k):
                remove(tree, members[i])
        size = _extend(points, tree, k, gamma, members)
        group_of[members[:size]] = groups
        groups, left = groups + 1, left - size
    return groups, left, at


@compiled
def _extend(points: Any, tree: Any, k: int, gamma: float, members: Any) -> int:
    """Take in near rows; how many members there are then. Every member remembers the nearest row outside."""
    size, known = k, 0
    closest, distances = np.empty(2 * k, np.int64), np.empty(2 * k)
    two, apart = np.empty(2, np.int64), np.empty(2)
    while size < 2 * k - 1:
        best = -1
        for i in range(size):
            if i >= known or tree.places[closest[i]] == GONE:
                if nearest(tree, points[members[i]], apart[:1], two[:1]) == 0:
                    return size
                closest[i], distances[i] = two[0], apart[0]
            if best < 0 or (distances[i], closest[i]) < (distances[best], closest[best]):
                best = i
        known, row = size, closest[best]
        outside = np.inf
        for i in range(nearest(tree, points[row], apart, two)):
            if two[i] != row:
                outside = min(outside, apart[i])
        if gamma == 0 or not distances[best] < gamma * gamma * outside:
            break
        remove(tree, row)
        members[size] = row
        size += 1
    return size


@compiled
def join_nearest(points: Any, group_of: Any, groups: int) -> None:
    """Rows without a group join the one with the nearest centroid."""
    centroids, sizes = np.zeros((groups, points.shape[1])), np.zeros(groups, np.int64)
    for row in range(len(points)):
        if group_of[row] >= 0:
            centroids[group_of[row]] += points[row]
            sizes[group_of[row]] += 1
    for group in range(groups):
        centroids[group] /= sizes[group]
    for row in range(len(points)):
        if group_of[row] < 0:
            least = np.inf
            for group in range(groups):
                distance = squared_distance(centroids, group, points[row])
                if distance < least:
                    least, group_of[row] = distance, group
