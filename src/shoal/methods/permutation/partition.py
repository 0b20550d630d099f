"""What all (k,e)-anonymous partitions share (Zhang et al., ICDE 2007).

A group is valid when it holds at least k distinct sensitive values and its largest is at least e above its
smallest. With a ``gap``, near values do not count as different: the group must hold k values that lie
pairwise at least ``gap`` apart (a gap of 1 unit is plain distinctness). Both demands survive merging.

The methods work on points, of which every value has one, or two if several rows have it. Two are enough: a
group is never made of one value alone (but for k = 1 and e = 0), so at most one cut lies between equal
values. Which rows stand left of such a cut is drawn by the keyed hash of the row number, row by row: about
half of them, at least one and not all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose, siphash
from shoal.methods.permutation.points import Points, points_of

NEVER = -1
AT_ONCE = 512  # hashes
Search = Callable[[Ints, "GroupDemand"], Ints | None]  # the group of every point, given what they are above 0
AHEAD = 4  # starts
MANY = 16  # rows of a point


@dataclass(frozen=True)
class GroupDemand:
    """What a group must hold: k values at least ``gap`` apart, the extreme ones at least ``e``."""

    k: int
    e: int
    gap: int = 1

    @property
    def of_single_rows(self) -> bool:
        """Is every row a group, where more groups are better?"""
        return self.k == 1 and self.e == 0

    def last_starts(self, points: Ints) -> Ints | None:
        """For every point the last start of a valid group up to it, ``NEVER`` if none: the points start..end
        are valid iff start <= last[end]. They never descend. None if all points together are not valid."""
        if not len(points) or self.e > points[-1]:
            return None
        last = self._kth_below(points)
        if last[-1] == NEVER:
            return None
        if self.e > 0:
            over_ranges(lambda *part: keep_apart(points, self.e, last, *part), len(points))
        return last

    def _kth_below(self, points: Ints) -> Ints:
        if self.gap > 1:
            return _kth_apart(points, self.k, self.gap)
        kth = np.empty(len(points), np.int64)
        kth_different(points, self.k, kth)
        return kth


@compiled
def kth_different(points: Any, k: int, kth: Any) -> None:
    """The last copy of the value k - 1 distinct ones below each point."""
    ends = np.full(min(k, len(points) + 1), NEVER)  # of the last k values, in a ring
    at = 0
    for i in range(len(points)):
        at += i > 0 and points[i] != points[i - 1]
        at = 0 if at == len(ends) else at
        ends[at] = i
        kth[i] = ends[at + 1 if at + 1 < len(ends) else 0]


@compiled
def keep_apart(points: Any, e: int, last: Any, start: int, stop: int) -> None:
    """Lower the last starts of the points start..stop so that the range is at least e."""
    if start == stop or e == 0:
        return
    far = np.searchsorted(points, points[start] - e, side="right")  # starts far enough below
    for end in range(start, stop):
        step = AHEAD
        while step == AHEAD:  # seldom twice: the steps inside need no branch
            step = 0
            for i in range(AHEAD):
                step += points[min(far + i, end)] <= points[end] - e
            far += step
        last[end] = min(last[end], far - 1)


def _kth_apart(points: Ints, k: int, gap: int) -> Ints:
    """k - 1 times down to the nearest point at least a gap below, by doubling the step: O(n log k).

    Going down greedily finds as many values pairwise a gap apart as there are.
    """
    step = np.append(np.searchsorted(points, points - gap, "right") - 1, NEVER)  # NEVER stays NEVER
    found = np.arange(len(points))
    left = k - 1
    while left:
        if left % 2:
            found = step[found]
        step = step[step]
        left //= 2
    return found


def contiguous_groups(
    values: Ints, demand: GroupDemand, key: Key, search: Search, ids: Ints | None = None
) -> Ints | None:
    """The group of every row, by contiguous groups of the points. ``ids`` are the rows' numbers in ascending
    order, where they are not 0, 1 and so on."""
    points = points_of(values)
    groups = search(points.above, demand)
    return None if groups is None else assign_rows(points, groups, key, ids)


@compiled
def number_groups(begins: Any, marks: Any) -> int:
    """Turn where the last group up to every point begins into the number of every point's group, and say how
    many groups there are."""
    marks[: len(begins)] = 0
    end = len(begins)
    while end > 0:
        end = begins[end - 1]
        marks[end] = 1
    group = -1
    for point in range(len(begins)):
        group += marks[point]
        begins[point] = group
    return group + 1


def assign_rows(points: Points, groups: Ints, key: Key, ids: Ints | None = None) -> Ints:
    """The group of every row, given that of every point. Where a value is in two groups, the row with
    the least hash goes to the first and the one with the greatest to the second, all others as they draw."""
    found = np.empty(len(points.order), np.int64)
    numbers = np.empty(0, np.int64) if ids is None else ids

    def work(start: int, stop: int) -> None:
        _deal(
            points.above, points.begins, points.order, numbers, groups,
            key[0], key[1], np.uint64(Purpose.GROUPS), start, stop, found,
        )  # fmt: skip

    over_ranges(work, len(groups), weight=len(found) // len(groups))
    return found


@compiled
def _deal(
    points: Any, begins: Any, order: Any, ids: Any, groups: Any,
    key0: Any, key1: Any, purpose: Any, start: int, stop: int, found: Any,
) -> None:  # fmt: skip
    """Deal the rows of the values whose first point is in start..stop."""
    first, end = _first_of(points, start), _first_of(points, stop)
    if begins[end] - begins[first] > MANY * (end - first):
        for point in range(first, end):
            for i in range(begins[point], begins[point + 1]):
                found[order[i]] = groups[point]
    else:
        point = first
        for i in range(begins[first], begins[end]):
            point += i == begins[point + 1]  # no branch: how many rows a value has cannot be foreseen
            found[order[i]] = groups[point]
    draws = np.empty(AT_ONCE, np.uint64)
    for second in range(first + 1, end):
        if (groups[second] != groups[second - 1]) & (points[second] == points[second - 1]):
            _draw_sides(order, ids, begins[second - 1], begins[second + 1], groups[second - 1],
                        groups[second], key0, key1, purpose, draws, found)  # fmt: skip


@compiled
def _first_of(points: Any, point: int) -> int:
    """The point itself, or the next if it is the second of its value."""
    return point + (0 < point < len(points) and points[point] == points[point - 1])


@compiled
def _draw_sides(
    order: Any, ids: Any, begin: int, end: int, first: int, second: int,
    key0: Any, key1: Any, purpose: Any, draws: Any, found: Any,
) -> None:  # fmt: skip
    """The rows of one value, which stand in the order of their numbers, to the first or the second group."""
    least, greatest = begin, begin
    least_draw, greatest_draw = np.uint64(2**64 - 1), np.uint64(0)
    for at in range(begin, end, AT_ONCE):
        size = min(AT_ONCE, end - at)
        for i in range(size):
            row = np.int64(order[at + i])
            draws[i] = siphash(key0, key1, purpose, np.uint64(ids[row] if len(ids) > 0 else row))
        for i in range(size):
            found[order[at + i]] = first + np.int64(draws[i] & np.uint64(1)) * (second - first)  # no branch
        for i in range(size):
            if draws[i] < least_draw:
                least, least_draw = at + i, draws[i]
            if draws[i] >= greatest_draw:
                greatest, greatest_draw = at + i, draws[i]
    found[order[least]], found[order[greatest]] = first, second
