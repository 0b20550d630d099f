"""A good node, soon: from the top of the lattice down, one level of one column at a time.

The levels that gain most for what they tell apart (loss per bit) go first; what is not allowed, or is no
gain, is not tried again on this way down. Then from the best node one column at a time is raised and the way
down taken again without it.
"""

from time import perf_counter

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.methods.levels.lattice import Lattice, LatticeNode
from shoal.methods.levels.roll_up import lower_level, node_partition


class Descent:
    """Ways down to nodes at which at most ``limit`` records are suppressed, until a point in time."""

    def __init__(self, lattice: Lattice, limit: int, until: float) -> None:
        self.lattice, self.limit, self.until = lattice, limit, until
        self.scores = _scores(lattice)

    def best(self, top: LatticeNode) -> LatticeNode:
        """The best node of all ways down from the top, which is allowed."""
        best = self.down(top)
        while perf_counter() < self.until:
            before = best
            for column in range(len(self.lattice.order)):
                best = min(best, self._again(best, column), key=lambda node: node.loss)
            if best is before:
                break
        return best

    def _again(self, node: LatticeNode, at: int) -> LatticeNode:
        column = self.lattice.order[at]
        if node.levels[column] == self.lattice.scales[column].height or perf_counter() >= self.until:
            return node
        levels = list(node.levels)
        levels[column] += 1
        raised = self.lattice.at(tuple(levels), self.limit)
        return node if raised.suppressed > self.limit else self.down(raised, (at,))

    def down(self, node: LatticeNode, without: tuple[int, ...] = ()) -> LatticeNode:
        """One way down from an allowed node; these columns stay where they are."""
        lattice = self.lattice
        level = np.array([node.levels[at] for at in lattice.order])
        asked = lattice.demand(self.limit)
        classes, sums = node_partition(lattice.table, level, lattice.shape)
        loss, open_columns = node.loss, set(range(len(level))) - set(without)
        while open_columns := {at for at in open_columns if level[at] > 0}:
            at = max(open_columns, key=lambda at: self.scores[at, level[at]])
            if perf_counter() >= self.until:
                break
            cost, finer, new_sums = lower_level(lattice.table, classes, sums, level, at, lattice.shape, asked)
            if cost <= loss:
                loss, classes, sums = cost, finer, new_sums
                level[at] -= 1
            else:
                open_columns.remove(at)
        found = lattice.at(lattice.in_place(level), self.limit)
        return found if found.suppressed <= self.limit and found.loss <= node.loss else node


def _scores(lattice: Lattice) -> Floats:
    """What each level loses more than the one below, for every bit that it tells less."""
    scores = np.full(lattice.base.shape, np.inf)
    for at, scale in enumerate(lattice.ordered):
        bits = [_entropy(np.bincount(group, lattice.frequencies[at])) for group in scale.groups]
        for level in range(1, scale.height + 1):
            gain = lattice.base[at, level] - lattice.base[at, level - 1]
            scores[at, level] = gain / max(bits[level - 1] - bits[level], 1e-9)
    return scores


def _entropy(counts: Floats | Ints) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
