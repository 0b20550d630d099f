"""samarati (Samarati, TKDE 2001): the least height at which a full-domain generalization is allowed.

The height is the sum of all levels. The paper finds it by binary search, since whatever is allowed stays
so further up; merging counts makes it cheaper to list all allowed nodes and take the lowest, which is the
same. Among those of least height the cheapest is taken.
"""

from shoal.methods.lattice import Lattice, Node


def samarati(lattice: Lattice, limit: int) -> Node | None:
    """The cheapest allowed node of least height; None if not even the top is allowed."""
    return min(lattice.all(limit), key=lambda node: (sum(node.levels), node.loss, node.levels), default=None)
