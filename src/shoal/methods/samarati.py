"""samarati (Samarati, TKDE 2001): the least height at which a full-domain generalization is allowed.

The height is the sum of all levels. The paper finds it by binary search, since whatever is allowed stays
so further up; merging counts makes it cheaper to list all allowed nodes and take the lowest, which is the
same. Among those of least height the cheapest is taken.
"""

import numpy as np

from shoal.methods.lattice import Lattice, Node


def samarati(lattice: Lattice, limit: int) -> Node | None:
    """The cheapest allowed node of least height; None if not even the top is allowed."""
    listed = lattice.listed(limit)
    heights = sum(np.ix_(*(np.arange(height + 1) for height in lattice.heights)), np.zeros(()))
    heights = np.where(listed[0] <= limit, heights, np.inf)
    if not np.isfinite(heights.min()):
        return None
    lowest = lattice.chosen(heights == heights.min(), listed)
    return min(lowest, key=lambda node: (node.loss, node.levels))
