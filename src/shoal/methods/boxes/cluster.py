"""cluster, ours: local recoding by growing classes and exchanging their records.

Classes of at least k records, diverse enough if that is asked, whose common cells (labels, ranges or sets)
cost as little as we can find; nothing is suppressed. Grown classes are improved by exchanging records between
neighbouring ones. Not optimal: to find the least loss is NP-hard (Meyerson and Williams, PODS 2004). But the
classes never cost more than Mondrian's, which are taken and improved instead if they should be cheaper.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, hash_rows
from shoal.methods.boxes.common_cell import Costs, class_costs, cost_with, take_in
from shoal.methods.boxes.exchange import exchange, in_class_order
from shoal.methods.boxes.grow_classes import ALONE, grow_classes
from shoal.methods.boxes.mondrian import mondrian
from shoal.methods.boxes.similarity_order import order_by_keys, order_draws
from shoal.methods.diversity import Diversity, diverse_blocks
from shoal.methods.ranges import Ranges, tight_boxes

Classes = tuple[Ints, Ints]  # rows in class order, and where the classes begin
ROUNDS, FEWEST, QUIET = 30, 12, 8  # of exchange; it ends early after so many that gain nothing
WORK = 24_000_000  # rows in all rounds together, for large tables


def cluster(values: Ints, k: int, key: Key, costs: Costs, diversity: Diversity | None = None) -> Ranges:
    """Classes with their tight boxes; the box of a class tells its cells.

    >>> from shoal.methods.boxes.common_cell import RANGE, CellForm
    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> costs = Costs([CellForm(RANGE, 0.1)])
    >>> boxes = cluster(np.array([[9], [1], [8], [2]]), 2, seeded_key(0), costs)
    >>> sorted(zip(boxes.low[:, 0].tolist(), boxes.high[:, 0].tolist()))
    [(1, 2), (1, 2), (8, 9), (8, 9)]
    """
    asked = diversity or Diversity.none(len(values))
    values = np.ascontiguousarray(values)
    table = _Table(values, costs, k, key, asked)
    grown = table.grown()
    cut = mondrian(values, k, key, diversity=diversity, costs=costs)
    if table.cost(cut.order, cut.starts) < table.cost(*grown):
        grown = table.improved(*table.in_blocks(cut.order, cut.starts))
    return tight_boxes(values, *grown)


@dataclass(frozen=True)
class _Table:
    """What stays the same while classes change: rows in class order and where the classes begin."""

    values: Ints
    costs: Costs
    k: int
    key: Key
    diversity: Diversity

    def cost(self, order: Ints, starts: Ints) -> float:
        return float(class_costs(*self.costs.arrays, self.values, order, starts) @ np.diff(starts))

    def grown(self) -> Classes:
        rows = np.argsort(hash_rows(self.key, Purpose.TIES, len(self.values)), kind="stable")
        founder = grow_classes(self.values, self.costs, self.k, self.key, rows, self.diversity)
        class_of = np.where(founder == ALONE, len(rows) + np.arange(len(rows)), founder)
        return self.sound(*self.improved(*in_class_order(rows, class_of[rows])))

    def improved(self, order: Ints, starts: Ints) -> Classes:
        """Rounds of exchange between neighbours, each in another order."""
        table, cost, quiet = (self.values, self.costs, self.k), np.inf, 0
        rounds = min(max(WORK // len(self.values), FEWEST), ROUNDS)
        for drawn in order_draws(self.key, Purpose.ROUNDS, rounds, self.values.shape[1]):
            order, starts = exchange(*table, order, starts, self.diversity, float(drawn[-1]), drawn)
            before, cost = cost, self.cost(order, starts)
            quiet = quiet + 1 if cost >= before else 0
            if quiet == QUIET:
                break
        return order, starts

    def in_blocks(self, order: Ints, starts: Ints) -> Classes:
        """Classes of 2k rows or more in smaller ones of neighbours, which cost no more."""
        order, begins = order.copy(), [starts]
        for number in np.flatnonzero(np.diff(starts) >= 2 * self.k):
            begin, end = starts[number], starts[number + 1]
            rows = order[begin:end]
            rows = rows[order_by_keys(list(self.values[rows].T))]
            order[begin:end] = rows
            begins.append(begin + diverse_blocks(rows, self.k, self.diversity))
        return order, np.unique(np.concatenate(begins))

    def sound(self, order: Ints, starts: Ints) -> Classes:
        """Rows of classes that are too small or not diverse become one class, with as many others, those
        that suit them best first, as it takes."""
        sizes = np.diff(starts)
        bad = sizes < self.k
        for number in np.flatnonzero(~bad) if self.diversity else []:
            bad[number] = not self.diversity.holds(order[starts[number] : starts[number + 1]])
        if not bad.any():
            return order, starts
        rest = order[np.repeat(bad, sizes)]
        beside = _costs_beside(*self.costs.arrays, self.values, rest, order[starts[:-1]])
        ranked = np.argsort(np.where(bad, -1.0, beside), kind="stable")
        joined, more = int(bad.sum()), 1
        place = np.empty(len(sizes), np.int64)
        place[ranked] = np.arange(len(sizes))
        of_row = np.repeat(place, sizes)
        while not self._is_sound(order[of_row < joined]):
            joined, more = joined + more, 2 * more
        return in_class_order(order, np.where(of_row < joined, 0, of_row))

    def _is_sound(self, rows: Ints) -> bool:
        return len(rows) >= self.k and self.diversity.holds(rows)


@compiled
def _costs_beside(layout: Any, losses: Any, values: Any, rest: Any, shown: Any) -> Any:
    """What a class of the rest would cost with each of the rows shown."""
    columns = values.shape[1]
    a, b = np.empty(columns, np.int64), np.empty(columns, np.int64)
    for at in range(len(rest)):
        take_in(layout, a, b, values, rest[at], at == 0)
    found = np.empty(len(shown))
    for at in range(len(shown)):
        found[at] = cost_with(layout, losses, a, b, values, shown[at], np.inf)
    return found
