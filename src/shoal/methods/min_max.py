"""min-max (Zhang et al., ICDE 2007, problem 6.3): groups without overlap, the widest as narrow as possible.

With a bound on the ranges, the points up to i can be parted iff the newest start that is reached and from
which a group up to i is valid lies near enough; one pass finds them all. The least bound is found by
bisection: O(n log range), where the paper takes O(n^2). The result is at most twice as wide as with groups
that overlap (theorem 4). Equal values may stand on both sides of a cut, which can help. Among the optima the
least sum of ranges is taken, then most groups.
"""

from typing import Any

import numpy as np

from shoal.methods.compiled import compiled
from shoal.methods.keyed_hash import Key
from shoal.methods.partition import NEVER, Demand, cut_rows
from shoal.methods.points import points_of
from shoal.methods.ranges import Ints


def min_max(values: Ints, k: int, e: int, key: Key, gap: int = 1) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous.

    >>> from shoal.methods.keyed_hash import seeded_key
    >>> min_max(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    points = points_of(values)
    kth = Demand(k, e, gap).kth_below(points.above)
    if kth is None:
        return None
    width = least_width(points.above, kth, e)
    return cut_rows(points, _least_sum_within(points.above, kth, e, width), key)


@compiled
def least_width(points: Any, kth: Any, e: int) -> int:
    """The least range such that contiguous groups no wider than it exist."""
    low, high = e, points[-1]
    reached = np.empty(len(points) + 1, np.bool_)
    while low < high:
        middle = low + (high - low) // 2
        if _parts(points, kth, e, middle, reached):
            high = middle
        else:
            low = middle + 1
    return int(high)


@compiled
def _parts(points: Any, kth: Any, e: int, width: int, reached: Any) -> bool:
    """Whether valid groups no wider than this exist; ``reached`` are the starts that such groups lead to."""
    reached[0] = True
    start, newest, last = 0, NEVER, 0
    for end in range(len(points)):
        if points[end] - points[last] > width:
            return False  # every start that was reached is too far away
        while start <= kth[end] and points[end] - points[start] >= e:
            newest = start if reached[start] else newest
            start += 1
        reached[end + 1] = newest != NEVER and points[end] - points[newest] <= width
        last = end + 1 if reached[end + 1] else last
    return bool(reached[len(points)])


@compiled
def _least_sum_within(points: Any, kth: Any, e: int, width: int) -> Any:
    """Starts of groups no wider than this with the least sum of ranges, most groups among equals.

    The starts that may be best for a later end wait in a queue, the best of them in front.
    """
    count = len(points)
    back = np.full(count + 1, NEVER)
    best, groups = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)  # of the points before
    queue = np.empty(count, np.int64)
    front, behind, start = 0, 0, 0
    for end in range(count):
        while start <= kth[end] and points[end] - points[start] >= e:
            if start == 0 or back[start] != NEVER:
                own = best[start] - points[start]
                while behind > front:
                    other = queue[behind - 1]
                    theirs = best[other] - points[other]
                    if theirs < own or (theirs == own and groups[other] > groups[start]):
                        break
                    behind -= 1
                queue[behind] = start
                behind += 1
            start += 1
        while front < behind and points[end] - points[queue[front]] > width:
            front += 1
        if front < behind:
            begin = queue[front]
            back[end + 1] = begin
            best[end + 1] = best[begin] + points[end] - points[begin]
            groups[end + 1] = groups[begin] + 1
    starts = np.empty(groups[count], np.int64)
    end = count
    for group in range(len(starts) - 1, -1, -1):
        end = back[end]
        starts[group] = end
    return starts
