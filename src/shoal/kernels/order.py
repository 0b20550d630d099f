"""Sort rows by a value, equal values in random order.

Which of several equal rows joins which class must not depend on where they stood in the input, so
ties are broken by the keyed hash of the row number.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose, siphash

Order = Ints
LARGE = 1_000_000  # from here on two sorts and a merge are faster than one sort
SHORT_RUN = 24  # rows that are sorted in place


def random_tie_order(values: AnyArray, key: Key) -> Order:
    """The rows from the smallest value to the largest; the order of equal ones is random.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> random_tie_order(np.array([3, 1, 2]), seeded_key(1)).tolist()
    [1, 2, 0]
    """
    return tie_order(values, np.arange(len(values)), key)


def tie_order(values: AnyArray, ids: Order, key: Key) -> Order:
    """The order of rows with these numbers by value, then by the hash of their numbers, then by number.

    So it is the same wherever the rows stand, and a part of the rows keeps the order it has in the whole.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> whole = random_tie_order(np.array([1, 1, 1, 0]), seeded_key(1))
    >>> ids = np.array([3, 2, 1, 0])
    >>> ids[tie_order(np.array([0, 1, 1, 1]), ids, seeded_key(1))].tolist() == whole.tolist()
    True
    """
    order, ordered = _sorted_in_halves(values) if len(values) >= LARGE else _sorted(values)

    def work(start: int, stop: int) -> None:
        _shuffle_ties(ordered, order, ids, start, stop, key[0], key[1], np.uint64(Purpose.TIES))

    over_ranges(work, len(order))
    return order


def hash_order(ids: Order, key: Key) -> Order:
    """A random order of rows with these numbers, which is the same wherever they stand."""
    return tie_order(np.zeros(len(ids), np.int64), ids, key)


def _sorted(values: AnyArray) -> tuple[Order, AnyArray]:
    order = np.argsort(values)
    return order, values[order]


def _sorted_in_halves(values: AnyArray) -> tuple[Order, AnyArray]:
    """Each half on a core of its own, then merged."""
    half = len(values) // 2
    with ThreadPoolExecutor(2) as pool:
        (left, low), (right, high) = pool.map(_sorted, (values[:half], values[half:]))
    order, ordered = np.empty(len(values), np.int64), np.empty_like(values)
    _merge(left, low, right + half, high, order, ordered)
    return order, ordered


@compiled
def _merge(left: Any, low: Any, right: Any, high: Any, order: Any, ordered: Any) -> None:
    i, j = 0, 0
    for at in range(len(order)):
        if j == len(right) or (i < len(left) and low[i] <= high[j]):
            order[at], ordered[at] = left[i], low[i]
            i += 1
        else:
            order[at], ordered[at] = right[j], high[j]
            j += 1


@compiled
def _shuffle_ties(
    ordered: Any, order: Any, ids: Any, start: int, stop: int, key0: Any, key1: Any, purpose: Any
) -> None:
    """Order each run of equal values that begins in start..stop by hash, then by row number."""
    rows = len(order)
    draws = np.empty(SHORT_RUN, np.uint64)
    first = start
    if start > 0:
        while first < stop and ordered[first] == ordered[first - 1]:
            first += 1
    while first < stop:
        last = first + 1
        while last < rows and ordered[last] == ordered[first]:
            last += 1
        if 1 < last - first <= SHORT_RUN:
            for i in range(first, last):
                row, j = order[i], i
                draw = siphash(key0, key1, purpose, np.uint64(ids[row]))
                while j > first and (draws[j - 1 - first], ids[order[j - 1]]) > (draw, ids[row]):
                    order[j], draws[j - first] = order[j - 1], draws[j - 1 - first]
                    j -= 1
                order[j], draws[j - first] = row, draw
        elif last - first > 1:
            run = order[first:last].copy()
            hashes = np.empty(len(run), np.uint64)
            for i in range(len(run)):
                hashes[i] = siphash(key0, key1, purpose, np.uint64(ids[run[i]]))
            by_hash = np.argsort(hashes)
            order[first:last] = run[by_hash]
            _sort_equal(hashes[by_hash], ids, order[first:last])
        first = last


@compiled
def _sort_equal(hashes: Any, ids: Any, order: Any) -> None:
    """Where neighbours have the same hash, which hardly ever happens, put the smaller number first."""
    for i in range(1, len(order)):
        j = i
        while j > 0 and hashes[j - 1] == hashes[j] and ids[order[j - 1]] > ids[order[j]]:
            order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
