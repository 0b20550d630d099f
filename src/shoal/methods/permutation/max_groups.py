"""max-groups (Zhang et al., ICDE 2007, section 7.1): as many (k,e)-anonymous groups as possible.

Going up the sorted values, a group is closed as soon as it is valid; what is left over at the top joins the
last one. No contiguous partition has more groups: its j-th group never ends before the j-th here. O(n)
after sorting.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.partition import GroupDemand, contiguous_groups


def max_groups(values: Ints, k: int, e: int, key: Key, gap: int = 1, ids: Ints | None = None) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous. ``ids`` are the rows'
    numbers in ascending order, where they are not 0, 1 and so on.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> max_groups(np.array([1, 9, 2, 8, 3]), 2, 1, seeded_key(0)).tolist()
    [0, 1, 0, 1, 1]
    """
    demand = GroupDemand(k, e, gap)
    if demand.of_single_rows:
        return np.arange(len(values)) if len(values) else None
    return contiguous_groups(values, demand, key, max_groups_points, ids)


def max_groups_points(points: Ints, demand: GroupDemand) -> Ints | None:
    """The group of every point; None if all together are not (k,e)-anonymous.

    >>> max_groups_points(np.array([0, 1, 2, 7, 8]), GroupDemand(2, 1)).tolist()
    [0, 0, 1, 1, 1]
    """
    last = demand.last_starts(points)
    return None if last is None else np.asarray(_closed_at_once(points, last))


@compiled
def _closed_at_once(points: Any, last: Any) -> Any:
    """The groups of the points, in the place of ``last``."""
    group, start = 0, 0
    for end in range(len(points)):
        closed = start <= last[end]
        last[end] = group
        group += closed
        start = end + 1 if closed else start
    last[start:] = group - 1
    return last
