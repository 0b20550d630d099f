"""optimal: the full-domain generalization with the least loss, proved by searching the whole lattice."""

from shoal.methods.lattice import Lattice, Node


def optimal(lattice: Lattice, limit: int) -> Node | None:
    """The best node at which at most ``limit`` records are suppressed; None if there is none.

    >>> import numpy as np
    >>> from shoal.methods.lattice import Scale
    >>> half = np.array([0, 0, 1, 1])
    >>> scale = Scale(
    ...     (np.arange(4), half, half * 0),
    ...     (np.zeros(4), np.full(2, 1 / 3), np.ones(1)),
    ...     (np.ones(4), np.full(2, 2 / 3), np.zeros(1)),
    ... )
    >>> optimal(Lattice(np.array([[0], [1], [2], [3]]), [scale], 2), 0)
    Node(levels=(1,), suppressed=0, loss=1.3333333333333333)
    """
    return lattice.best(limit)
