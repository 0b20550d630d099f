"""Sets of columns to star, as bit masks, and what they cost."""

from itertools import combinations
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.compiled import compiled

FEW_COLUMNS = 10  # of these, all sets are tried
MOST_SETS = 1024


def star_sets(weights: Floats) -> Ints:
    """The sets of columns that are tried, cheapest first: all of them, or of many columns the pairs.

    >>> [f"{stars:02b}" for stars in star_sets(np.array([1.0, 3.0])).tolist()]
    ['00', '01', '10', '11']
    """
    columns = len(weights)
    sizes = range(columns + 1) if columns <= FEW_COLUMNS else range(3)
    found = [(float(weights[list(some)].sum()), size, sum(1 << at for at in some))
             for size in sizes for some in combinations(range(columns), size)]  # fmt: skip
    return np.array([mask for _, _, mask in sorted(found)][:MOST_SETS], np.int64)


@compiled
def star_cost(stars: int, weights: Any) -> float:
    """What these stars cost in one record."""
    cost, at = 0.0, 0
    while stars:
        if stars & 1:
            cost += weights[at]
        stars >>= 1
        at += 1
    return cost


def starred_cells(masks: Ints, columns: int) -> Bools:
    """Which cells of each record are starred.

    >>> starred_cells(np.array([2, 0]), 2).tolist()
    [[False, True], [False, False]]
    """
    return (masks[:, None] >> np.arange(columns)) & 1 > 0
