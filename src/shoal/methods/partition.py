"""What all (k,e)-anonymous partitions share (Zhang et al., ICDE 2007).

A group is valid when it holds at least k distinct sensitive values and its largest is at least e above its
smallest. With a ``gap``, near values do not count as different: the group must hold k values that lie
pairwise at least ``gap`` apart (a gap of 1 unit is plain distinctness). Both demands survive merging.

The methods work on *points*: the values in ascending order, from 0 on, each once, or twice if several rows
have it. Two copies are enough: a group is never made of one value alone (but for k = 1 and e = 0), so at
most one cut lies between equal values. Which rows stand left of such a cut is drawn by the keyed hash of
the row number.
"""

from collections.abc import Callable
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

    def kth_below(self, demand: Demand) -> Ints | None:
        """For every point the last start from which the values up to it are enough, ``NEVER`` if none: the
        points start..end are a valid group iff start <= kth[end] and their range is at least e. The starts
        never descend. None if not even all points together are valid."""
        if not len(self.above) or demand.e > self.above[-1]:
            return None
        kth = kth_different(self.above, demand.k) if demand.gap <= 1 else _kth_apart(self.above, demand)
        return kth if kth[-1] != NEVER else None


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
    last_but_one, last = NEVER, NEVER
    kept = 0
    for i in range(len(ordered)):
        value = ordered[i] - smallest
        ordered[kept] = value
        kept += value != last_but_one  # no branch: whether values are equal cannot be foreseen
        last_but_one, last = last, value
    return kept


@compiled
def kth_different(points: Any, k: int) -> Any:
    """The last copy of the value k - 1 distinct ones below each point."""
    kth, ends = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    distinct = 0
    for i in range(len(points)):
        distinct += i > 0 and points[i] != points[i - 1]
        ends[distinct] = i
        kth[i] = ends[distinct - k + 1] if distinct >= k - 1 else NEVER
    return kth


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


def in_order(
    values: Ints, demand: Demand, key: Key, starts_of: Callable[[Ints, Ints, int], Ints]
) -> Ints | None:
    """The group of every row, by contiguous groups; with k = 1 and e = 0 every row is one."""
    if demand.k == 1 and demand.e == 0:
        return np.arange(len(values)) if len(values) else None
    points = points_of(values)
    kth = points.kth_below(demand)
    if kth is None:
        return None
    return cut_rows(values, points, starts_of(points.above, kth, demand.e), key)


def cut_rows(values: Ints, points: Points, starts: Ints, key: Key) -> Ints:
    """The group of every row, given the points at which groups begin."""
    return _look_up_rows(values, points, _marks_of_cuts(points.above, starts), key)


def deal_rows(values: Ints, points: Points, groups: Ints, key: Key) -> Ints:
    """The group of every row, given that of every point."""
    return _look_up_rows(values, points, _marks_of_points(points.above, groups), key)


@compiled
def _marks_of_cuts(points: Any, starts: Any) -> Any:
    """The values from which on another group holds, and the groups of their first and second copy. Each value
    that is in two groups has a mark of its own."""
    marks, first, second = np.empty((3, 2 * len(starts)), np.int64)
    size = 0
    for group in range(len(starts)):
        at = starts[group]
        marks[size], first[size], second[size] = points[at], group, group
        size += 1
        if at > 0 and points[at] == points[at - 1]:
            first[size - 1] = group - 1
            if at + 1 < len(points):
                marks[size], first[size], second[size] = points[at] + 1, group, group
                size += 1
    return marks[:size].copy(), first[:size].copy(), second[:size].copy()


@compiled
def _marks_of_points(points: Any, groups: Any) -> Any:
    """The same where groups may overlap."""
    marks, first, second = np.empty((3, len(points)), np.int64)
    size, i = 0, 0
    while i < len(points):
        last = i + 1 if i + 1 < len(points) and points[i + 1] == points[i] else i
        marks[size], first[size], second[size] = points[i], groups[i], groups[last]
        split = groups[i] != groups[last]
        if split or size == 0 or first[size - 1] != second[size - 1] or first[size - 1] != groups[i]:
            size += 1
        i = last + 1
    return marks[:size].copy(), first[:size].copy(), second[:size].copy()


def _look_up_rows(values: Ints, points: Points, marked: tuple[Ints, Ints, Ints], key: Key) -> Ints:
    """Where a value is in two groups, half of its rows, drawn at random, go to the first."""
    marks, first, second = marked
    found = np.empty(len(values), np.int64)
    largest = int(points.above[-1])
    shift = max(largest.bit_length() - len(marks).bit_length() - 2, 0)
    index = _index(marks, shift, (largest >> shift) + 1)
    split = first != second
    answers = np.where(split, -1 - np.arange(len(marks)), first)

    def work(start: int, stop: int) -> None:
        _look_up(values, points.smallest, marks, index, shift, answers, start, stop, found)

    over_ranges(work, len(values))
    if split.any():
        _halve(found, first, second, key[0], key[1], np.uint64(Purpose.GROUPS))
    return found


@compiled
def _index(marks: Any, shift: int, buckets: int) -> Any:
    """The last mark at or below the beginning of every bucket of 2^shift values."""
    index = np.full(buckets + 1, len(marks) - 1, np.int32)
    bucket = 0
    for at in range(len(marks) - 1):
        while bucket < buckets and bucket << shift < marks[at + 1]:
            index[bucket] = at
            bucket += 1
    return index


@compiled
def _look_up(
    values: Any, smallest: int, marks: Any, index: Any, shift: int, answers: Any,
    start: int, stop: int, found: Any,
) -> None:  # fmt: skip
    """The group of every row whose value is in one group; -1 - mark of the others."""
    for row in range(start, stop):
        value = values[row] - smallest
        bucket = value >> shift
        low, high = index[bucket], index[bucket + 1]
        while low < high:
            middle = (low + high + 1) // 2
            if marks[middle] <= value:
                low = middle
            else:
                high = middle - 1
        found[row] = answers[low]


@compiled
def _halve(found: Any, first: Any, second: Any, key0: Any, key1: Any, purpose: Any) -> None:
    """The half of a value's rows with the smaller hashes to its first group, the others to its second."""
    begins = np.zeros(len(first) + 1, np.int64)
    for row in range(len(found)):
        if found[row] < 0:
            begins[-found[row]] += 1
    begins = np.cumsum(begins)
    drawn, by_mark = np.empty(begins[-1], np.uint64), np.empty(begins[-1], np.uint64)
    filled, at = begins.copy(), 0
    for row in range(len(found)):
        if found[row] < 0:
            mark = -1 - found[row]
            drawn[at] = by_mark[filled[mark]] = siphash(key0, key1, purpose, np.uint64(row))
            filled[mark] += 1
            at += 1
    limits = np.zeros(len(first), np.uint64)
    for mark in range(len(first)):
        size = begins[mark + 1] - begins[mark]
        if size > 0:
            limits[mark] = select(by_mark[begins[mark] : begins[mark + 1]], size // 2)
    at = 0
    for row in range(len(found)):
        if found[row] < 0:
            mark = -1 - found[row]
            found[row] = first[mark] if drawn[at] < limits[mark] else second[mark]
            at += 1
