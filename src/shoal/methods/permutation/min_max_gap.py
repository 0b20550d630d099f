"""min-max-exact where values count as different only if a gap lies between them.

As without a gap (``min_max_exact``), groups have windows of width T in the order of their smallest values,
and in a partition with fewest groups every value lies in one window or two: a group whose neighbours' windows
meet could be shared out among them, and groups stay valid when they grow. But now it matters *which* single
rows of an overlap a group keeps, not only how many.

A group is valid if k of its values, the first one its smallest, each lie a gap above the one before, and the
last one e above the first. Going up, it takes every value that is far enough from the last it took. How far a
group has got is how many it has taken and, for as many, how low the last one is: more is always better, since
whatever it takes next comes later. So where one group is open there is one best state. Where two are, a
single row goes to the one or to the other, and only states that no other one beats in both are kept.

The programme runs over the starts l < l' of neighbouring groups: O(m w^2) steps for m different values, w of
them in a window, times the few states. It ends after ``MOST_STEPS`` without an answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.permutation.min_sum import least_sum
from shoal.methods.permutation.partition import GroupDemand

MOST_STEPS = 10_000_000  # of one width
MOST_STATES = 256  # of two open groups
MOST_PAIRS = 5_000_000  # of neighbouring starts
NONE, IMPOSSIBLE, UNKNOWN = -1, -1, -2


@dataclass(frozen=True)
class NarrowestGroups:
    """The lower and the upper group of every value, which differ where its rows are in two groups; whether no
    partition has a narrower widest group."""

    lower: Ints
    upper: Ints
    proved: bool


def narrowest_groups(
    distinct: Ints, single: Bools, demand: GroupDemand, widest: int
) -> NarrowestGroups | None:
    """Groups no wider than ``widest``, which is known to be possible; None if nothing was found at all."""
    low, high = max(demand.e, (demand.k - 1) * demand.gap), widest
    found, proved = None, True
    while low < high or found is None:
        middle = low + (high - low) // 2
        answer, windows = _windows(distinct, single, demand, middle)
        proved = proved and answer != UNKNOWN
        if windows is not None:
            found, high = windows, middle
        elif middle < high:
            low = middle + 1
        else:
            break
    if found is None:
        return None
    lower, upper = _group_bounds(distinct, single, demand, *found)
    return NarrowestGroups(*_cut(distinct, demand, lower, upper), proved)


Windows = tuple[list[int], list[int], Ints]  # where groups begin, how far each has got at the next, all ends


def _windows(distinct: Ints, single: Bools, demand: GroupDemand, width: int) -> tuple[int, Windows | None]:
    """Groups of at most this width."""
    reach = np.minimum(distinct, distinct[-1] - width) + width  # no farther than the last value
    ends = np.searchsorted(distinct, reach, "right") - 1
    longest = int((ends - np.arange(len(distinct))).max()) + 1
    if len(distinct) * longest > MOST_PAIRS:
        return UNKNOWN, None
    got, came = np.full((2, len(distinct), longest), NONE, np.int64)
    last = _search(distinct, single, ends, demand.k, demand.e, demand.gap, got, came)
    if last < 0:
        return last, None
    starts, at = [last], len(distinct) - 1
    far: list[int] = []
    while (before := int(came[starts[0], at - starts[0]])) != NONE:
        at = starts[0] - 1
        far.insert(0, int(got[before, at - before]))
        starts.insert(0, before)
    return last, (starts, far, ends)


@compiled
def _search(distinct: Any, single: Any, ends: Any, k: int, e: int, gap: int, got: Any, came: Any) -> int:
    """Where the last group begins. ``got[l, i - l]`` is how far the group from l has got if it alone is open
    at i, and ``came`` where the group before it begins; beforehand, what the group before leaves there."""
    count, steps = len(distinct), 0
    states = np.empty((2, 4 * MOST_STATES + 4), np.int64)
    got[0, 0] = _rank(1, 0, count)
    for l in range(count):
        now, before = NONE, NONE
        for i in range(l, ends[l] + 1):
            if now >= 0:
                now = _progress_with(now, i, l, distinct, k, e, gap)
            if got[l, i - l] > now:
                now, before = got[l, i - l], came[l, i - l]
            got[l, i - l], came[l, i - l] = now, before
            if now < 0:
                continue
            done = now == _rank(k, 0, count)
            if i + 1 == count:
                if done:
                    return l
                continue
            left, place = NONE, 0
            if i < ends[l]:
                steps += ends[l] - i
                left, more = _shared(distinct, single, ends[l], k, e, gap, l, i + 1, now, states)
                steps, place = steps + more, ends[l] - (i + 1)
                if left == UNKNOWN or steps > MOST_STEPS:
                    return UNKNOWN
            elif done:
                left = _rank(1, i + 1, count)
            if left > got[i + 1, place]:
                got[i + 1, place], came[i + 1, place] = left, l
    return IMPOSSIBLE


@compiled
def _rank(taken: int, last: int, count: int) -> int:
    """How far a group has got that has taken so many values, of which the last is this one."""
    return taken * (count + 1) + count - last


@compiled
def _progress_with(now: int, i: int, l: int, distinct: Any, k: int, e: int, gap: int) -> int:
    """How far the group from l gets with value i; no further if it does not help it, or if it is valid."""
    count = len(distinct)
    taken, last = now // (count + 1), count - now % (count + 1)
    if taken == k or distinct[i] - distinct[last] < gap:
        return now
    if taken + 1 < k:
        return _rank(taken + 1, i, count)
    return _rank(k, 0, count) if distinct[i] - distinct[l] >= e else now


@compiled
def _shared(
    distinct: Any, single: Any, end: int, k: int, e: int, gap: int, l: int, after: int, now: int, states: Any
) -> tuple[int, int]:
    """How far the group that begins at ``after`` gets by the end of the window from l, whose own group has to
    become valid, and the number of states that were looked at."""
    count, size, steps = len(distinct), 1, 0
    lower, upper = states[0], states[1]
    lower[0] = now if single[after] else _progress_with(now, after, l, distinct, k, e, gap)
    upper[0] = _rank(1, after, count)
    for i in range(after + 1, end + 1):
        made = size
        for at in range(size):
            below = _progress_with(lower[at], i, l, distinct, k, e, gap)
            above = _progress_with(upper[at], i, after, distinct, k, e, gap)
            if single[i] and below > lower[at] and above > upper[at]:
                lower[made], upper[made] = below, upper[at]
                made += 1
                upper[at] = above
            else:
                lower[at], upper[at] = below, above
        steps += made
        size = _unbeaten(lower, upper, made)
        if size > MOST_STATES:
            return UNKNOWN, steps
    best = NONE
    for at in range(size):
        if lower[at] == _rank(k, 0, count):
            best = max(best, upper[at])
    return best, steps


@compiled
def _unbeaten(lower: Any, upper: Any, size: int) -> int:
    """Keep the states that no other one beats in both, and say how many they are."""
    kept = 0
    for at in range(size):
        beaten = False
        for other in range(size):
            if lower[other] >= lower[at] and upper[other] >= upper[at] and (
                lower[other] > lower[at] or upper[other] > upper[at] or other < at
            ):  # fmt: skip
                beaten = True
        if not beaten:
            lower[size + kept], upper[size + kept] = lower[at], upper[at]
            kept += 1
    lower[:kept], upper[:kept] = lower[size : size + kept].copy(), upper[size : size + kept].copy()
    return kept


def _group_bounds(
    distinct: Ints, single: Bools, demand: GroupDemand, starts: list[int], far: list[int], ends: Ints
) -> tuple[Ints, Ints]:
    """The lower and the upper group of every value."""
    lower = np.zeros(len(distinct), np.int64)
    upper = np.zeros(len(distinct), np.int64)
    for group, start in enumerate(starts):
        lower[start:] = upper[start:] = group
    for group, (start, after, now) in enumerate(zip(starts, starts[1:], far, strict=False)):
        both = np.arange(after, ends[start] + 1)
        lower[both[~single[both]]] = group
        lower[keep := _kept_in_overlap(distinct, single, demand, start, after, int(ends[start]), now)] = group
        upper[keep] = group
    return lower, upper


def _kept_in_overlap(
    distinct: Ints, single: Bools, demand: GroupDemand, l: int, after: int, end: int, now: int
) -> list[int]:
    """The single rows of an overlap that the lower group keeps, so that the upper one gets farthest."""
    k, e, gap, count = demand.k, demand.e, demand.gap, len(distinct)
    first = now if single[after] else _progress_with(now, after, l, distinct, k, e, gap)
    states: dict[tuple[int, int], list[int]] = {(first, _rank(1, after, count)): []}
    for i in range(after + 1, end + 1):
        new: dict[tuple[int, int], list[int]] = {}
        for (low, high), keep in states.items():
            below, above = (_progress_with(low, i, l, distinct, k, e, gap),
                            _progress_with(high, i, after, distinct, k, e, gap))  # fmt: skip
            if not single[i]:
                new.setdefault((below, above), keep)
                continue
            if below > low:
                new.setdefault((below, high), [*keep, i])
            if above > high or below == low:
                new.setdefault((low, above), keep)
        states = {one: keep for one, keep in new.items() if not _is_beaten(one, new)}
    valid = _rank(k, 0, count)
    return max((state for state in states.items() if state[0][0] == valid), key=lambda state: state[0][1])[1]


def _is_beaten(one: tuple[int, int], states: Iterable[tuple[int, int]]) -> bool:
    return any(other != one and other[0] >= one[0] and other[1] >= one[1] for other in states)


def _cut(distinct: Ints, demand: GroupDemand, lower: Ints, upper: Ints) -> tuple[Ints, Ints]:
    """Cut each group between its values into groups with the least sum of ranges, and number them all."""
    low, high, groups = np.empty_like(lower), np.empty_like(upper), 0
    for group in range(int(upper.max()) + 1):
        members = np.flatnonzero((lower == group) | (upper == group))
        own = distinct[members] - distinct[members[0]]
        parts = demand.last_starts(own)
        assert parts is not None  # noqa: S101 - the search made it valid
        count = least_sum(own, parts, *np.empty((3, len(own) + 1), np.int64))
        for side, found in ((lower, low), (upper, high)):
            there = side[members] == group
            found[members[there]] = groups + parts[there]
        groups += count
    return low, high
