"""incognito (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005): all minimal full-domain generalizations.

A node is minimal when it is allowed and no less general one is. The paper finds them subset by subset of
columns; we walk the lattice of all columns once, merging counts instead of reading records, and leave out
what lies below a failing node where every demand survives merging.
"""

import numpy as np

from shoal.arrays import Bools
from shoal.methods.levels.lattice import Lattice, LatticeNode


def incognito(lattice: Lattice, limit: int) -> tuple[list[LatticeNode], int]:
    """All minimal nodes, the cheapest first, and how many nodes may be among them or cost less: not every
    choice of classes to leave out was tried there."""
    listed = lattice.listed(limit)
    least = minimal_nodes(listed.allowed)
    found = lattice.chosen(least, listed, limit)
    doubtful = listed.undecided & (least | ~allowed_or_above(listed.allowed))
    return sorted(found, key=lambda node: (node.loss, node.levels)), int(doubtful.sum())


def minimal_nodes(allowed: Bools) -> Bools:
    """Marks of the nodes that are allowed while nothing below them is, by their levels.

    >>> np.argwhere(minimal_nodes(np.array([[False, True], [False, True], [True, True]]))).tolist()
    [[0, 1], [2, 0]]
    """
    above = allowed_or_above(allowed)
    found = allowed.copy()
    for axis in range(allowed.ndim):
        np.moveaxis(found, axis, 0)[1:] &= ~np.moveaxis(above, axis, 0)[:-1]
    return found


def allowed_or_above(allowed: Bools) -> Bools:
    """Marks of the nodes that are allowed or lie above one that is.

    >>> allowed_or_above(np.array([[False, True], [False, False]])).tolist()
    [[False, True], [False, True]]
    """
    for axis in range(allowed.ndim):
        allowed = np.logical_or.accumulate(allowed, axis=axis)
    return allowed
