"""samarati (Samarati, TKDE 2001): the least height at which a full-domain generalization is allowed.

The height is the sum of all levels. The paper finds it by binary search, which is right where whatever is
allowed stays so further up; merging counts makes it cheaper to list all allowed nodes and take the lowest,
which is right always. Among those of least height the cheapest is taken.
"""

import numpy as np

from shoal.methods.levels.lattice import Lattice, LatticeNode


def samarati(lattice: Lattice, limit: int) -> tuple[list[LatticeNode], int]:
    """The cheapest allowed node of least height, if there is one, and how many nodes may be lower, or as low
    and cheaper: not every choice of classes to leave out was tried there."""
    listed = lattice.listed(limit)
    every = sum(np.ix_(*(np.arange(height + 1) for height in lattice.heights)), np.zeros(()))
    least = np.where(listed.allowed, every, np.inf).min()
    doubtful = listed.undecided & (every <= least)
    if np.isinf(least):
        return [], int(doubtful.sum())
    lowest = lattice.chosen(listed.allowed & (every == least), listed, limit)
    found = min(lowest, key=lambda node: (node.loss, node.levels))
    return [found], int((doubtful & ((every < least) | (listed.bounds < found.loss))).sum())
