"""Record linkage: how often a record would be traced to its own class if somebody knew it as it was.

The intruder takes the published centre that is nearest to the record, and any of the records there; equal
centres are one, and among equally near ones each is as likely. Distances are squared and summed column by
column in float64, as in ``kd_tree``; no nearer centre is missed.
"""

from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.codes import dense_codes
from shoal.kernels.compiled import compiled, over_ranges
from shoal.methods.means.kd_tree import KdTree, equally_near, kd_tree, squared_distance
from shoal.methods.means.mdav import Report, ignore_progress

PART = 50_000  # rows between two reports


def linkage_shares(
    points: Floats, centres: Floats, group_of: Ints, on_progress: Report = ignore_progress
) -> tuple[float, float]:
    """The share of records whose nearest centre is that of their group, and the share of them that would be
    found if one record of that centre were picked at random. ``centres`` has one row per group.

    ``on_progress`` is told the share of the rows that are done.

    >>> points = np.array([[0.0], [4.0], [6.0], [1.0]])
    >>> linkage_shares(points, np.array([[2.0], [8.0]]), np.array([0, 0, 1, 1]))
    (0.75, 0.375)
    """
    if not len(points):
        return 0.0, 0.0
    centre_of = dense_codes([np.unique(column, return_inverse=True)[1] for column in np.transpose(centres)])
    different = np.empty((int(centre_of.max()) + 1, centres.shape[1]))
    different[centre_of] = centres
    own = centre_of[group_of]
    ties = _ties(np.ascontiguousarray(points, np.float64), different, own, on_progress)
    found = ties > 0
    chances = 1 / ties[found]
    at_centre = np.bincount(own)[own[found]]
    return float(chances.sum() / len(points)), float((chances / at_centre).sum() / len(points))


def _ties(points: Floats, centres: Floats, own: Ints, on_progress: Report) -> Ints:
    """How many centres are as near to each row as its own; 0 if one is nearer."""
    tree = kd_tree(centres, np.arange(len(centres)))
    ranks = np.empty(len(centres), np.int64)
    ranks[tree.rows] = np.arange(len(centres))
    order = np.argsort(ranks[own])  # rows that lie together one after the other
    ties = np.empty(len(points), np.int64)
    for begin in range(0, len(points), PART):
        end = min(begin + PART, len(points))
        _fill(tree, points, centres, own, order[begin:end], ties)
        on_progress(end / len(points))
    return ties


def _fill(tree: KdTree, points: Floats, centres: Floats, own: Ints, rows: Ints, ties: Ints) -> None:
    def work(first: int, last: int) -> None:
        _find_ties(tree, points, centres, own, rows[first:last], ties)

    over_ranges(work, len(rows), weight=10)


@compiled
def _find_ties(tree: Any, points: Any, centres: Any, own: Any, rows: Any, ties: Any) -> None:
    for row in rows:
        distance = squared_distance(centres, own[row], points[row])
        ties[row] = equally_near(tree, points[row], distance)
