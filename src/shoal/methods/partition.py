"""What all (k,e)-anonymous partitions share (Zhang et al., ICDE 2007).

A group is valid when it holds at least k distinct sensitive values and its largest is at least e above its
smallest. With a ``gap``, near values do not count as different: the group must hold k values that lie
pairwise at least ``gap`` apart (a gap of 1 unit is plain distinctness). Both demands survive merging.

The methods work on points, of which every value has one, or two if several rows have it. Two are enough: a
group is never made of one value alone (but for k = 1 and e = 0), so at most one cut lies between equal
values. Which rows stand left of such a cut is drawn by the keyed hash of the row number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.methods.compiled import compiled, over_ranges
from shoal.methods.keyed_hash import Key, Purpose, siphash
from shoal.methods.points import Places, Points, points_of
from shoal.methods.ranges import Ints

NEVER = -1
AT_ONCE = 512  # hashes


@dataclass(frozen=True)
class Demand:
    """What a group must hold: k values at least ``gap`` apart, the extreme ones at least ``e``."""

    k: int
    e: int
    gap: int = 1

    def kth_below(self, points: Ints) -> Places | None:
        """For every point the last start from which the values up to it are enough, ``NEVER`` if none: the
        points start..end are a valid group iff start <= kth[end] and their range is at least e. The starts
        never descend. None if not even all points together are valid."""
        if not len(points) or self.e > points[-1]:
            return None
        if self.gap <= 1:
            kth = np.empty(len(points), np.int32)
            kth_different(points, self.k, kth)
        else:
            kth = _kth_apart(points, self.k, self.gap)
        return kth if kth[-1] != NEVER else None


@compiled
def kth_different(points: Any, k: int, kth: Any) -> None:
    """The last copy of the value k - 1 distinct ones below each point."""
    below, distinct = NEVER, 0
    for i in range(len(points)):
        new = i == 0 or points[i] != points[i - 1]
        distinct += new
        if new and distinct >= k:
            below += 1
            below += below + 1 < len(points) and points[below + 1] == points[below]
        kth[i] = min(below, i)


def _kth_apart(points: Ints, k: int, gap: int) -> Places:
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
    return found.astype(np.int32)


def in_order(
    values: Ints, demand: Demand, key: Key, starts_of: Callable[[Ints, Places, int], Ints]
) -> Ints | None:
    """The group of every row, by contiguous groups; with k = 1 and e = 0 every row is one."""
    if demand.k == 1 and demand.e == 0:
        return np.arange(len(values)) if len(values) else None
    points = points_of(values)
    kth = demand.kth_below(points.above)
    if kth is None:
        return None
    return cut_rows(points, starts_of(points.above, kth, demand.e), key)


def cut_rows(points: Points, starts: Ints, key: Key) -> Ints:
    """The group of every row, given the points at which groups begin."""
    groups = np.empty(len(points.above), np.int32)
    _number(starts, groups)
    return deal_rows(points, groups, key)


@compiled
def _number(starts: Any, groups: Any) -> None:
    for group in range(len(starts)):
        stop = starts[group + 1] if group + 1 < len(starts) else len(groups)
        for point in range(starts[group], stop):
            groups[point] = group


def deal_rows(points: Points, groups: Places, key: Key) -> Ints:
    """The group of every row, given that of every point. Where a value is in two groups, half of its rows,
    drawn at random, go to the first."""
    found = np.empty(len(points.order), np.int64)

    def work(start: int, stop: int) -> None:
        _deal(
            points.above, points.begins, points.order, groups,
            key[0], key[1], np.uint64(Purpose.GROUPS), start, stop, found,
        )  # fmt: skip

    over_ranges(work, len(groups), weight=len(found) // len(groups))
    return found


@compiled
def _deal(
    points: Any, begins: Any, order: Any, groups: Any,
    key0: Any, key1: Any, purpose: Any, start: int, stop: int, found: Any,
) -> None:  # fmt: skip
    """Deal the rows of the values whose first point is in start..stop."""
    draws = np.empty(AT_ONCE, np.uint64)
    for point in range(start, stop):
        if point > 0 and points[point] == points[point - 1]:
            continue
        last = point + (point + 1 < len(points) and points[point + 1] == points[point])
        first, second = groups[point], groups[last]
        begin, end = begins[point], begins[last + 1]
        if first == second:
            for i in range(begin, end):
                found[order[i]] = first
            continue
        left, needed = np.uint64(end - begin), np.uint64((end - begin) // 2)
        for at in range(begin, end, AT_ONCE):
            part = min(AT_ONCE, end - at)
            for i in range(part):
                draws[i] = siphash(key0, key1, purpose, np.uint64(order[at + i])) >> np.uint64(32)
            for i in range(part):  # Knuth's selection sampling: every half is equally likely
                taken = draws[i] * left < needed << np.uint64(32)
                found[order[at + i]] = first if taken else second
                needed -= np.uint64(taken)
                left -= np.uint64(1)
