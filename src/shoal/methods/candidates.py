"""Candidate classes: k records of equal residual that are close in the columns they would open.

Which sets of columns to try, the cheapest candidate of every record over all sets, and the choice of
disjoint candidates from the cheapest on.
"""

from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.methods.aggregate import Ints
from shoal.methods.compiled import compiled
from shoal.methods.select import select

Floats = NDArray[np.float64]
MOST_SUBSETS = 127


@dataclass(frozen=True)
class Candidates:
    """For every row the cheapest candidate it is in: k rows from ``start`` on in ``orders[subset]``."""

    cost: Floats
    subset: NDArray[np.int32]
    start: NDArray[np.int32]
    orders: NDArray[np.int32]

    def improve(self, number: int, found: tuple[Floats, NDArray[np.int32]]) -> None:
        cost, start = found
        better = cost < self.cost
        self.cost[better], self.start[better], self.subset[better] = cost[better], start[better], number

    def take(self, k: int, limit: float) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Disjoint candidates from the cheapest on: their rows, and which columns they open."""
        rank = np.argsort(self.cost, kind="stable")
        members = np.empty((len(rank) // k, k), np.int32)
        chosen = np.empty(len(members), np.int32)
        taken = np.zeros(len(rank), np.bool_)
        count = _take(rank, self.cost, self.subset, self.start, self.orders, limit, taken, members, chosen)
        return members[:count], chosen[:count]


def column_subsets(values: Ints, largest: int) -> NDArray[np.bool_]:
    """The sets of columns to open: small ones first, the set of all columns last.

    >>> column_subsets(np.array([[1, 2, 0], [3, 4, 0]]), 1).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    """
    columns = values.shape[1]
    varying = np.array([len(np.unique(values[:, column])) for column in range(columns)])
    ranked = np.argsort(-varying, kind="stable").tolist()
    sizes = range(1, min(largest, columns - 1) + 1)
    chosen = islice((subset for size in sizes for subset in combinations(ranked, size)), MOST_SUBSETS - 1)
    subsets = [np.isin(np.arange(columns), subset) for subset in chosen]
    return np.array([*subsets, np.ones(columns, bool)])


@compiled
def _take(
    rank: Any, cost: Any, subset: Any, start: Any, orders: Any, limit: float,
    taken: Any, members: Any, chosen: Any,
) -> int:  # fmt: skip
    count, k = 0, members.shape[1]
    for row in rank:
        if cost[row] > limit or cost[row] == np.inf:
            break
        if taken[row]:
            continue
        candidate = orders[subset[row], start[row] : start[row] + k]
        free = True
        for member in candidate:
            if taken[member]:
                free = False
                break
        if free:
            members[count] = candidate
            chosen[count] = subset[row]
            taken[candidate] = True
            count += 1
    return count


@compiled
def look_at_buckets(
    residuals: Any, order: Any, cells: Any, costs: Any, k: int, cost: Any, start: Any
) -> None:
    """Order every bucket of equal residual by nearness and offer each row its cheapest candidate."""
    rows = len(order)
    room = np.empty(rows, np.int64)
    first = 0
    while first < rows:
        last = first + 1
        while last < rows and residuals[order[last]] == residuals[order[first]]:
            last += 1
        if last - first >= k:
            _bring_together(cells, order, first, last, costs, k, room)
            widths = _candidate_costs(cells, order[first:last], costs, k)
            for window in range(len(widths)):
                for i in range(first + window, first + window + k):
                    row = order[i]
                    if widths[window] < cost[row]:
                        cost[row] = widths[window]
                        start[row] = first + window
        first = last


@compiled
def _bring_together(cells: Any, order: Any, first: int, last: int, costs: Any, k: int, room: Any) -> None:
    """Order rows so that neighbours are close: halve along the widest column, again and again."""
    stack = [(first, last)]
    while len(stack) > 0:
        begin, end = stack.pop()
        widest, column = 0.0, -1
        for j in range(cells.shape[1]):
            smallest, greatest = cells[order[begin], j], cells[order[begin], j]
            for i in range(begin + 1, end):
                smallest = min(smallest, cells[order[i], j])
                greatest = max(greatest, cells[order[i], j])
            width = (greatest - smallest) * costs[j]
            if width > widest:
                widest, column = width, j
        if column < 0:
            continue
        if end - begin <= 2 * k or cells.shape[1] == 1:
            _sort_along(cells, order, begin, end, column, room)
            continue
        for i in range(begin, end):
            room[i] = cells[order[i], column]
        median = select(room[begin:end], (end - begin) // 2)
        less, more = _three_ways(cells, order, begin, end, column, median)
        for part in ((begin, less), (less, more), (more, end)):
            if part[1] - part[0] > 1:
                stack.append(part)


@compiled
def _sort_along(cells: Any, order: Any, begin: int, end: int, column: int, room: Any) -> None:
    if end - begin > 64:
        for i in range(begin, end):
            room[i] = cells[order[i], column]
        order[begin:end] = order[begin:end][np.argsort(room[begin:end], kind="mergesort")]
        return
    for i in range(begin + 1, end):
        row, j = order[i], i
        while j > begin and cells[order[j - 1], column] > cells[row, column]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = row


@compiled
def _three_ways(cells: Any, order: Any, begin: int, end: int, column: int, median: Any) -> tuple[int, int]:
    less, i, more = begin, begin, end - 1
    while i <= more:
        value = cells[order[i], column]
        if value < median:
            order[i], order[less] = order[less], order[i]
            less += 1
            i += 1
        elif value > median:
            order[i], order[more] = order[more], order[i]
            more -= 1
        else:
            i += 1
    return less, more + 1


@compiled
def _candidate_costs(cells: Any, order: Any, costs: Any, k: int) -> Any:
    """The cost of every k consecutive rows: smallest and largest cell of each window, in blocks of k
    from both sides (van Herk), so that k does not matter."""
    rows = len(order)
    total = np.zeros(rows - k + 1)
    low_back, high_back = np.empty(rows, np.int64), np.empty(rows, np.int64)
    for j in range(cells.shape[1]):
        for i in range(rows - 1, -1, -1):
            value = cells[order[i], j]
            fresh = i == rows - 1 or (i + 1) % k == 0
            low_back[i] = value if fresh else min(low_back[i + 1], value)
            high_back[i] = value if fresh else max(high_back[i + 1], value)
        low, high = cells[order[0], j], cells[order[0], j]
        for i in range(rows):
            value = cells[order[i], j]
            if i % k == 0:
                low, high = value, value
            else:
                low, high = min(low, value), max(high, value)
            begin = i - k + 1
            if begin >= 0:
                width = max(high, high_back[begin]) - min(low, low_back[begin])
                total[begin] += width * costs[j]
    return total
