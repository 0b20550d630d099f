"""kpqr, ours: groups of any method made (k,p,q,r)-anonymous (Domingo-Ferrer, Sebé and Solanas, 2008), or as
diverse as asked, or both.
"""

import numpy as np

from shoal.methods.diversity import Diversity
from shoal.methods.kd_tree import Floats, Ints
from shoal.methods.merge_nearest import merge_nearest
from shoal.methods.rare import Confidential, rare, short_groups

SLACKS = 1e-12, -1e-9  # sums in floats may miss what is reached exactly; then, more than is asked


def kpqr(
    points: Floats, k: int, diversity: Diversity, columns: list[Confidential], start: Ints
) -> Ints | None:
    rows = len(points)
    together = np.zeros(rows, np.int64)
    if rows < k or not diversity.holds(np.arange(rows)) or len(short_groups(columns, together)):
        return None
    for slack in SLACKS:
        found = merge_nearest(points, start, diversity, k, rare(columns, rows, slack))
        if found is not None and not len(short_groups(columns, found)):
            return found
    return together
