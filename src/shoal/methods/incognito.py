"""incognito (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005): all minimal full-domain generalizations.

A node is minimal when it is allowed and no less general one is. The paper finds them subset by subset of
columns; we walk the lattice of all columns once, merging counts instead of reading records, and leave out
what lies below a failing node.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.methods.lattice import Lattice, Node


def incognito(lattice: Lattice, limit: int) -> list[Node]:
    """All minimal nodes, the cheapest first."""
    listed = lattice.listed(limit)
    found = lattice.chosen(minimal(listed[0] <= limit), listed)
    return sorted(found, key=lambda node: (node.loss, node.levels))


def minimal(allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those that are allowed while nothing below them is, by their levels.

    >>> np.argwhere(minimal(np.array([[False, True], [False, True], [True, True]]))).tolist()
    [[0, 1], [2, 0]]
    """
    reached = allowed
    for axis in range(allowed.ndim):
        reached = np.logical_or.accumulate(reached, axis=axis)
    found = allowed.copy()
    for axis in range(allowed.ndim):
        np.moveaxis(found, axis, 0)[1:] &= ~np.moveaxis(reached, axis, 0)[:-1]
    return found
