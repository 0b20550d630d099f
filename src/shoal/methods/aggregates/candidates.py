"""Candidate classes: records of equal residual that are close in the columns they would open.

Which sets of columns to try, the cheapest candidate of every record over all sets, and the choice of
disjoint candidates from the cheapest on. A candidate has k records, or as many more as it takes to be
diverse enough.
"""

from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints, SmallInts
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, draw_column
from shoal.kernels.select import select
from shoal.methods.diversity import Diversity, diverse

MOST_SUBSETS = 127
LONGEST = 8  # a candidate may have this many times k rows to become diverse,
AT_LEAST = 80  # or this many


@dataclass(frozen=True)
class BucketCandidates:
    """For every row the cheapest candidate of one set of columns: ``size`` rows from ``start`` on."""

    cost: Floats
    start: SmallInts
    size: SmallInts

    @classmethod
    def nothing(cls, rows: int, k: int) -> "BucketCandidates":
        return cls(np.full(rows, np.inf), np.zeros(rows, np.int32), np.full(rows, k, np.int32))


@dataclass(frozen=True)
class Candidates:
    """The cheapest candidates over all sets of columns; their rows stand in ``orders[subset]``."""

    best: BucketCandidates
    subset: SmallInts
    orders: SmallInts

    @classmethod
    def nothing(cls, rows: int, k: int, subsets: int) -> "Candidates":
        orders = np.empty((subsets, rows), np.int32)
        return cls(BucketCandidates.nothing(rows, k), np.zeros(rows, np.int32), orders)

    def improve(self, number: int, found: BucketCandidates, ids: Ints, key: Key) -> None:
        """Candidates of one more set of columns; of equally cheap ones, each row draws its own."""
        best, draws = self.best, (key[0], key[1], np.uint64(Purpose.SETS))
        _improve(
            number, found.cost, found.start, found.size, ids, *draws,
            best.cost, best.start, best.size, self.subset,
        )  # fmt: skip

    def take(self, limit: float) -> tuple[SmallInts, Ints, SmallInts]:
        """Disjoint candidates from the cheapest on: their rows one class after the other, where each
        class starts, and which columns it opens."""
        best = self.best
        rank = np.argsort(best.cost, kind="stable")
        smallest = int(best.size.min())
        members = np.empty(len(rank), np.int32)
        starts = np.zeros(len(rank) // smallest + 1, np.int64)
        chosen = np.empty(len(starts), np.int32)
        taken = np.zeros(len(rank), np.bool_)
        count = _take(
            rank, best.cost, self.subset, best.start, best.size, self.orders, limit,
            taken, members, starts, chosen,
        )  # fmt: skip
        return members[: starts[count]], starts[: count + 1], chosen[:count]


def column_subsets(values: Ints, largest: int, always: Bools | None = None) -> Bools:
    """The sets of columns to open: small ones first, the set of all columns last, each with the columns
    that are ``always`` open.

    >>> column_subsets(np.array([[1, 2, 0], [3, 4, 0]]), 1).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    """
    columns = values.shape[1]
    forced = np.zeros(columns, bool) if always is None else always
    varying = np.array([len(np.unique(values[:, column])) for column in range(columns)])
    ranked = [column for column in np.argsort(-varying, kind="stable").tolist() if not forced[column]]
    sizes = range(0 if forced.any() else 1, min(largest, len(ranked) - 1) + 1)
    chosen = islice((subset for size in sizes for subset in combinations(ranked, size)), MOST_SUBSETS - 1)
    subsets = [np.isin(np.arange(columns), subset) | forced for subset in chosen]
    return np.array([*subsets, np.ones(columns, bool)])


@compiled
def _improve(
    number: int, new_cost: Any, new_start: Any, new_size: Any, ids: Any, key0: Any, key1: Any, purpose: Any,
    cost: Any, start: Any, size: Any, subset: Any,
) -> None:  # fmt: skip
    for i in range(len(cost)):
        better = new_cost[i] < cost[i]
        if new_cost[i] == cost[i] and cost[i] < np.inf:
            better = draw_column(key0, key1, purpose, ids[i], number) < draw_column(
                key0, key1, purpose, ids[i], subset[i]
            )
        if better:
            cost[i], start[i], size[i], subset[i] = new_cost[i], new_start[i], new_size[i], number


@compiled
def _take(
    rank: Any, cost: Any, subset: Any, start: Any, size: Any, orders: Any, limit: float,
    taken: Any, members: Any, starts: Any, chosen: Any,
) -> int:  # fmt: skip
    count = 0
    for row in rank:
        if cost[row] > limit or cost[row] == np.inf:
            break
        if taken[row]:
            continue
        candidate = orders[subset[row], start[row] : start[row] + size[row]]
        free = True
        for member in candidate:
            if taken[member]:
                free = False
                break
        if free:
            starts[count + 1] = starts[count] + len(candidate)
            members[starts[count] : starts[count + 1]] = candidate
            chosen[count] = subset[row]
            taken[candidate] = True
            count += 1
    return count


def search_buckets(
    residuals: Ints,
    order: SmallInts,
    cells: Ints,
    costs: Floats,
    k: int,
    diversity: Diversity,
) -> BucketCandidates:
    """Order every bucket of equal residual by nearness and offer each row its cheapest candidate."""
    found = BucketCandidates.nothing(len(order), k)
    _scan_buckets(
        residuals, order, cells, costs, k, diversity.codes, diversity.rules, diversity.counters(),
        found.cost, found.start, found.size,
    )  # fmt: skip
    return found


@compiled
def _scan_buckets(
    residuals: Any, order: Any, cells: Any, costs: Any, k: int, codes: Any, rules: Any, counts: Any,
    cost: Any, start: Any, size: Any,
) -> None:  # fmt: skip
    rows = len(order)
    room = np.empty(rows, np.int64)
    first = 0
    while first < rows:
        last = first + 1
        while last < rows and residuals[order[last]] == residuals[order[first]]:
            last += 1
        if last - first >= k:
            _bring_together(cells, order, first, last, costs, k, room)
            if len(rules) > 0:
                _offer_diverse(cells, order, first, last, costs, k, codes, rules, counts, cost, start, size)
            else:
                _offer_windows(cells, order, first, last, costs, k, cost, start)
        first = last


@compiled
def _offer_windows(
    cells: Any, order: Any, first: int, last: int, costs: Any, k: int, cost: Any, start: Any
) -> None:
    """Every k consecutive rows of a bucket."""
    widths = _candidate_costs(cells, order[first:last], costs, k)
    for window in range(len(widths)):
        for i in range(first + window, first + window + k):
            row = order[i]
            if widths[window] < cost[row]:
                cost[row] = widths[window]
                start[row] = first + window


@compiled
def _offer_diverse(
    cells: Any, order: Any, first: int, last: int, costs: Any, k: int, codes: Any, rules: Any, counts: Any,
    cost: Any, start: Any, size: Any,
) -> None:  # fmt: skip
    """From every row of a bucket on, the shortest run of at least k rows that is diverse enough."""
    for begin in range(first, last - k + 1):
        limit = min(last, begin + max(LONGEST * k, AT_LEAST))
        end, width = _shortest_diverse(order, cells, costs, k, codes, rules, counts, begin, limit)
        share = width * (end - begin) / k
        for i in range(begin, end):
            row = order[i]
            if share < cost[row]:
                cost[row], start[row], size[row] = share, begin, end - begin


@compiled
def _shortest_diverse(
    order: Any, cells: Any, costs: Any, k: int, codes: Any, rules: Any, counts: Any, begin: int, limit: int
) -> tuple[int, float]:
    """Where the run that starts at ``begin`` may end, and what its ranges cost; itself if nowhere."""
    counts[:] = 0
    low, high = cells[order[begin]].copy(), cells[order[begin]].copy()
    for i in range(begin, limit):
        row = order[i]
        for at in range(len(rules)):
            counts[at, codes[row, at]] += 1
        for j in range(len(low)):
            low[j] = min(low[j], cells[row, j])
            high[j] = max(high[j], cells[row, j])
        if i - begin + 1 >= k and diverse(counts, rules):
            width = 0.0
            for j in range(len(low)):
                width += (high[j] - low[j]) * costs[j]
            return i + 1, width
    return begin, np.inf


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
