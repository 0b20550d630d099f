"""Classes of equal residual: the search of ``residual`` in one part of a table, which fits into memory."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.codes import one_code
from shoal.kernels.compiled import CORES, SMALL, compiled
from shoal.kernels.keyed_hash import Key, Purpose, hash_ids
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.candidates import BucketCandidates, Candidates, column_subsets, search_buckets
from shoal.methods.aggregates.knowledge import Knowledge
from shoal.methods.aggregates.leftovers import ALONE, OPEN, Leftovers
from shoal.methods.aggregates.shared_rows import shared_rows
from shoal.methods.boxes.mondrian import mondrian
from shoal.methods.diversity import Diversity
from shoal.methods.ranges import Ranges

CHEAP_SHARE = 0.7  # how much of the candidates may become classes before they are looked for anew
CAREFUL_PASSES = 8


class ResidualClasses:
    """The state of the search: which class each row is in, and what each class has opened.

    The rows stand in the order of the hash of their numbers ``ids``; those ``alone`` need no class.
    """

    def __init__(
        self,
        values: Ints,
        ids: Ints,
        known: Knowledge,
        sums: tuple[WeightedSum, ...],
        costs: Floats,
        k: int,
        subset_size: int,
        diversity: Diversity,
        key: Key,
    ) -> None:
        self.values, self.ids, self.costs, self.k, self.key = values, ids, costs, k, key
        self.known, self.diversity, self.subset_size = known, diversity, subset_size
        self.weights = np.array([f.weights for f in sums])  # one row per aggregate
        self.totals = np.array([f.of(values) for f in sums])
        self.always = np.isin(np.arange(values.shape[1]), known.also)
        self.class_of = np.full(len(values), OPEN)
        self.opened: list[Bools] = []  # per batch of classes, the columns they open
        self.classes = 0

    def run(self, alone: Bools) -> Ranges:
        self._publish_as_they_are(alone)
        self._form_classes(np.flatnonzero(self.class_of == OPEN))
        self._settle_the_rest()
        return self._ranges()

    def _publish_as_they_are(self, alone: Bools) -> None:
        """Rows that share what is known with k or more (or have them near enough) cost nothing."""
        safe, classes = shared_rows(one_code(self.known.values(self.values)), self.k, self.diversity)
        self.class_of[safe] = classes
        self._add(int(classes.max(initial=-1)) + 1, np.zeros(self.values.shape[1], bool))
        self.class_of[alone & ~safe] = ALONE

    def _add(self, count: int, opened: Bools) -> None:
        self.opened.append(np.broadcast_to(opened, (count, self.values.shape[1])))
        self.classes += count

    def _form_classes(self, rows: Ints) -> None:
        """Pass after pass. Each forms classes, since k rows are a candidate if all is opened; only
        diversity can end it early."""
        subsets = column_subsets(self.values[rows], self.subset_size, self.always)
        passes = 0
        while len(rows) >= self.k:
            candidates = self._candidates(rows, subsets)
            possible = candidates.best.cost[candidates.best.cost < np.inf]
            if not len(possible):
                break
            passes += 1
            limit = np.inf if passes > CAREFUL_PASSES else float(np.quantile(possible, CHEAP_SHARE))
            members, starts, chosen = candidates.take(limit)
            self.class_of[rows[members]] = self.classes + np.repeat(np.arange(len(chosen)), np.diff(starts))
            self.opened.append(subsets[chosen])
            self.classes += len(chosen)
            rows = rows[self.class_of[rows] == OPEN]

    def _candidates(self, rows: Ints, subsets: Bools) -> Candidates:
        values, totals, diversity = self.values[rows], self.totals[:, rows], self.diversity.of(rows)
        candidates = Candidates.nothing(len(rows), self.k, len(subsets))

        def look(number: int) -> BucketCandidates:
            columns = np.flatnonzero(subsets[number])
            cells = np.ascontiguousarray(values[:, columns])
            residuals = one_code(list(totals - self.weights[:, columns] @ cells.T))
            order = np.argsort(residuals, kind="stable").astype(np.int32)
            found = search_buckets(residuals, order, cells, self.costs[columns], self.k, diversity)
            candidates.orders[number] = order
            return found

        ids = self.ids[rows]
        looked = map(look, range(len(subsets))) if len(rows) < SMALL else _on_all_cores(look, len(subsets))
        for number, found in enumerate(looked):
            candidates.improve(number, found, ids, self.key)
        return candidates

    def _settle_the_rest(self) -> None:
        """The last rows, fewer than k: each goes where that costs least. If classes must be diverse,
        there may be more of them, and Mondrian cuts them."""
        rest = np.flatnonzero(self.class_of == OPEN)
        if not len(rest):
            return
        sums, opened = (self.totals, self.weights), np.concatenate(self.opened)
        draws = hash_ids(self.key, Purpose.SETS, self.ids)
        classes = Leftovers(self.values, *sums, self.costs, self.k, self.always, self.class_of, opened, draws)
        if self.diversity:
            rest = classes.grow_until(rest, lambda rows: len(rows) >= self.k and self.diversity.holds(rows))
            boxes = mondrian(self.values[rest], self.k, self.key, diversity=self.diversity.of(rest))
            classes.found_all(np.split(rest[boxes.order], boxes.starts[1:-1]))
        else:
            for row in rest.tolist():
                if self.class_of[row] == OPEN:
                    classes.settle(row)
        self.opened, self.classes = [classes.opened], len(classes.opened)

    def _ranges(self) -> Ranges:
        """Rows that are published alone, as they are, stand together at the end, k to a block."""
        alone = np.flatnonzero(self.class_of == ALONE)
        alone = alone[np.argsort(self.totals[0][alone], kind="stable")]
        self.class_of[alone] = self.classes + np.arange(len(alone)) // self.k
        self._add(-(-len(alone) // self.k), np.zeros(self.values.shape[1], bool))
        order = np.argsort(self.class_of, kind="stable")
        present, starts = np.unique(self.class_of[order], return_index=True)
        starts = np.append(starts, len(order))
        low, high = self.values[order], self.values[order]
        _open(low, high, starts, np.concatenate(self.opened)[present])
        return Ranges(order, starts, low, high)


def _on_all_cores(look: Callable[[int], BucketCandidates], count: int) -> Iterator[BucketCandidates]:
    """What is found in each, in order; only some results wait to be used."""
    with ThreadPoolExecutor(CORES) as pool:
        for start in range(0, count, 2 * CORES):
            yield from pool.map(look, range(start, min(start + 2 * CORES, count)))


@compiled
def _open(low: Any, high: Any, starts: Any, opened: Any) -> None:
    """Open the columns of every class to its common ranges."""
    for number in range(len(starts) - 1):
        begin, end = starts[number], starts[number + 1]
        for column in range(low.shape[1]):
            if not opened[number, column]:
                continue
            smallest, greatest = low[begin, column], low[begin, column]
            for i in range(begin + 1, end):
                smallest = min(smallest, low[i, column])
                greatest = max(greatest, low[i, column])
            for i in range(begin, end):
                low[i, column] = smallest
                high[i, column] = greatest
