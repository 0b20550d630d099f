"""optimal: the full-domain generalization with the least loss, or the best one found in the time given.

Branch and bound over the lattice, column by column. It begins with a good node (descent) and leaves out

- what cannot be better: the loss of the levels chosen so far, of the records that are lost already, and of
  the columns that follow at their best. In a large lattice this is known from searches over few columns
  with all others at their top: what they cost adds up (disjoint pattern databases, Korf and Felner, 2002);
- what cannot be allowed: if even with all other columns at their top too many records would have to be
  suppressed, so would they below. This is sound for demands that merging classes never breaks, counted
  with the failing classes left out: k always; diversity as ``SURVIVES`` says.

Which classes leave at a node is a search of its own where they are compared with all that stay
(``class_choice``). Where it ends early, what its nodes may cost at least is all that is proved of them.

A large lattice is searched for nodes below a threshold, which rises: every search that finds nothing
proves a bound. Memory: walks keep tables of classes up to ``MEMORY`` bytes in all, and at least two each.
"""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from time import perf_counter
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import CORES
from shoal.methods.levels.descent import Descent
from shoal.methods.levels.lattice import Lattice, LatticeNode, Scale
from shoal.methods.levels.roll_up import SEPARABLE
from shoal.progress import unwatched

TIME_LIMIT = 60.0  # seconds
SMALL = 20_000  # nodes that are searched in one go
STEPS = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)  # thresholds, as shares of the way from the bound to the best node
PAUSE = 0.2  # seconds between two reports
DESCENT, FLOORS = 0.2, 0.5  # shares of the time after which good nodes, and bounds of few columns, have to do
Report = Callable[[float, float, float], None]


@dataclass(frozen=True)
class BestNode:
    """The best node found, None if none was; no allowed node costs less than ``bound``, which is infinite
    where it is proved that there is none. ``undecided``: at some nodes not every choice of classes to leave
    out was tried, and one of them may cost less."""

    node: LatticeNode | None
    bound: float
    undecided: bool = False

    @property
    def proved(self) -> bool:
        if self.node is None:
            return bool(np.isinf(self.bound))
        return self.bound >= self.node.loss * (1 - 1e-9)

    @property
    def gap(self) -> float:
        """The share by which the loss may lie above the least possible."""
        if self.proved:
            return 0.0
        return self.node.loss / self.bound - 1 if self.node is not None and self.bound > 0 else np.inf


def optimal(
    lattice: Lattice, limit: int, time_limit: float = TIME_LIMIT, on_progress: Report = unwatched
) -> BestNode:
    """The best node at which at most ``limit`` records are suppressed.

    ``on_progress`` is told the share of the time that has passed, the least loss so far, and its bound.

    >>> half = np.array([0, 0, 1, 1])
    >>> scale = Scale(
    ...     (np.arange(4), half, half * 0),
    ...     (np.zeros(4), np.full(2, 1 / 3), np.ones(1)),
    ...     (np.ones(4), np.full(2, 2 / 3), np.zeros(1)),
    ... )
    >>> found = optimal(Lattice(np.array([[0], [1], [2], [3]]), [scale], 2), 0)
    >>> found.node, found.proved
    (LatticeNode(levels=(1,), suppressed=0, loss=1.3333333333333333), True)
    """
    _load_kernels()
    return _Search(lattice, limit, time_limit, on_progress).run()


@cache
def _load_kernels() -> None:
    """Search a lattice of two records first: loading the kernels is not part of the time."""
    one = np.zeros(2, np.int64)
    scale = Scale((np.arange(2), one), (np.zeros(2), np.ones(1)), (np.ones(2), np.zeros(1)))
    _Search(Lattice(np.eye(2, dtype=np.int32), [scale] * 2, 2), 0, TIME_LIMIT, unwatched).run()


