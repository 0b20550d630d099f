"""MDAV, maximum distance to average vector (Domingo-Ferrer and Torra, DMKD 2005): groups of k similar
records.

The record farthest from the centroid of those that remain and its k - 1 nearest form a group, then the record
farthest from that one and its k - 1 nearest, until fewer than 3k remain. With 2k or more of them, the
farthest from their centroid forms one more group; what is left, k to 2k - 1 records, is the last. The rule
"one-group" (Domingo-Ferrer, Sebé and Solanas, 2008) forms only the first of the two groups before it looks
for the centroid again, until fewer than 2k remain.

What is equal on paper must be equal here, whatever the order of work. Distances are squared, summed over the
columns from left to right in float64, and equal ones are decided by the lower row number. The centroid is the
sum of what remains, as whole multiples of a power of two that keep at least 62 - log2(n) bits of the largest
value of a column: such sums are exact, so they depend on which records remain and on nothing else.

Brute force takes O(n²/k). Here the same groups come from a kd-tree that shrinks. It knows how far the records
of a box are from the centroid of the time when it was built, which has hardly moved when the next one is
asked for.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.means.kd_tree import farthest, kd_tree, nearest, remove

Rule = Literal["two-groups", "one-group"]
Report = Callable[[float], None]

BITS = 62  # of a sum
BLOCK = 100_000  # rows that are added up at a time
REBUILD = 0.5  # share of the points that remain when a tree has become too large for them
PART = 0.9  # share of them after which one part of the work ends


def ignore_progress(_share: float) -> None:
    """The report of progress where nobody is watching."""
    return


def mdav(points: Floats, k: int, rule: Rule = "two-groups", on_progress: Report = ignore_progress) -> Ints:
    """The group of every row, numbered from 0 on as they are formed. Columns should be standardized.

    ``on_progress`` is told the share of the rows that have a group.

    >>> mdav(np.array([[1.0], [2.0], [8.0], [9.0], [10.0]]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    points = contiguous_points(points, k)
    scale = fixed_point(points)
    sums = centroid_sums(points, scale)
    group_of = np.full(len(points), -1)
    groups, left, two = 0, len(points), rule == "two-groups"
    tree = kd_tree(points, np.arange(len(points)))
    while left >= 2 * k:
        if left < REBUILD * len(tree.rows):
            tree = kd_tree(points, np.flatnonzero(group_of < 0))
        groups, left = _form_groups(
            points, tree, k, two, sums, scale, group_of, groups, left, max(int(PART * left), 2 * k)
        )
        on_progress(1 - left / len(points))
    group_of[group_of < 0] = groups
    on_progress(1.0)
    return group_of


def contiguous_points(points: Floats, k: int) -> Floats:
    """The points as rows that lie together in memory."""
    if not 1 <= k <= len(points):
        raise ValueError(f"there are no groups of {k} rows in so few")
    if not np.isfinite(points).all():
        raise ValueError("a coordinate is missing or infinite")
    return np.ascontiguousarray(points, np.float64)


def fixed_point(points: Floats) -> Floats:
    """What to multiply every column with, so that sums of the rounded products fit 63 bits.

    >>> fixed_point(np.array([[1.0, 0.0], [3.0, 0.0]])).tolist() == [2.0**58, 1.0]
    True
    """
    largest = np.abs(points).max(axis=0)
    exponents = BITS - len(points).bit_length() - np.frexp(largest)[1]
    return np.asarray(np.where(largest > 0, np.ldexp(1.0, np.minimum(exponents, 1000)), 1.0))


def centroid_sums(points: Floats, scale: Floats) -> Ints:
    """The exact sums of the columns, in units of one by scale."""
    sums = np.zeros(points.shape[1], np.int64)
    for part in np.array_split(points, len(points) // BLOCK + 1):
        sums += np.rint(part * scale).astype(np.int64).sum(axis=0)
    return sums


@compiled
def _form_groups(
    points: Any, tree: Any, k: int, two: bool, sums: Any, scale: Any, group_of: Any, groups: int, left: int,
    until: int,
) -> Any:  # fmt: skip
    """Form groups as long as this many rows are left; how many groups and rows there are then."""
    columns = points.shape[1]
    centroid = np.empty(columns)
    distances, rows = np.empty(k - 1), np.empty(k - 1, np.int64)
    while left >= until and left >= 2 * k:
        for column in range(columns):
            centroid[column] = sums[column] / left / scale[column]
        found = farthest(tree, centroid)
        _take(points, tree, found, sums, scale, group_of, groups, distances, rows)
        groups, left = groups + 1, left - k
        if two and left >= 2 * k:
            opposite = farthest(tree, points[found])
            _take(points, tree, opposite, sums, scale, group_of, groups, distances, rows)
            groups, left = groups + 1, left - k
    return groups, left


@compiled
def _take(
    points: Any, tree: Any, row: int, sums: Any, scale: Any, group_of: Any, group: int, distances: Any,
    rows: Any,
) -> None:  # fmt: skip
    """Form a group of a row and those nearest to it."""
    _leave(points, tree, row, sums, scale, group_of, group)
    if len(rows) == 0:
        return
    nearest(tree, points[row], distances, rows)
    for other in rows:
        _leave(points, tree, other, sums, scale, group_of, group)


@compiled
def _leave(points: Any, tree: Any, row: int, sums: Any, scale: Any, group_of: Any, group: int) -> None:
    group_of[row] = group
    remove(tree, row)
    for column in range(points.shape[1]):
        sums[column] -= np.int64(np.rint(points[row, column] * scale[column]))
