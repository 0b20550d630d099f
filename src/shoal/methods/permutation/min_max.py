"""min-max (Zhang et al., ICDE 2007, problem 6.3): groups without overlap, the widest as narrow as possible.

With a bound on the ranges, the points up to i can be parted iff the newest start that is reached and from
which a group up to i is valid lies near enough; one pass finds them all. The least bound is found by
bisection: O(n log range), where the paper takes O(n^2). The result is at most twice as wide as with groups
that overlap (theorem 4). Equal values may stand on both sides of a cut, which can help. Among the optima the
least sum of ranges is taken, then most groups.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.partition import NEVER, GroupDemand, contiguous_groups, number_groups


def min_max(values: Ints, k: int, e: int, key: Key, gap: int = 1, ids: Ints | None = None) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous. ``ids`` are the rows'
    numbers in ascending order, where they are not 0, 1 and so on.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> min_max(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    return contiguous_groups(values, GroupDemand(k, e, gap), key, min_max_points, ids)


def min_max_points(points: Ints, demand: GroupDemand) -> Ints | None:
    """The group of every point; None if all together are not (k,e)-anonymous.

    >>> min_max_points(np.array([0, 1, 2, 7, 8]), GroupDemand(2, 1)).tolist()
    [0, 0, 0, 1, 1]
    """
    last = demand.last_starts(points)
    if last is None:
        return None
    width = least_width(points, last, demand.e)
    best, most, queue = np.empty((3, len(last) + 1), np.int64)
    _least_sum_within(points, last, width, best, most, queue)
    return last


def least_width(points: Ints, last: Ints, e: int) -> int:
    """The least range such that contiguous groups no wider than it exist."""
    low, high = e, int(points[-1])
    reached = np.empty(len(points) + 1, np.int64)
    while low < high:
        middle = low + (high - low) // 2
        if _parts(points, last, middle, reached):
            high = middle
        else:
            low = middle + 1
    return high


@compiled
def _parts(points: Any, last: Any, width: int, reached: Any) -> bool:
    """Whether valid groups no wider than this exist; ``reached[d]`` is the newest start up to d that such
    groups lead to."""
    reached[0] = 0
    for end in range(len(points)):
        newest = reached[end]
        if points[end] - points[newest] > width:
            return False  # every start that was reached is too far away
        start = last[end]
        fits = start != NEVER and points[end] - points[reached[start]] <= width
        reached[end + 1] = end + 1 if fits else newest
    return bool(reached[len(points)] == len(points))


@compiled
def _least_sum_within(
    points: Any, last: Any, width: int, best: Any, most: Any, queue: Any
) -> None:  # fmt: skip
    """Put groups no wider than this with the least sum of ranges, most groups among equals, in the place of
    ``last``. Of the points before d, ``best[d]`` is the sum and ``most[d]`` the number of groups.

    The starts that may be best for a later end wait in a queue, the best of them in front.
    """
    best[0], most[0] = 0, 0
    front, behind, start = 0, 0, 0
    for end in range(len(points)):
        while start <= last[end]:
            if most[start] != NEVER:
                own = best[start] - points[start]
                while behind > front:
                    other = queue[behind - 1]
                    theirs = best[other] - points[other]
                    if theirs < own or (theirs == own and most[other] > most[start]):
                        break
                    behind -= 1
                queue[behind] = start
                behind += 1
            start += 1
        while front < behind and points[end] - points[queue[front]] > width:
            front += 1
        most[end + 1] = NEVER
        if front < behind:
            begin = queue[front]
            last[end] = begin
            best[end + 1] = best[begin] + points[end] - points[begin]
            most[end + 1] = most[begin] + 1
    number_groups(last, most)
