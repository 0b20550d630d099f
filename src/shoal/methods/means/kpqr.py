"""kpqr, ours: groups of any method made (k,p,q,r)-anonymous (Domingo-Ferrer, Sebé and Solanas, 2008), or as
diverse as asked, or both.

Groups that fail merge with the nearest until they hold (``merge_nearest``); those that have merged are split
again, and their records moved and exchanged (``tighten``). If no group fails, nothing is changed. There is a
result whenever all rows together hold: for k at most their number, p at most the number of different values
and r at most 1.

Searches add up in floats; what they find is then judged exactly. Where they were deceived, they search again
for a little more than is asked, and at last all rows are one group.
"""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.methods.diversity import Diversity
from shoal.methods.means.merge_nearest import merge_nearest
from shoal.methods.means.rare_values import ConfidentialColumn, Marks, RareDemand, rare_demand, short_groups
from shoal.methods.means.tighten import tighten

SLACKS = 1e-12, -1e-9  # sums in floats may miss what is reached exactly; then, more than is asked


def kpqr(
    points: Floats,
    k: int,
    diversity: Diversity,
    columns: list[ConfidentialColumn],
    start: Ints,
    only_merge: bool = False,
) -> Ints | None:
    """The group of every row, numbered from 0 on; None if even all rows together fail. With ``only_merge``,
    rows of one group at the start stay together.

    >>> from fractions import Fraction
    >>> column = ConfidentialColumn.of_numbers(
    ...     np.array([0, 0, 1, 1, 0, 1]), np.array([1, 9]), q=Fraction(1), p=2, r=Fraction(1, 2)
    ... )
    >>> points = np.array([[1.0], [2.0], [3.0], [4.0], [8.0], [9.0]])
    >>> kpqr(points, 2, Diversity.none(6), [column], np.array([0, 0, 1, 1, 2, 2])).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    rows = len(points)
    together = np.zeros(rows, np.int64)
    if rows < k or not diversity.holds(np.arange(rows)) or len(short_groups(columns, together)):
        return None
    for slack in SLACKS:
        found = _groups_from(points, k, diversity, rare_demand(columns, rows, slack), start, only_merge)
        if found is not None and not len(short_groups(columns, found)):
            return found
    return together


def _groups_from(
    points: Floats, k: int, diversity: Diversity, asked: RareDemand, start: Ints, only_merge: bool
) -> Ints | None:
    found = merge_nearest(points, start, diversity, k, asked)
    if found is None or only_merge:
        return found
    merged = _merged(start, found)
    return tighten(points, found, merged, k, diversity, asked) if merged.any() else found


def _merged(start: Ints, found: Ints) -> Marks:
    """Which groups are made of several at the start.

    >>> _merged(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1])).tolist()
    [True, False]
    """
    pairs = np.unique(np.column_stack([found, start]), axis=0)
    return np.asarray(np.bincount(pairs[:, 0]) > 1)
