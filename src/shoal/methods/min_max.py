"""min-max (Zhang et al., ICDE 2007, problem 6.3): groups without overlap, the widest as narrow as possible.

For a bound on the ranges, the points before i can be parted iff a start at or before D(i) and near enough
can be reached, which a running count of reachable starts tells at once. The least bound is found by
bisection: O(n log range). At most twice as wide as with overlapping groups (theorem 4), and equal values
may stand on both sides of a cut, which can help. Among the optima the least sum of ranges is taken, then
most groups.
"""

from typing import Any

import numpy as np

from shoal.methods.compiled import compiled
from shoal.methods.keyed_hash import Key
from shoal.methods.min_sum import least_sum
from shoal.methods.partition import Demand, groups_of_rows, numbered, points_of
from shoal.methods.ranges import Ints


def min_max(values: Ints, k: int, e: int, key: Key, gap: int = 1) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous.

    >>> from shoal.methods.keyed_hash import seeded_key
    >>> min_max(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    points = points_of(values)
    latest = points.latest_starts(Demand(k, e, gap))
    if latest is None:
        return None
    starts = least_sum(points.above, latest, least_bound(points.above, latest))
    return groups_of_rows(values, points, numbered(starts, len(latest)), key)


@compiled
def least_bound(points: Any, latest: Any) -> int:
    """The least range such that contiguous groups no wider than it exist."""
    low, high = 0, points[-1]
    reachable = np.empty(len(points) + 2, np.int64)
    while low < high:
        middle = low + (high - low) // 2
        if _parts(points, latest, middle, reachable):
            high = middle
        else:
            low = middle + 1
    return int(high)


@compiled
def _parts(points: Any, latest: Any, widest: int, reachable: Any) -> bool:
    """Whether valid groups no wider than this exist; reachable[i] counts the reachable starts before i."""
    reachable[0], reachable[1] = 0, 1
    first = 0
    for end in range(len(points)):
        while points[end] - points[first] > widest:
            first += 1
        after = latest[end] + 1
        reached = after > first and reachable[after] > reachable[first]
        reachable[end + 2] = reachable[end + 1] + reached
    return bool(reachable[len(points) + 1] > reachable[len(points)])
