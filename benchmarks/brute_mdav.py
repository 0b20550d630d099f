"""MDAV by brute force: what pruning is compared with.

The plain way goes from row to row. The other one is as fast as passes over all rows can be: columns lie
together in memory and are read in blocks, so that several rows are measured at once. In both, the last rows
take the place of those that have a group. The arithmetic is that of ``shoal.methods.means.mdav``, so the
groups are the same. They run on one core; passes can be shared out, so half of the time is
what two can do at best.
"""

from typing import Any

import numba
import numpy as np

from shoal.arrays import Floats, Ints
from shoal.methods.means.mdav import centroid_sums, fixed_point

BLOCK = 1024


def brute_mdav(points: Floats, k: int, plain: bool = False) -> Ints:
    """The group of every row, two groups per centroid."""
    scale, group_of = fixed_point(points), np.full(len(points), -1)
    columns = points.copy().T if plain else np.ascontiguousarray(points.T)
    _form_groups(columns, np.arange(len(points)), k, centroid_sums(points, scale), scale, group_of, plain)
    return group_of


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _form_groups(columns: Any, rows: Any, k: int, sums: Any, scale: Any, group_of: Any, plain: bool) -> None:
    left, group, opposite = len(rows), 0, 0
    distances, target = np.empty(len(rows)), np.empty(len(columns))
    while left >= 2 * k:
        for column in range(len(target)):
            target[column] = sums[column] / left / scale[column]
        _measure(columns, left, target, distances, plain)
        at = _farthest(distances, rows, left)
        for turn in range(2):
            target[:] = columns[:, at]
            _measure(columns, left, target, distances, plain)
            members = _nearest(distances, rows, left, k)
            for place in members:
                group_of[rows[place]] = group
                distances[place] = -1.0
            if turn == 0:
                opposite = rows[_farthest(distances, rows, left)]
            for place in np.sort(members)[::-1]:
                left -= 1
                for column in range(len(target)):
                    sums[column] -= np.int64(np.rint(columns[column, place] * scale[column]))
                    columns[column, place] = columns[column, left]
                rows[place] = rows[left]
            group += 1
            if turn == 1 or left < 2 * k:
                break
            at = 0
            while rows[at] != opposite:
                at += 1
    for at in range(left):
        group_of[rows[at]] = group


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _measure(columns: Any, left: int, target: Any, distances: Any, plain: bool) -> None:
    if plain:
        for at in range(left):
            total = 0.0
            for column in range(len(target)):
                apart = columns[column, at] - target[column]
                total += apart * apart
            distances[at] = total
        return
    for begin in range(0, left, BLOCK):
        block = distances[begin : min(begin + BLOCK, left)]
        block[:] = 0.0
        for column in range(len(target)):
            cells, centre = columns[column, begin : begin + len(block)], target[column]
            for i in range(len(block)):
                apart = cells[i] - centre
                block[i] += apart * apart


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _farthest(distances: Any, rows: Any, left: int) -> int:
    best, at = -1.0, -1
    for i in range(left):
        if distances[i] >= best and (distances[i] > best or rows[i] < rows[at]):
            best, at = distances[i], i
    return at


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _nearest(distances: Any, rows: Any, left: int, k: int) -> Any:
    """The places of the k nearest, ascending by distance and row."""
    found, kept, bounds, limit = np.empty(k, np.int64), 0, np.empty(k), np.inf
    for at in range(left):
        if distances[at] > limit:
            continue
        slot = min(kept, k - 1)
        if kept == k and distances[at] == limit and rows[at] > rows[found[slot]]:
            continue
        kept = min(kept + 1, k)
        while slot > 0 and (
            distances[at] < bounds[slot - 1]
            or (distances[at] == bounds[slot - 1] and rows[at] < rows[found[slot - 1]])
        ):
            found[slot], bounds[slot] = found[slot - 1], bounds[slot - 1]
            slot -= 1
        found[slot], bounds[slot] = at, distances[at]
        if kept == k:
            limit = bounds[k - 1]
    return found
