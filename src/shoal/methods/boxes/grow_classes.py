"""Classes grown from single records: the cheapest ones first.

Rows stand in an order in which neighbours are alike, cut into windows. There every row, in turn, gathers
the rows that make its cells least costly until there are k of them, more if they are not diverse. Only
classes below a cost limit are kept. The others try again under a higher limit, in another order.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose
from shoal.methods.boxes.common_cell import Costs, cost_with, take_in
from shoal.methods.boxes.similarity_order import order_draws, similarity_order
from shoal.methods.diversity import DISTINCT, Diversity, diverse

FIRST_LIMIT, STEP = 0.03, 1.2  # of the costs of a record, all columns together
WINDOW, WIDEST, WORK = 60, 1000, 1_500_000
LONGEST = 4  # times k rows in a class, before it is given up as not diverse
ALONE = -1


def cost_limits(costs: Costs) -> list[float]:
    """Rising limits from 0 to what the costliest cells can cost; the last one lets everything pass."""
    rising, limit = [0.0], FIRST_LIMIT
    while limit < 2 * len(costs.columns):
        rising.append(limit)
        limit *= STEP
    return [*rising, np.inf, np.inf]


def grow_classes(values: Ints, costs: Costs, k: int, key: Key, rows: Ints, diversity: Diversity) -> Ints:
    """For every row the row that its class was grown from; ALONE if it found none."""
    founder = np.full(len(values), ALONE)
    rising = cost_limits(costs)
    shares = order_draws(key, Purpose.ORDERS, len(rising), values.shape[1])
    sensitive: tuple[Any, ...] = (diversity.codes, diversity.rules, diversity.counters().shape[1])
    for limit, drawn in zip(rising, shares, strict=True):
        rows = rows[similarity_order(values[rows], costs, min(limit, 1e9), drawn)]
        width = max(min(max(WORK // len(rows), WINDOW), WIDEST), 4 * k)
        windows = np.append(np.arange(0, max(len(rows) - width // 2, 1), width), len(rows))

        def work(begin: int, end: int, limit: float = limit, rows: Ints = rows, at: Ints = windows) -> None:
            _grow_windows(values, *costs.arrays, k, limit, rows, at, begin, end, founder, *sensitive)

        over_ranges(work, len(windows) - 1, width)
        rows = rows[founder[rows] == ALONE]
        if not len(rows):
            break
    return founder


@compiled
def _grow_windows(
    values: Any, layout: Any, losses: Any, k: int, limit: float, rows: Any, windows: Any,
    first: int, last: int, founder: Any, codes: Any, rules: Any, different: int,
) -> None:  # fmt: skip
    columns = values.shape[1]
    a, b = np.empty(columns, np.int64), np.empty(columns, np.int64)
    counts = np.zeros((len(rules), different), np.int64)
    picked = np.empty(LONGEST * k, np.int64)
    for window in range(first, last):
        found = rows[windows[window] : windows[window + 1]]
        taken = np.zeros(len(found), np.bool_)
        left = len(found)
        for seed in range(len(found)):
            if taken[seed] or left < k:
                continue
            size = _gather(
                values, layout, losses, k, limit, found, taken, seed, picked, a, b, codes, rules, counts
            )
            left -= size
            for at in range(size):
                founder[found[picked[at]]] = found[seed]


@compiled
def _gather(
    values: Any, layout: Any, losses: Any, k: int, limit: float, found: Any, taken: Any, seed: int,
    picked: Any, a: Any, b: Any, codes: Any, rules: Any, counts: Any,
) -> int:  # fmt: skip
    """Pick the members of a class and take them; 0 if there is none within the limit."""
    counts[:] = 0
    size, place = 0, seed
    while place >= 0:
        taken[place] = True
        picked[size] = place
        take_in(layout, a, b, values, found[place], size == 0)
        for at in range(len(rules)):
            counts[at, codes[found[place], at]] += 1
        size += 1
        if size >= k and diverse(counts, rules):
            return size
        if size == len(picked):
            break
        place = _nearest(
            values, layout, losses, limit, found, taken, seed, a, b, size >= k, codes, rules, counts
        )
    for at in range(size):
        taken[picked[at]] = False
    return 0


@compiled
def _nearest(
    values: Any, layout: Any, losses: Any, limit: float, found: Any, taken: Any, seed: int, a: Any, b: Any,
    large: bool, codes: Any, rules: Any, counts: Any,
) -> int:  # fmt: skip
    """The free row that makes the class least costly, nearest places first; -1 if none is in the limit."""
    best, place = limit + 1e-12, -1
    for distance in range(1, len(found)):
        for at in (seed + distance, seed - distance):
            if at < 0 or at >= len(found) or taken[at]:
                continue
            if large and not _helps(found[at], codes, rules, counts):
                continue
            cost = cost_with(layout, losses, a, b, values, found[at], best)
            if cost < best:
                best, place = cost, at
        if best <= 0:
            break
    return place


@compiled
def _helps(row: int, codes: Any, rules: Any, counts: Any) -> bool:
    """Would this row make the class more diverse, where it is not?"""
    for at in range(len(rules)):
        if not diverse(counts[at : at + 1], rules[at : at + 1]):
            count = counts[at, codes[row, at]]
            return bool(count == 0 if rules[at, 0] == DISTINCT else count < counts[at].max())
    return True
