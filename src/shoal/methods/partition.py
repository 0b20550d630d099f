"""What all (k,e)-anonymous partitions share (Zhang et al., ICDE 2007).

A group is valid when it holds at least k distinct sensitive values and its largest is at least e above its
smallest. With a ``gap``, near values do not count as different: the group must hold k values that lie
pairwise at least ``gap`` apart (a gap of 1 unit is plain distinctness). Both demands survive merging.

The methods work on *points*: the values in ascending order, from 0 on, each once, or twice if several rows
have it. Two copies are enough: a group is never made of one value alone (but for k = 1 and e = 0), so at
most one cut lies between equal values. Which rows stand left of such a cut is drawn by the keyed hash of
the row number.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.methods.compiled import compiled, over_ranges
from shoal.methods.keyed_hash import Key, Purpose, siphash
from shoal.methods.ranges import Ints
from shoal.methods.select import select

NEVER = -1


@dataclass(frozen=True)
class Demand:
    """What a group must hold: k values at least ``gap`` apart, the extreme ones at least ``e``."""

    k: int
    e: int
    gap: int = 1


@dataclass(frozen=True)
class Points:
    """Ascending values above ``smallest``, one or two of each."""

    smallest: int
    above: Ints

    def latest_starts(self, demand: Demand) -> Ints | None:
        """For every point the last one from which a group up to it is valid, ``NEVER`` if there is none;
        None if not even all points together are valid. The starts never descend."""
        if not len(self.above) or demand.e > self.above[-1]:
            return None
        latest = kth_different(self.above, demand.k) if demand.gap <= 1 else _kth_apart(self.above, demand)
        at_least(self.above, demand.e, latest)
        return latest if latest[-1] != NEVER else None


def points_of(values: Ints) -> Points:
    """The points of the rows' values.

    >>> points_of(np.array([7, -1, 7, 7])).above.tolist()
    [0, 8, 8]
    """
    if not len(values):
        return Points(0, np.empty(0, np.int64))
    ordered = np.sort(values)
    if int(ordered[-1]) - int(ordered[0]) > np.iinfo(np.int64).max:
        raise OverflowError("the sensitive values span more than 63 bits")
    smallest = int(ordered[0])
    return Points(smallest, ordered[: _keep_two(ordered)])


@compiled
def _keep_two(ordered: Any) -> int:
    """Thin the values in place, count them from the smallest, and say how many are left."""
    smallest = ordered[0]
    kept = 0
    for i in range(len(ordered)):
        value = ordered[i] - smallest
        if kept < 2 or ordered[kept - 2] != value:
            ordered[kept] = value
            kept += 1
    return kept


@compiled
def kth_different(points: Any, k: int) -> Any:
    """The last copy of the value k - 1 distinct ones below each point."""
    found = np.full(len(points), NEVER)
    ends = np.empty(len(points), np.int64)
    distinct = 0
    for i in range(len(points)):
        if i > 0 and points[i] != points[i - 1]:
            ends[distinct] = i - 1
            distinct += 1
        if k == 1:
            found[i] = i
        elif distinct >= k - 1:
            found[i] = ends[distinct - k + 1]
    return found


def _kth_apart(points: Ints, demand: Demand) -> Ints:
    """k - 1 times down to the nearest point at least a gap below, by doubling the step: O(n log k).

    Going down greedily finds as many values pairwise a gap apart as there are.
    """
    step = np.append(np.searchsorted(points, points - demand.gap, "right") - 1, NEVER)  # NEVER stays NEVER
    found = np.arange(len(points))
    left = demand.k - 1
    while left:
        if left % 2:
            found = step[found]
        step = step[step]
        left //= 2
    return found


@compiled
def at_least(points: Any, e: int, latest: Any) -> None:
    """Move the starts down to where the range reaches e."""
    start = NEVER
    for i in range(len(points)):
        while start < i and points[i] - points[start + 1] >= e:
            start += 1
        latest[i] = min(latest[i], start)


def groups_of_rows(values: Ints, points: Points, groups: Ints, key: Key) -> Ints:
    """The group of every row, given that of every point.

    Where the two points of a value are in two groups, half of its rows, drawn at random, go to the first.
    """
    marks, first, second = _marks(points.above, groups)
    bits = len(marks).bit_length() + 1
    shift = max(int(points.above[-1]).bit_length() - bits, 0)
    index = _index(marks, shift, (int(points.above[-1]) >> shift) + 1)
    found = np.empty(len(values), np.int64)
    smallest = points.smallest

    def work(start: int, stop: int) -> None:
        _look_up(values, smallest, marks, index, shift, first, second, start, stop, found)

    over_ranges(work, len(values))
    if (first != second).any():
        _halve(found, first, second, key[0], key[1], np.uint64(Purpose.GROUPS))
    return found


@compiled
def _marks(points: Any, groups: Any) -> Any:
    """Where, going up, the group changes: the values, the groups of their first and second copy. Each value
    that is in two groups has a mark of its own."""
    marks, first, second = np.empty_like(points), np.empty_like(points), np.empty_like(points)
    size, i = 0, 0
    while i < len(points):
        last = i + 1 if i + 1 < len(points) and points[i + 1] == points[i] else i
        if (
            size == 0
            or groups[i] != groups[last]
            or first[size - 1] != groups[i]
            or second[size - 1] != groups[i]
        ):
            marks[size], first[size], second[size] = points[i], groups[i], groups[last]
            size += 1
        i = last + 1
    return marks[:size].copy(), first[:size].copy(), second[:size].copy()


@compiled
def _index(marks: Any, shift: int, buckets: int) -> Any:
    """The last mark at or below the beginning of every bucket of 2^shift values."""
    index = np.full(buckets + 1, len(marks) - 1)
    at = 0
    for bucket in range(buckets):
        while at + 1 < len(marks) and marks[at + 1] <= bucket << shift:
            at += 1
        index[bucket] = at
    return index


@compiled
def _look_up(
    values: Any, smallest: int, marks: Any, index: Any, shift: int, first: Any, second: Any,
    start: int, stop: int, found: Any,
) -> None:  # fmt: skip
    """The group of every row whose value is in one group; -1 - mark of the others."""
    for row in range(start, stop):
        value = values[row] - smallest
        low, high = index[value >> shift], index[(value >> shift) + 1]
        while low < high:
            middle = (low + high + 1) // 2
            if marks[middle] <= value:
                low = middle
            else:
                high = middle - 1
        found[row] = first[low] if first[low] == second[low] else -1 - low


@compiled
def _halve(found: Any, first: Any, second: Any, key0: Any, key1: Any, purpose: Any) -> None:
    """The half of a value's rows with the smaller hashes to its first group, the others to its second."""
    begins = np.zeros(len(first) + 1, np.int64)
    for row in range(len(found)):
        if found[row] < 0:
            begins[-found[row]] += 1
    for mark in range(len(first)):
        begins[mark + 1] += begins[mark]
    hashes = np.empty(begins[-1], np.uint64)
    filled = begins.copy()
    for row in range(len(found)):
        if found[row] < 0:
            mark = -1 - found[row]
            hashes[filled[mark]] = siphash(key0, key1, purpose, np.uint64(row))
            filled[mark] += 1
    limits = np.zeros(len(first), np.uint64)
    for mark in range(len(first)):
        size = begins[mark + 1] - begins[mark]
        if size > 0:
            limits[mark] = select(hashes[begins[mark] : begins[mark + 1]], size // 2)
    for row in range(len(found)):
        if found[row] < 0:
            mark = -1 - found[row]
            left = siphash(key0, key1, purpose, np.uint64(row)) < limits[mark]
            found[row] = first[mark] if left else second[mark]


def numbered(starts: Ints, length: int) -> Ints:
    """The group of every point, given where groups begin.

    >>> numbered(np.array([0, 2]), 5).tolist()
    [0, 0, 1, 1, 1]
    """
    return np.repeat(np.arange(len(starts)), np.diff(starts, append=length))
