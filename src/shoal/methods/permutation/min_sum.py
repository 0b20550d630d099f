"""min-sum (Zhang et al., ICDE 2007, section 6.1): (k,e)-anonymous groups with the least sum of ranges.

Overlapping groups can be merged without a larger sum, so contiguous groups of the sorted values are enough.
With D(i) the last start of a valid group up to point i, the least sum of the first i points is f(i) = x_i +
min over d <= D(i) of f(d - 1) - x_d. As D never descends, the minimum is a running one: O(n) after sorting,
where the paper takes O(n^2). Among partitions with the least sum the one with most groups is taken; with
k = 1 and e = 0 every row is a group.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.partition import NEVER, GroupDemand, contiguous_groups, number_groups


def min_sum(values: Ints, k: int, e: int, key: Key, gap: int = 1, ids: Ints | None = None) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous. ``ids`` are the rows'
    numbers in ascending order, where they are not 0, 1 and so on.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> min_sum(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    demand = GroupDemand(k, e, gap)
    if demand.of_single_rows:
        return np.arange(len(values)) if len(values) else None
    return contiguous_groups(values, demand, key, min_sum_points, ids)


def min_sum_points(points: Ints, demand: GroupDemand) -> Ints | None:
    """The group of every point; None if all together are not (k,e)-anonymous.

    >>> min_sum_points(np.array([0, 1, 2, 7, 8]), GroupDemand(2, 1)).tolist()
    [0, 0, 0, 1, 1]
    """
    last = demand.last_starts(points)
    if last is None:
        return None
    least, most, best = np.empty((3, len(points) + 1), np.int64)
    least_sum(points, last, least, most, best)
    return last


@compiled
def least_sum(points: Any, last: Any, least: Any, most: Any, best: Any) -> int:
    """Put the groups of the points in the place of ``last`` and say how many they are.

    Of the starts up to d, ``best[d]`` has the least f(d - 1) - x_d, which is ``least[d]``, with ``most[d]``
    groups before it.
    """
    low, many, begin = -points[0], 0, 0  # of the starts so far
    least[0], most[0], best[0] = low, many, begin
    for end in range(len(points)):
        start = last[end]
        if start != NEVER:
            above = points[min(end + 1, len(points) - 1)]
            cost, groups = least[start] - (above - points[end]), most[start] + 1
            last[end] = best[start]
            better = (cost < low) | ((cost == low) & (groups >= many))
            low = min(low, cost)
            many += better * (groups - many)  # no branch: which start is better cannot be foreseen
            begin += better * (end + 1 - begin)
        least[end + 1], most[end + 1], best[end + 1] = low, many, begin
    return number_groups(last, most)
