"""The nearest other rows of every row, the closest first; equal distances by the lower row number."""

from time import perf_counter
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.methods.means.kd_tree import KdTree, kd_tree, nearest

PART = 20_000  # rows between two looks at the clock


def neighbours(points: Floats, count: int, until: float = np.inf) -> tuple[Ints, Any]:
    """The rows that have been looked at when the clock says so, and ``count`` neighbours of each (of the
    others, nothing that means anything). All of them with enough time; rows that lie together come together.

    >>> rows, near = neighbours(np.array([[0.0], [1.0], [3.0], [9.0]]), 2)
    >>> near.tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    tree = kd_tree(points, np.arange(len(points)))
    near = np.empty((len(points), count), np.int32)
    done = 0
    while done < len(points) and (done == 0 or perf_counter() < until):
        end = min(done + PART, len(points))
        _fill(tree, done, end, near)
        done = end
    return tree.rows[:done], near


def _fill(tree: KdTree, begin: int, end: int, near: Any) -> None:
    def work(first: int, last: int) -> None:
        _find_neighbours(tree, begin + first, begin + last, near)

    over_ranges(work, end - begin, weight=10)


@compiled
def _find_neighbours(tree: Any, begin: int, end: int, near: Any) -> None:
    count = near.shape[1]
    distances, rows = np.empty(count + 1), np.empty(count + 1, np.int64)
    for place in range(begin, end):
        nearest(tree, tree.points[place], distances, rows)
        ordered = rows[np.argsort(rows)]
        ordered = ordered[np.argsort(distances[np.argsort(rows)], kind="mergesort")]
        listed = 0
        for row in ordered:  # the row itself need not be among them: others can be equal to it
            if row != tree.rows[place] and listed < count:
                near[tree.rows[place], listed] = row
                listed += 1
