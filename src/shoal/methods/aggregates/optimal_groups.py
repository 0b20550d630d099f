"""Optimal groups of sorted values: k to 2k - 1 neighbours each, least size times width in all.

A larger group can be split without loss, so nothing is missed. O(nk).
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled


def optimal_groups(ordered: Ints, k: int) -> Ints:
    """Starts of the groups of ascending values, of which there are at least k.

    >>> optimal_groups(np.array([1, 2, 3, 50, 51]), 2).tolist()
    [0, 3, 5]
    """
    back = _best_ends(ordered, k)
    starts = [len(ordered)]
    while starts[-1] > 0:
        starts.append(int(back[starts[-1]]))
    return np.array(starts[::-1])


@compiled
def _best_ends(ordered: Any, k: int) -> Any:
    """For every number of values from the left, where the last group of their best grouping begins."""
    rows = len(ordered)
    best, back = np.full(rows + 1, np.inf), np.zeros(rows + 1, np.int64)
    best[0] = 0.0
    for end in range(k, rows + 1):
        for size in range(k, min(2 * k - 1, end) + 1):
            begin = end - size
            width = float(ordered[end - 1]) - float(ordered[begin])
            cost = best[begin] + size * width
            if cost < best[end]:
                best[end], back[end] = cost, begin
    return back
