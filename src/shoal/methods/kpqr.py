"""kpqr, ours: groups of any method made (k,p,q,r)-anonymous (Domingo-Ferrer, Sebé and Solanas, 2008), or as
diverse as asked, or both.
"""

import numpy as np

from shoal.methods.diversity import Diversity
from shoal.methods.kd_tree import Floats, Ints
from shoal.methods.merge_nearest import merge_nearest
from shoal.methods.rare import Confidential, Marks, Rare, rare, short_groups
from shoal.methods.tighten import tighten

SLACKS = 1e-12, -1e-9  # sums in floats may miss what is reached exactly; then, more than is asked


def kpqr(
    points: Floats, k: int, diversity: Diversity, columns: list[Confidential], start: Ints
) -> Ints | None:
    rows = len(points)
    together = np.zeros(rows, np.int64)
    if rows < k or not diversity.holds(np.arange(rows)) or len(short_groups(columns, together)):
        return None
    for slack in SLACKS:
        found = _settled(points, k, diversity, rare(columns, rows, slack), start)
        if found is not None and not len(short_groups(columns, found)):
            return found
    return together


def _settled(points: Floats, k: int, diversity: Diversity, asked: Rare, start: Ints) -> Ints | None:
    found = merge_nearest(points, start, diversity, k, asked)
    if found is None:
        return None
    merged = _merged(start, found)
    return tighten(points, found, merged, k, diversity, asked) if merged.any() else found


def _merged(start: Ints, found: Ints) -> Marks:
    """Which groups are made of several at the start.

    >>> _merged(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1])).tolist()
    [True, False]
    """
    pairs = np.unique(np.column_stack([found, start]), axis=0)
    return np.asarray(np.bincount(pairs[:, 0]) > 1)
