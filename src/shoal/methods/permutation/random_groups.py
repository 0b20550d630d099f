"""random (Zhang et al., ICDE 2007, section 7.1): a baseline that takes the rows as they come.

The rows are shuffled by the keyed hash. A group is closed as soon as it is valid; the rows left over join
the last one. With a gap, a value counts when it lies a gap from all that were counted before, which may
close a group later than necessary but never too early. O(n k) at worst.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.permutation.partition import GroupDemand
from shoal.methods.permutation.points import points_of


def random_groups(values: Ints, k: int, e: int, key: Key, gap: int = 1) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> random_groups(np.array([4, 4, 5, 5]), 2, 1, seeded_key(1)).tolist()
    [1, 0, 0, 1]
    """
    if GroupDemand(k, e, gap).last_starts(points_of(values).above) is None:
        return None
    order = np.argsort(hash_rows(key, Purpose.GROUPS, len(values)))
    groups = np.empty(len(values), np.int64)
    groups[order] = _closed_at_once(values[order], k, e, max(gap, 1))
    return groups


@compiled
def _closed_at_once(values: Any, k: int, e: int, gap: int) -> Any:
    groups = np.empty(len(values), np.int64)
    counted = np.empty(k, np.int64)
    size, group = 0, 0
    smallest = largest = values[0]
    for row in range(len(values)):
        value = values[row]
        if size == 0:
            smallest = largest = value
        smallest, largest = min(smallest, value), max(largest, value)
        if size < k:
            size = _count(counted, size, value, gap)
        groups[row] = group
        if size == k and largest - smallest >= e:
            size = 0
            group += 1
    if size > 0 and group > 0:
        last = group - 1
        for row in range(len(values)):
            if groups[row] == group:
                groups[row] = last
    return groups


@compiled
def _count(counted: Any, size: int, value: int, gap: int) -> int:
    """Enter a value among the ascending ones that count, if it is far enough from its neighbours."""
    at = np.searchsorted(counted[:size], value)
    if (at > 0 and value - counted[at - 1] < gap) or (at < size and counted[at] - value < gap):
        return size
    for i in range(size, at, -1):
        counted[i] = counted[i - 1]
    counted[at] = value
    return size + 1
