"""The points of a column: its values in ascending order, from 0 on, each once, or twice if several rows have
it.

Where there are few values, or they lie close together, they are counted; else they are sorted. Both give the
rows of every point too.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Ints, SmallInts
from shoal.kernels.compiled import compiled

Places = SmallInts

NONE = -1
CLOSE = 2  # numbers in reach of each row, up to which counting is faster than sorting
FEW = 1000  # different values, up to which a hash table is faster than sorting
SLOTS = 4096
SCATTER = np.uint64(0x9E3779B97F4A7C15)  # of the golden ratio: Fibonacci hashing


@dataclass(frozen=True)
class Points:
    """Point i has the value ``above[i]`` and the rows ``order[begins[i]:begins[i + 1]]``, which the second of
    two equal points shares with the first."""

    above: Ints
    begins: Places
    order: Places


def points_of(values: Ints) -> Points:
    """The points of the rows' values.

    >>> points_of(np.array([7, -1, 7, 7])).above.tolist()
    [0, 8, 8]
    """
    if not len(values):
        return Points(np.empty(0, np.int64), np.zeros(1, np.int32), np.empty(0, np.int32))
    smallest, largest = int(values.min()), int(values.max())
    if largest - smallest > np.iinfo(np.int64).max:
        raise OverflowError("the sensitive values span more than 63 bits")
    if largest - smallest < CLOSE * len(values):
        counts = np.zeros(largest - smallest + 1, np.int32)
        _count(values, smallest, counts)
        return _points_by_counting(values, smallest, counts)
    return _few(values, smallest) or _sorted(values, smallest, largest)


def points_from_counts(values: Ints, counts: Ints) -> Ints:
    """What the points are above the least value, given the distinct values in ascending order and how many
    rows have each.

    >>> points_from_counts(np.array([-1, 7]), np.array([1, 3])).tolist()
    [0, 8, 8]
    """
    if len(values) and int(values[-1]) - int(values[0]) > np.iinfo(np.int64).max:
        raise OverflowError("the sensitive values span more than 63 bits")
    return np.repeat(values - values[:1], np.minimum(counts, 2))


def _points_by_counting(values: AnyArray, smallest: int, counts: Places) -> Points:
    """Points of the values ``smallest``, ``smallest + 1`` and so on, of which there are so many."""
    order, begins = np.empty((2, len(values) + 2), np.int32)
    above = np.empty(min(2 * len(counts), len(values)) + 2, np.int64)
    kept = _keep_two_of(counts, above, begins)
    _place(values, smallest, counts, order)
    return Points(above[:kept], begins[: kept + 1], order[: len(values)])


@compiled
def _count(values: Any, smallest: int, counts: Any) -> None:
    for row in range(len(values)):
        counts[values[row] - smallest] += 1


@compiled
def _keep_two_of(counts: Any, above: Any, begins: Any) -> int:
    """Write the points of the values that occur and say how many they are; counts become begins."""
    kept, begin = 0, 0
    for value in range(len(counts)):
        count = counts[value]
        above[kept], begins[kept] = value, begin
        above[kept + 1], begins[kept + 1] = value, begin + 1
        kept += min(count, 2)
        counts[value] = begin
        begin += count
    begins[kept] = begin
    return kept


@compiled
def _place(values: Any, smallest: int, next_place: Any, order: Any) -> None:
    for row in range(len(values)):
        value = values[row] - smallest
        order[next_place[value]] = row
        next_place[value] += 1


def _few(values: Ints, smallest: int) -> Points | None:
    """Points of few values, which may lie far apart."""
    codes, found, counts = np.empty(len(values), np.int16), np.empty(FEW, np.int64), np.zeros(FEW, np.int32)
    different = _encode(values, codes, found, counts)
    if different == NONE:
        return None
    ascending = np.argsort(found[:different])
    order, begins = np.empty((2, len(values) + 2), np.int32)
    above = np.empty(2 * different + 2, np.int64)
    ranked = counts[ascending]
    kept = _keep_two_of(ranked, above, begins)
    counts[ascending] = ranked
    _place(codes, 0, counts, order)
    return Points(found[ascending][above[:kept]] - smallest, begins[: kept + 1], order[: len(values)])


@compiled
def _encode(values: Any, codes: Any, found: Any, counts: Any) -> int:
    """Number the different values as they come and say how many they are; NONE if too many."""
    slots = np.full(SLOTS, NONE, np.int16)
    different = 0
    for row in range(len(values)):
        value = values[row]
        slot = (np.uint64(value) * SCATTER) >> np.uint64(52)
        while slots[slot] != NONE and found[slots[slot]] != value:
            slot = (slot + np.uint64(1)) % np.uint64(SLOTS)
        if slots[slot] == NONE:
            if different == len(found):
                return NONE
            slots[slot], found[different] = different, value
            different += 1
        codes[row] = slots[slot]
        counts[slots[slot]] += 1
    return different


def _sorted(values: Ints, smallest: int, largest: int) -> Points:
    """Points from one sort of numbers that hold a value and, in their last bits, its row."""
    rows = len(values)
    bits = rows.bit_length()
    lost = max((largest - smallest).bit_length() + bits - 63, 0)  # bits of the values that find no room
    ordered, (order, begins) = np.empty(rows, np.int64), np.empty((2, rows + 2), np.int32)
    _pack(values, smallest, lost, bits, ordered)  # too little work for a second core
    _sort_on_two_cores(ordered)
    _unpack(ordered, bits, order)
    if lost:  # begin again from the values
        _look_up(values, smallest, order, ordered)
        _sort_runs(ordered, lost, order)
    kept = _keep_two(ordered, begins)
    return Points(ordered[:kept], begins[: kept + 1], order[:rows])


def _sort_on_two_cores(numbers: Ints) -> None:
    half = len(numbers) // 2
    numbers.partition(half)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(np.ndarray.sort, (numbers[:half], numbers[half:])))


@compiled
def _pack(values: Any, smallest: int, lost: int, bits: int, packed: Any) -> None:
    for row in range(len(values)):
        packed[row] = ((values[row] - smallest) >> lost << bits) | row


@compiled
def _unpack(packed: Any, bits: int, order: Any) -> None:
    for i in range(len(packed)):
        order[i] = packed[i] & ((1 << bits) - 1)
        packed[i] >>= bits


@compiled
def _look_up(values: Any, smallest: int, order: Any, ordered: Any) -> None:
    for i in range(len(ordered)):
        ordered[i] = values[order[i]] - smallest


@compiled
def _sort_runs(ordered: Any, lost: int, order: Any) -> None:
    """Sort where the values differ only in the lost bits."""
    first = 0
    for last in range(1, len(ordered) + 1):
        if last < len(ordered) and ordered[last] >> lost == ordered[first] >> lost:
            continue
        if last - first > 1:
            by = np.argsort(ordered[first:last], kind="mergesort")
            ordered[first:last], order[first:last] = ordered[first:last][by], order[first:last][by]
        first = last


@compiled
def _keep_two(ordered: Any, begins: Any) -> int:
    """Thin the values in place and say how many are left."""
    last_but_one, last = NONE, NONE
    kept = 0
    for i in range(len(ordered)):
        value = ordered[i]
        ordered[kept], begins[kept] = value, i
        kept += value != last_but_one  # no branch: whether values are equal cannot be foreseen
        last_but_one, last = last, value
    begins[kept] = len(ordered)
    return kept
