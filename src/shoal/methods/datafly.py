"""datafly (Sweeney, 1997): generalize the column with most different values until few enough fail.

Greedy and fast; it may go further than needed.
"""

import numpy as np

from shoal.methods.lattice import Lattice, Node


def datafly(lattice: Lattice, limit: int) -> Node | None:
    """The node at which the greedy walk ends; None if the top is not allowed either."""
    levels = [0] * len(lattice.scales)
    while (node := lattice.at(tuple(levels))).suppressed > limit:
        shown = [
            len(np.unique(scale.groups[level][leaves])) if level < scale.height else 0
            for scale, level, leaves in zip(lattice.scales, levels, lattice.codes.T, strict=True)
        ]
        if not any(shown):
            return None
        levels[int(np.argmax(shown))] += 1
    return node
