"""What microaggregation loses: squared distances of the records to the centroids of their groups, summed
(SSE), as a share of those to the centroid of all (SST)."""

from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled


def sse(points: Floats, group_of: Ints) -> float:
    """Groups are numbered from 0 on; numbers without a row are no harm.

    >>> sse(np.array([[1.0], [3.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    return float(_sse(np.ascontiguousarray(points, np.float64), group_of, int(group_of.max(initial=-1)) + 1))


def information_loss(points: Floats, group_of: Ints) -> float:
    """100 SSE / SST; 0 if all records are equal.

    >>> information_loss(np.array([[1.0], [3.0], [5.0], [7.0]]), np.array([0, 0, 1, 1]))
    20.0
    """
    total = sse(points, np.zeros(len(points), np.int64))
    return 100 * sse(points, group_of) / total if total > 0 else 0.0


@compiled
def _sse(points: Any, group_of: Any, groups: int) -> float:
    centroids, sizes = np.zeros((groups, points.shape[1])), np.zeros(groups, np.int64)
    for row in range(len(points)):
        centroids[group_of[row]] += points[row]
        sizes[group_of[row]] += 1
    for group in range(groups):
        centroids[group] /= max(sizes[group], 1)
    total = 0.0
    for row in range(len(points)):
        for column in range(points.shape[1]):
            total += (points[row, column] - centroids[group_of[row], column]) ** 2
    return total
