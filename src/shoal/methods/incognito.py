"""incognito (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005): all minimal full-domain generalizations.

A node is minimal when it is allowed and no less general one is. The paper finds them subset by subset of
columns; we walk the lattice of all columns once, merging counts instead of reading records, and leave out
what lies below a failing node.
"""

from shoal.methods.lattice import Lattice, Node, minimal


def incognito(lattice: Lattice, limit: int) -> list[Node]:
    """All minimal nodes, the cheapest first."""
    return sorted(minimal(lattice.all(limit)), key=lambda node: (node.loss, node.levels))
