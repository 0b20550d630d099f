"""datafly (Sweeney, 1997): generalize the column with most different values until few enough fail.

Greedy and fast; it may go further than needed.
"""

import numpy as np

from shoal.methods.levels.lattice import Lattice, LatticeNode
from shoal.methods.levels.roll_up import raise_level


def datafly(lattice: Lattice, limit: int) -> LatticeNode | None:
    """The node at which the greedy walk ends; None if the top is not allowed either."""
    levels, classes = np.zeros(len(lattice.order), np.int64), lattice.table
    shown = [
        [len(np.unique(group[often > 0])) for group in scale.groups[:-1]] + [0]
        for scale, often in zip(lattice.ordered, lattice.frequencies, strict=True)
    ]
    while (node := lattice.judged(classes, lattice.in_place(levels), limit)).suppressed > limit:
        most = max(shown[at][level] for at, level in enumerate(levels))
        if not most:
            return None
        widest = [at for at, level in enumerate(levels) if shown[at][level] == most]
        at = min(widest, key=lambda at: lattice.order[at])  # of several the first one of the table
        classes = raise_level(classes, at, int(levels[at]), lattice.shape)
        levels[at] += 1
    return node
