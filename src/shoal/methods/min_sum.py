"""min-sum (Zhang et al., ICDE 2007, section 6.1): (k,e)-anonymous groups with the least sum of ranges.

Overlapping groups can be merged without a larger sum, so contiguous groups of the sorted values are enough.
With D(i) the last start of a valid group up to point i, the least sum of the first i points is f(i) = x_i +
min over d <= D(i) of f(d - 1) - x_d. As D never descends, the minimum is a running one: O(n) after sorting,
where the paper takes O(n^2). Among partitions with the least sum the one with most groups is taken; with
k = 1 and e = 0 every row is a group.
"""

from typing import Any

import numpy as np

from shoal.methods.compiled import compiled
from shoal.methods.keyed_hash import Key
from shoal.methods.partition import Demand, in_order
from shoal.methods.ranges import Ints

UNREACHED = np.iinfo(np.int64).max


def min_sum(values: Ints, k: int, e: int, key: Key, gap: int = 1) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous.

    >>> from shoal.methods.keyed_hash import seeded_key
    >>> min_sum(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    return in_order(values, Demand(k, e, gap), key, least_sum)


@compiled
def least_sum(points: Any, kth: Any, e: int) -> Any:
    """Starts of contiguous groups with the least sum of ranges, most groups among equals."""
    count = len(points)
    cost = np.empty(count + 1, np.int64)  # f(d - 1) - x_d of every start d
    groups, back = np.empty(count + 1, np.int32), np.empty(count + 1, np.int32)
    cost[0], groups[0] = -points[0], 0
    least, most, begin = UNREACHED, 0, 0  # of the starts so far
    start = 0
    for end in range(count):
        while start <= kth[end] and points[end] - points[start] >= e:
            better = (cost[start] < least) | ((cost[start] == least) & (groups[start] >= most))
            least = cost[start] if better else least
            most = groups[start] if better else most
            begin = start if better else begin
            start += 1
        above = points[end + 1] if end + 1 < count else points[end]
        cost[end + 1] = least - (above - points[end]) if start > 0 else UNREACHED
        groups[end + 1] = most + 1
        back[end + 1] = begin
    starts = np.empty(groups[count], np.int64)
    end = count
    for group in range(len(starts) - 1, -1, -1):
        end = back[end]
        starts[group] = end
    return starts
