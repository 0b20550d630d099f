"""min-max-exact (Zhang et al., ICDE 2007, section 6.2): the widest group as narrow as any partition allows.

Groups may overlap: {1, 2, 3, 5, 5, 6, 6, 8} with k = 4, e = 5 parts into {1, 2, 5, 6} and {3, 5, 6, 8},
range 5, where groups that do not overlap reach 7. The paper's programme takes O(n^6).

Can all groups be at most T wide? Order them by their smallest value; l_g is the place of that of group g
among the m distinct values, and its window ends at R_g, the last value within T of it. Take a partition
with fewest groups. Then R_{g-1} + 1 < l_{g+1} <= R_g + 1: else a value is in no window, or group g could be
shared out among its neighbours. So every value lies in one window or two. A value of several rows goes to
both of its windows; a single row to one of them. Where the windows of g and g + 1 overlap, g wants high
single rows and g + 1 low ones (l_{g+1} itself among them), so only *how many* the lower group keeps
matters, and fewer is better for all that follow.

Let kept(l, l') be the fewest single rows that the group from l must keep of those from l' to R(l), where
the next group begins at l'. If the group before keeps b of the group's own,

    kept(l, l') = max(0, k - (distinct values of l .. l' - 1) + b - (values of several rows in l' .. R(l))),

at least 1 if the range e needs it, and impossible if more than there are. b is the least kept(p, l) over
the p with l - 1 <= R(p) <= l' - 2. As a function of l' it only descends, so a few steps per l describe it:
the time is O(m w) for w values in a window, the memory a few words per step, at most k + 1 steps per value.
T is found by bisection between half and all of the best without overlap (theorem 4). In the end each group
is cut, as `min-sum` does.

With a gap between values it matters which single rows a group keeps, not only how many. Two values a gap
apart are a range of the gap; for three and more see ``min_max_gap``, which is exact up to a number of steps.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.min_max import least_width, min_max_points
from shoal.methods.permutation.min_max_gap import narrowest_groups
from shoal.methods.permutation.min_sum import least_sum
from shoal.methods.permutation.partition import GroupDemand, assign_rows, keep_apart, kth_different
from shoal.methods.permutation.points import points_of

NONE = -1


@dataclass(frozen=True)
class ExactGroups:
    """The group of every row, and whether no partition has a narrower widest group."""

    groups: Ints
    proved: bool


def min_max_exact(values: Ints, k: int, e: int, key: Key, gap: int = 1) -> Ints | None:
    """The group of every row; None if all rows together are not (k,e)-anonymous.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> values = np.array([1, 2, 3, 5, 5, 6, 6, 8])
    >>> groups = min_max_exact(values, 4, 5, seeded_key(0))
    >>> [sorted(values[groups == group].tolist()) for group in (0, 1)]
    [[1, 2, 5, 6], [3, 5, 6, 8]]
    """
    found = exact_groups(values, GroupDemand(k, e, gap), key)
    return None if found is None else found.groups


def exact_groups(values: Ints, demand: GroupDemand, key: Key) -> ExactGroups | None:
    """The same, and whether it is proved; where it is not, groups may still be as narrow as any."""
    demand = _plain(demand)
    k, e, points = demand.k, demand.e, points_of(values)
    last = demand.last_starts(points.above)
    if last is None:
        return None
    new = np.diff(points.above, prepend=-1) > 0
    distinct, single = points.above[new], np.diff(np.flatnonzero(new), append=len(new)) == 1
    width, proved = least_width(points.above, last, e), True
    if demand.gap > 1:
        found = narrowest_groups(distinct, single, demand, width)
        if found is None:
            apart = min_max_points(points.above, demand)
            return None if apart is None else ExactGroups(assign_rows(points, apart, key), proved=False)
        lower, upper, proved = found.lower, found.upper, found.proved
    else:
        starts, kept, ends = _narrowest(distinct, single, k, e, width)
        lower, upper = _cut(distinct, k, e, starts, ends, *_deal(single, starts, kept, ends))
    place = np.cumsum(new) - 1
    return ExactGroups(assign_rows(points, np.where(new, lower[place], upper[place]), key), proved)


def _plain(demand: GroupDemand) -> GroupDemand:
    """The demand without a gap where that asks for the same: one value has no other, two differ by their
    range.

    >>> _plain(GroupDemand(2, 1, 3)), _plain(GroupDemand(3, 1, 3))
    (GroupDemand(k=2, e=3, gap=1), GroupDemand(k=3, e=1, gap=3))
    """
    if demand.gap == 1 or demand.k > 2:
        return demand
    return GroupDemand(demand.k, max(demand.e, demand.gap) if demand.k == 2 else demand.e)


def _narrowest(distinct: Ints, single: Bools, k: int, e: int, widest: int) -> tuple[Ints, Ints, Ints]:
    """Windows of the least range: where they begin, the single rows that each keeps from the next, all
    ends."""
    before = np.append(0, np.cumsum(single))
    several = np.maximum.accumulate(np.where(single, NONE, np.arange(len(single))))
    low, high = max(e, (widest + 1) // 2), widest
    found = None
    while found is None or low < high:
        middle = low + (high - low) // 2
        ends = _ends(distinct, middle)
        starts, kept = _windows(distinct, single, before, several, ends, k, e)
        if len(starts):
            found, high = (starts, kept, ends), middle
        else:
            low = middle + 1
    return found


@compiled
def _ends(distinct: Any, width: int) -> Any:
    """The last value of the window from every value."""
    ends = np.empty(len(distinct), np.int64)
    end = 0
    for l in range(len(distinct)):
        while end + 1 < len(distinct) and distinct[end + 1] - distinct[l] <= width:
            end += 1
        ends[l] = end
    return ends


@compiled
def _windows(distinct: Any, single: Any, before: Any, several: Any, ends: Any, k: int, e: int) -> Any:
    """Where windows begin and the single rows that each keeps from the next; nothing if it cannot be done.

    The steps of value l are the numbers ``begins[l] .. begins[l + 1]``: if the next window begins at ``at``
    or later, the window before may be the one from ``previous``, which keeps ``taken`` single rows of those
    from l on.
    """
    count = len(distinct)
    begins = np.zeros(count + 2, np.int64)
    now = np.empty(count, np.int64)  # the last step whose ``at`` has been passed
    at, taken, previous = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    at[0], taken[0], previous[0] = 1, 0, NONE
    begins[1], now[0] = 1, NONE
    size, first = 1, 0
    for l in range(1, count + 1):
        while first < l and ends[first] < l - 1:
            first += 1
        fewest = count + 1
        for p in range(first, l):
            while now[p] + 1 < begins[p + 1] and at[now[p] + 1] <= l:
                now[p] += 1
            if now[p] < begins[p]:
                continue
            keeps = _keeps(distinct, single, before, several, ends, k, e, p, l, taken[now[p]])
            if keeps == NONE or keeps >= fewest:
                continue
            if size == len(at):
                at, taken, previous = _longer(at), _longer(taken), _longer(previous)
            at[size], taken[size], previous[size] = ends[p] + 2, keeps, p
            size += 1
            fewest = keeps
            if keeps == 0:
                break
        begins[l + 1] = size
        if l < count:
            now[l] = begins[l] - 1
    return _traced(at, taken, previous, begins, count)


@compiled
def _keeps(
    distinct: Any,
    single: Any,
    before: Any,
    several: Any,
    ends: Any,
    k: int,
    e: int,
    l: int,
    after: int,
    taken: int,
) -> int:
    """The fewest single rows that the group from l keeps of those from ``after`` on, of which there are
    enough for the next group to begin there; NONE if it cannot be valid. ``taken`` are kept by the group
    before."""
    end = ends[l]
    if distinct[end] - distinct[l] < e:
        return NONE
    shared = before[end + 1] - before[after]
    needed = max(0, k - (end + 1 - l) + taken + shared)
    if distinct[max(after - 1, several[end])] - distinct[l] < e:
        needed = max(needed, 1)
    free = shared - 1 if after <= end and single[after] else shared
    return needed if needed <= free else NONE


@compiled
def _longer(steps: Any) -> Any:
    longer = np.empty(2 * len(steps), np.int64)
    longer[: len(steps)] = steps
    return longer


@compiled
def _traced(at: Any, taken: Any, previous: Any, begins: Any, count: int) -> Any:
    """The windows that led to the end, from the first to the last."""
    starts, kept = np.empty(count, np.int64), np.empty(count, np.int64)
    size, after, l = 0, count + 2, count
    while begins[l] < begins[l + 1]:
        step = begins[l]
        while step + 1 < begins[l + 1] and at[step + 1] <= after:
            step += 1
        if previous[step] == NONE:
            break
        starts[size], kept[size] = previous[step], taken[step]
        size, after, l = size + 1, l, previous[step]
    return starts[:size][::-1].copy(), kept[:size][::-1].copy()


@compiled
def _deal(single: Any, starts: Any, kept: Any, ends: Any) -> Any:
    """The lower and the upper group of every value: two for one of several rows in two windows."""
    lower = np.empty(len(single), np.int64)
    upper = np.empty(len(single), np.int64)
    for group in range(len(starts)):
        first = starts[group] if group == 0 else ends[starts[group - 1]] + 1
        lower[first : ends[starts[group]] + 1] = group
        upper[first : ends[starts[group]] + 1] = group
        if group == 0:
            continue
        left = kept[group - 1]
        for value in range(first - 1, starts[group] - 1, -1):
            upper[value] = group
            if single[value] and left > 0:
                upper[value] = group - 1
                left -= 1
            elif single[value]:
                lower[value] = group
    return lower, upper


@compiled
def _cut(distinct: Any, k: int, e: int, starts: Any, ends: Any, lower: Any, upper: Any) -> Any:
    """Cut each group between its values into groups with the least sum of ranges, and number them all."""
    low, high = np.empty_like(lower), np.empty_like(upper)
    groups = 0
    for group in range(len(starts)):
        first, last = starts[group], ends[starts[group]] + 1
        members = first + np.flatnonzero((lower[first:last] == group) | (upper[first:last] == group))
        own = distinct[members]
        parts = np.empty(len(own), np.int64)
        least, most, best = np.empty((3, len(own) + 1), np.int64)
        kth_different(own, k, parts)
        keep_apart(own, e, parts, 0, len(own))
        count = least_sum(own, parts, least, most, best)
        for i in range(len(own)):
            if lower[members[i]] == group:
                low[members[i]] = groups + parts[i]
            if upper[members[i]] == group:
                high[members[i]] = groups + parts[i]
        groups += count
    return low, high
