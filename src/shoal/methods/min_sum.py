"""min-sum (Zhang et al., ICDE 2007, section 6.1): (k,e)-anonymous groups with the least sum of ranges.

Overlapping groups can be merged without a larger sum, so contiguous groups of the sorted values are enough.
With D(i) the last start of a valid group up to point i, the least sum of the first i points is f(i) = x_i +
min over d <= D(i) of f(d - 1) - x_d. As D never descends, the minimum is a running one: O(n) after sorting,
where the paper takes O(n^2). Among partitions with the least sum the one with most groups is taken.
"""

from typing import Any

import numpy as np

from shoal.methods.compiled import compiled
from shoal.methods.keyed_hash import Key
from shoal.methods.partition import NEVER, Demand, groups_of_rows, numbered, points_of
from shoal.methods.ranges import Ints


def min_sum(values: Ints, k: int, e: int, key: Key, gap: int = 1) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous.

    >>> from shoal.methods.keyed_hash import seeded_key
    >>> min_sum(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    if k == 1 and e == 0:
        return np.arange(len(values)) if len(values) else None
    points = points_of(values)
    latest = points.latest_starts(Demand(k, e, gap))
    if latest is None:
        return None
    starts = least_sum(points.above, latest, points.above[-1])
    return groups_of_rows(values, points, numbered(starts, len(latest)), key)


@compiled
def least_sum(points: Any, latest: Any, widest: int) -> Any:
    """Starts of contiguous groups no wider than this with the least sum of ranges, most groups among equals.

    The starts that may be best for a later end wait in a queue, the best of them in front. Some partition
    with no wider group must exist.
    """
    count = len(points)
    back = np.full(count + 1, NEVER)
    best = np.empty(count + 1, np.int64)  # the sum of ranges of the points before, and the groups
    groups = np.zeros(count + 1, np.int64)
    best[0] = 0
    queue = np.empty(count, np.int64)
    front, behind, start = 0, 0, 0
    for end in range(count):
        while start <= latest[end]:
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
        while front < behind and points[end] - points[queue[front]] > widest:
            front += 1
        if front < behind:
            begin = queue[front]
            back[end + 1] = begin
            best[end + 1] = best[begin] + points[end] - points[begin]
            groups[end + 1] = groups[begin] + 1
    starts = np.empty(groups[count], np.int64)
    end = count
    for group in range(groups[count] - 1, -1, -1):
        end = back[end]
        starts[group] = end
    return starts
