"""residual: the least loss we know how to reach against somebody who knows additive aggregates.

A class opens a set S of columns to common ranges and keeps the others exact. All its members have the
same F exactly when their *residual*, f over the exact columns, is the same. So records whose f is
shared by k or more cost nothing, and for the others every S is tried: records with equal residual form
a bucket, neighbours in a bucket are candidate classes, and cheap candidates become classes first.

1. Records whose f occurs at least k times are published as they are.
2. For every S, the records that are left are put into buckets of equal residual, and each bucket is
   ordered so that neighbours are close in the columns of S. Every k consecutive records are a candidate;
   each record remembers the cheapest candidate it is in, over all S.
3. Candidates are taken from the cheapest on, as long as none of their records is taken. The cheap part of
   them becomes classes; then step 2 starts again with what is left.
4. The last few records, fewer than k, join the classes that they make least more expensive.

Somebody who knows several aggregates at once is served by the same classes: common ranges on the same
columns, and every aggregate has one residual of its own. Columns that are known besides (``also``) are
in every S, so that all members show the same range there. If the classes must be diverse, candidates are
runs of more than k records where it takes them, and what is left is cut by Mondrian.

The rows are put into a random order under the key first, and every row draws among equally cheap sets of
columns, so every tie is broken at random. S runs over
single columns and pairs (larger sets on request: ``subsets``), those of the columns that vary most first
and at most 127 of them, and over the set of all columns, which makes any k records a class. Larger sets
gain little: 8 % of the loss for four times the time on real tax data. The result is compared with
aggranon's (one aggregate) and Mondrian's (several, or diversity), and the cheapest is published.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.methods.aggranon import aggranon
from shoal.methods.aggregate import Ints, WeightedSum
from shoal.methods.candidates import Candidates, Floats, Found, column_subsets, look_at_buckets
from shoal.methods.codes import one_code
from shoal.methods.compiled import CORES, compiled
from shoal.methods.diversity import Diversity
from shoal.methods.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.knowledge import Known, Within
from shoal.methods.leftovers import ALONE, OPEN, Leftovers
from shoal.methods.mondrian import mondrian
from shoal.methods.nearby import with_company
from shoal.methods.ranges import Ranges

ROWS_AT_ONCE = 1_000_000  # larger tables are worked on in random parts, to bound memory
CHEAP_SHARE = 0.7  # how much of the candidates may become classes before they are looked for anew
CAREFUL_PASSES = 8


def residual(
    values: Ints,
    known: Known,
    k: int,
    key: Key,
    costs: Floats | None = None,
    within: Within | None = None,
    diversity: Diversity | None = None,
    subsets: int = 2,
) -> Ranges:
    """Ranges under which every class of at least k rows admits the same; ``costs`` weigh the widths.

    ``within`` counts for one aggregate without diversity; elsewhere the attacker is taken to know
    exactly, which is safe. Of aggregates that do not add up, equal values cost nothing and the rest gets
    boxes.

    >>> from shoal.methods.keyed_hash import seeded_key
    >>> table = np.array([[10, 20, 100], [15, 15, 105], [30, 40, 200], [40, 30, 210]])
    >>> total = Known((WeightedSum(np.array([1, 1, 1])),))
    >>> published = residual(table, total, 2, seeded_key(0))
    >>> int((published.high - published.low).sum())
    30
    """
    weighing = np.ones(values.shape[1]) if costs is None else costs
    asked = diversity or Diversity.none(len(values))
    f, sums = known.one_aggregate, known.sums()
    within = None if f is None or asked else within
    if sums is None:
        ours = _of_any(values, known, k, key, asked)
    else:
        shuffled = np.argsort(hash_rows(key, Purpose.TIES, len(values)))
        work = _Work(values[shuffled], known, sums, weighing, k, subsets, asked.of(shuffled), key)
        ours = work.run(within, shuffled)
    others = [] if f is None else [aggranon(values, f, k, key, within, asked)]
    if f is None or asked:
        others.append(_boxes(values, k, key, asked))
    cheapest = min([ours, *others], key=lambda made: _loss(made, weighing))
    return ours if cheapest is ours else replace(cheapest, fallen=len(values))


def _boxes(values: Ints, k: int, key: Key, diversity: Diversity) -> Ranges:
    boxes = mondrian(values, k, key, diversity=diversity)
    return Ranges(boxes.order, boxes.starts, boxes.low, boxes.high)


def _loss(ranges: Ranges, costs: Floats) -> float:
    return float(ranges.summary()[0] @ costs)


def _of_any(values: Ints, known: Known, k: int, key: Key, diversity: Diversity) -> Ranges:
    """Rows that share all that is known cost nothing; the others get boxes, which admit the same
    whatever is known."""
    order = np.argsort(hash_rows(key, Purpose.TIES, len(values)))
    code = one_code(known.values(values[order]))
    safe, classes = _shared(code, k, diversity.of(order))
    shared, alone = order[safe], order[~safe]
    shared = shared[np.argsort(classes, kind="stable")]
    if len(alone) and not (len(alone) >= k and diversity.holds(alone)):
        shared, classes, alone = order[:0], classes[:0], order
    starts = np.append(0, np.cumsum(np.bincount(classes))).astype(np.int64)
    if not len(alone):
        return Ranges(shared, starts, values[shared], values[shared])
    boxes = mondrian(values[alone], k, key, diversity=diversity.of(alone))
    return Ranges(
        np.append(shared, alone[boxes.order]),
        np.append(starts, len(shared) + boxes.starts[1:]),
        np.vstack([values[shared], boxes.low]),
        np.vstack([values[shared], boxes.high]),
    )


def _shared(code: NDArray[Any], k: int, diversity: Diversity) -> tuple[NDArray[np.bool_], Ints]:
    """Which rows share their code with k or more that are diverse enough, and a class for each of them."""
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(order)))
    enough = sizes >= k
    if diversity:
        for number in np.flatnonzero(enough):
            enough[number] = diversity.holds(order[starts[number] : starts[number] + sizes[number]])
    class_of = np.empty(len(code), np.int64)
    class_of[order] = np.repeat(np.cumsum(enough) - 1, sizes)
    safe = np.empty(len(code), bool)
    safe[order] = np.repeat(enough, sizes)
    return safe, class_of[safe]


class _Work:
    """The state of the search: which class each row is in, and what each class has opened."""

    def __init__(
        self,
        values: Ints,
        known: Known,
        sums: tuple[WeightedSum, ...],
        costs: Floats,
        k: int,
        subset_size: int,
        diversity: Diversity,
        key: Key,
    ) -> None:
        self.values, self.costs, self.k, self.key = values, costs, k, key
        self.known, self.diversity, self.subset_size = known, diversity, subset_size
        self.weights = np.array([f.weights for f in sums])  # one row per aggregate
        self.totals = np.array([f.of(values) for f in sums])
        self.always = np.isin(np.arange(values.shape[1]), known.also)
        self.class_of = np.full(len(values), OPEN)
        self.opened: list[NDArray[np.bool_]] = []  # per batch of classes, the columns they open
        self.classes = 0

    def run(self, within: Within | None, shuffled: Ints) -> Ranges:
        self._publish_as_they_are(within)
        for part in self._parts():
            self._form_classes(part)
        self._settle_the_rest()
        return self._ranges(shuffled)

    def _publish_as_they_are(self, within: Within | None) -> None:
        """Rows that share what is known with k or more (or have them near enough) cost nothing."""
        safe, classes = _shared(one_code(self.known.values(self.values)), self.k, self.diversity)
        self.class_of[safe] = classes
        self._add(int(classes.max(initial=-1)) + 1, np.zeros(self.values.shape[1], bool))
        if within is not None:
            order = np.argsort(self.totals[0], kind="stable")
            near = with_company(self.totals[0][order], self.k, within)
            self.class_of[order[near & ~safe[order]]] = ALONE

    def _add(self, count: int, opened: NDArray[np.bool_]) -> None:
        self.opened.append(np.broadcast_to(opened, (count, self.values.shape[1])))
        self.classes += count

    def _parts(self) -> list[Ints]:
        rest = np.flatnonzero(self.class_of == OPEN)
        return [part for part in np.array_split(rest, -(-len(rest) // ROWS_AT_ONCE) or 1) if len(part)]

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

    def _candidates(self, rows: Ints, subsets: NDArray[np.bool_]) -> Candidates:
        values, totals, diversity = self.values[rows], self.totals[:, rows], self.diversity.of(rows)
        candidates = Candidates.nothing(len(rows), self.k, len(subsets))

        def look(number: int) -> Found:
            columns = np.flatnonzero(subsets[number])
            cells = np.ascontiguousarray(values[:, columns])
            residuals = one_code(list(totals - self.weights[:, columns] @ cells.T))
            order = np.argsort(residuals, kind="stable").astype(np.int32)
            found = look_at_buckets(residuals, order, cells, self.costs[columns], self.k, diversity)
            candidates.orders[number] = order
            return found

        _in_turn(look, len(subsets), lambda number, found: candidates.improve(number, found, rows, self.key))
        return candidates

    def _settle_the_rest(self) -> None:
        """The last rows, fewer than k: each goes where that costs least. If classes must be diverse,
        there may be more of them, and Mondrian cuts them."""
        rest = np.flatnonzero(self.class_of == OPEN)
        if not len(rest):
            return
        sums, opened = (self.totals, self.weights), np.concatenate(self.opened)
        draws = hash_rows(self.key, Purpose.SETS, len(self.values))
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

    def _ranges(self, shuffled: Ints) -> Ranges:
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
        return Ranges(shuffled[order], starts, low, high)


def _in_turn(look: Callable[[int], Any], count: int, use: Callable[[int, Any], None]) -> None:
    """Look on all cores, use the results one after the other and in order."""
    with ThreadPoolExecutor(CORES) as pool:
        for start in range(0, count, 2 * CORES):
            numbers = range(start, min(start + 2 * CORES, count))
            for number, result in zip(numbers, pool.map(look, numbers), strict=True):
                use(number, result)


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
