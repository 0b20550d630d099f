"""MDAV by brute force on all cores: what pruning is compared with.

The last rows take the place of those that have a group, so that a pass goes over what remains and nothing else.
The arithmetic is that of ``shoal.methods.mdav``, so the groups are the same.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from shoal.methods.mdav import centroid_sums, fixed_point

Ints = NDArray[np.int64]


def brute_mdav(points: NDArray[np.float64], k: int) -> Ints:
    """The group of every row, two groups per centroid."""
    scale = fixed_point(points)
    group_of = np.full(len(points), -1)
    _form_groups(points.copy(), np.arange(len(points)), k, centroid_sums(points, scale), scale, group_of)
    return group_of


@numba.njit(cache=True, parallel=True)  # type: ignore[untyped-decorator]
def _form_groups(points: Any, rows: Any, k: int, sums: Any, scale: Any, group_of: Any) -> None:
    parts = numba.get_num_threads()
    left, group = len(rows), 0
    target = np.empty(points.shape[1])
    far, near = np.empty(parts, np.int64), np.empty((parts, k), np.int64)
    distances = np.empty(len(rows))
    while left >= 2 * k:
        for column in range(len(target)):
            target[column] = sums[column] / left / scale[column]
        for part in numba.prange(parts):
            begin, end = left * part // parts, left * (part + 1) // parts
            far[part] = _measure(points, rows, begin, end, target, distances)
        at = _farthest(far, distances, rows)
        for turn in range(2):
            target[:] = points[at]
            for part in numba.prange(parts):
                begin, end = left * part // parts, left * (part + 1) // parts
                far[part] = _measure(points, rows, begin, end, target, distances)
                _nearest(distances, rows, begin, end, near[part])
            members = _nearest_of(near, distances, rows, k)
            opposite = rows[_farthest(far, distances, rows)]
            for place in np.sort(members)[::-1]:
                left -= 1
                group_of[rows[place]] = group
                for column in range(len(target)):
                    sums[column] -= np.int64(np.rint(points[place, column] * scale[column]))
                    points[place, column] = points[left, column]
                rows[place] = rows[left]
            group += 1
            if turn == 1 or left < 2 * k:
                break
            at = 0  # the farthest row is in no group yet: it is farther than the k nearest, or all are equal
            while rows[at] != opposite:
                at += 1
                if at == left:
                    at, opposite = 0, rows[:left].min()
    for at in range(left):
        group_of[rows[at]] = group


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _measure(points: Any, rows: Any, begin: int, end: int, target: Any, distances: Any) -> int:
    """Write all distances; where the farthest is, -1 if there is none."""
    best = -1
    for at in range(begin, end):
        total = 0.0
        for column in range(len(target)):
            apart = points[at, column] - target[column]
            total += apart * apart
        distances[at] = total
        if best < 0 or total > distances[best] or (total == distances[best] and rows[at] < rows[best]):
            best = at
    return best


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _nearest(distances: Any, rows: Any, begin: int, end: int, near: Any) -> None:
    """The nearest places in ascending order, -1 where there are no more."""
    near[:] = -1
    last = len(near) - 1
    for at in range(begin, end):
        if near[last] >= 0 and distances[at] > distances[near[last]]:
            continue
        _insert(distances, rows, near, at)


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _insert(distances: Any, rows: Any, near: Any, at: int) -> None:
    slot = len(near)
    while slot > 0 and (
        near[slot - 1] < 0
        or distances[at] < distances[near[slot - 1]]
        or (distances[at] == distances[near[slot - 1]] and rows[at] < rows[near[slot - 1]])
    ):
        slot -= 1
        if slot + 1 < len(near):
            near[slot + 1] = near[slot]
        near[slot] = at if slot < len(near) else near[slot]


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _nearest_of(near: Any, distances: Any, rows: Any, k: int) -> Any:
    found = np.full(k, -1)
    for part in range(len(near)):
        for at in near[part]:
            if at >= 0:
                _insert(distances, rows, found, at)
    return found


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _farthest(far: Any, distances: Any, rows: Any) -> int:
    best = -1
    for at in far:
        if at >= 0 and (
            best < 0
            or distances[at] > distances[best]
            or (distances[at] == distances[best] and rows[at] < rows[best])
        ):
            best = at
    return best