class _Search:
    def __init__(self, lattice: Lattice, limit: int, time_limit: float, on_progress: Report) -> None:
        self.lattice, self.limit, self.on_progress = lattice, limit, on_progress
        self.began, self.seconds = perf_counter(), time_limit
        self.floors = (lattice.floors[0].copy(), *lattice.floors[1:])
        self.bound, self.undecided = 0.0, np.inf
        self.node: LatticeNode | None = None

    def run(self) -> BestNode:
        top = self.lattice.at(tuple(scale.height for scale in self.lattice.scales), self.limit)
        if top.suppressed <= self.limit and top.loss < np.inf:
            descent = Descent(self.lattice, self.limit, self._until(DESCENT))
            self.node = descent.down(top) if self.small else descent.best(top)
        if self.lattice.objective == SEPARABLE:
            if not self.small and all(cost.min() >= 0 for one in self.lattice.scales for cost in one.extra):
                self._raise_floors()
            self.bound = self.floors[0][0]
        for share in (1.0,) if self.small or self.node is None else STEPS:
            if perf_counter() >= self._until(1.0) or self._search_share(share):
                break
        bound = min(self.bound, self.undecided, self._least)
        return BestNode(self.node, bound, self.undecided < min(self.bound, self._least))

    @property
    def small(self) -> bool:
        return self.lattice.nodes <= SMALL

    def _until(self, share: float) -> float:
        return self.began + share * self.seconds

    @property
    def _least(self) -> float:
        return self.node.loss if self.node is not None else np.inf

    def _search_share(self, share: float) -> bool:
        """Search below a threshold between the bound and the best node; True if nothing is left to do."""
        threshold = self.bound + share * (self._least - self.bound) if share < 1 else self._least
        found, levels, unseen, undecided = self._below(threshold, self._until(1.0))
        self.undecided = min(self.undecided, undecided)
        if found < self._least:
            self.node = self.lattice.at(self.lattice.in_place(levels), self.limit)
        reached = min(unseen, found if found < np.inf else threshold)
        self.bound = max(self.bound, reached)
        return share == 1.0 or found < np.inf or unseen < np.inf

    def _raise_floors(self) -> None:
        """What the columns from each one on cost at least: neighbours together, and others added to them."""
        (rest, plain, _), columns, until = self.floors, len(self.lattice.order), self._until(FLOORS)
        costs = {(first, first + 1): plain[first] - plain[first + 1] for first in range(columns)}
        for size in range(2, columns):
            for first in range(0, columns - size + 1, size):
                part = range(first, first + size)
                nodes = prod(self.lattice.ordered[at].height + 1 for at in part)
                if nodes <= SMALL and perf_counter() < until:
                    few = optimal(self.lattice.part(part, self.limit), self.limit, until - perf_counter())
                    costs[first, first + size] = few.bound
                    self._report()
        for first in range(columns - 1, -1, -1):
            ends = [end for begin, end in costs if begin == first]
            rest[first] = max(plain[first], max(costs[first, end] + rest[end] for end in ends))

    def _report(self) -> None:
        bound = min(self.bound, self.undecided)
        self.on_progress((perf_counter() - self.began) / self.seconds, self._least, bound)

    def _below(self, threshold: float, until: float) -> tuple[float, Ints, float, float]:
        """The best node below a threshold, what no node goes below that has not been seen, and none that is
        undecided; on all cores."""
        lattice = self.lattice
        best, stop = np.array([threshold]), np.zeros(1, np.int64)
        first = lattice.heights[: min(1 if self.small else 2, len(lattice.heights) - 1)]
        starts = product(*(range(height, -1, -1) for height in first.tolist()))
        pool = ThreadPoolExecutor(1 if self.small else CORES)  # one core takes the first of equal losses
        walks = [pool.submit(lattice.walk, self.limit, start, self.floors, best, stop) for start in starts]
        try:
            self._watch(walks, until)
        finally:
            stop[0] = 1
            pool.shutdown(wait=True)
        results = [walk.result() for walk in walks]
        found, levels, _, _ = min(results, key=lambda result: result[0])
        unseen = min(unseen for _, _, unseen, _ in results)
        return found, levels, unseen, min(undecided for _, _, _, undecided in results)

    def _watch(self, walks: list[Future[Any]], until: float) -> None:
        waiting = set(walks)
        while waiting and perf_counter() < until:
            left = max(0.0, min(PAUSE, until - perf_counter()))
            waiting = wait(waiting, left, return_when=FIRST_COMPLETED).not_done
            if waiting:
                self._report()
