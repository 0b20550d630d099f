"""Optimal microaggregation of one column (Hansen and Mukherjee, TKDE 2003).

In an optimal partition every group is a run of neighbouring values, k to 2k - 1 of them: a longer run can be
cut in two without loss. So the best partition of the first i values ends in one of k runs, and a dynamic
programme over sums of values and squares finds it in O(nk) after a sort.
"""

from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled


def univariate(values: Floats | Ints, k: int) -> Ints:
    """The group of every row, in ascending order of their values; the sum of squared distances to the means
    of the groups is the least there is. Of equally good partitions, the one whose last groups are smallest.

    >>> univariate(np.array([9, 1, 2, 8, 3, 10, 11]), 2).tolist()
    [1, 0, 0, 1, 0, 2, 2]
    """
    if not 1 <= k <= len(values):
        raise ValueError(f"there are no groups of {k} rows in so few")
    order = np.argsort(values, kind="stable")
    ordered = values[order].astype(np.float64)
    begins = _best_begins(ordered - ordered[len(ordered) // 2], k)
    group_of, number, end = np.empty(len(values), np.int64), 0, len(values)
    while end > 0:
        group_of[order[begins[end] : end]] = number
        number, end = number + 1, int(begins[end])
    return number - 1 - group_of


@compiled
def _best_begins(ordered: Any, k: int) -> Any:
    """For every number of values from the left, where the last group of their best partition begins."""
    rows = len(ordered)
    best, begins = np.full(rows + 1, np.inf), np.zeros(rows + 1, np.int64)
    best[0] = 0.0
    for end in range(k, rows + 1):
        origin, total, squares = ordered[end - 1], 0.0, 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            apart = origin - ordered[end - size]
            total += apart
            squares += apart * apart
            if size >= k:
                loss = best[end - size] + max(squares - total * total / size, 0.0)
                if loss < best[end]:
                    best[end], begins[end] = loss, end - size
    return begins
