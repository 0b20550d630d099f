"""Means of groups in whole units, each the nearest to the true mean, or such that the total is kept.

Let a group of s rows have the sum s f + r with 0 <= r < s. Its floor f and rest r come from differences to
its smallest value, divided one by one: nothing overflows.

To keep the total, groups are raised (or lowered) by whole steps x from their floors, and all s x together
must be the sum of all r. The loss, s (x - r/s)² over all groups, is least as follows. Without whole steps,
one amount would be added to all means. So groups are raised by one in the order of r/s as long as there is
enough; the first one that is too large, with the rest r' and the size s', sets the price of a row. Relative
to it the step from x to x + 1 costs 2s (x - r/s + r'/s'), and no step from here, up or down, costs less than
nothing. What is lacking now is less than s'. The cheapest steps that make it up are found by dynamic
programming over the sizes: among groups of one size, the steps of the same height are taken in the order of
r. No more than 2S - 1 of them are needed if the largest group has S rows: in a suitable order their sums stay
within S of 0, and steps between two equal sums can be left out.

Where sizes go into the ten thousands this can be too much work. Then sums that stray farther from 0 than
some of the largest groups are left aside, which rarely matters; and for a handful of groups of a hundred
thousand rows, or of nearly the same size, some steps are taken that make up the total and may be large.
"""

from math import gcd
from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled, inlined

WORK = 500_000_000  # additions that a search may take
KEPT = 50_000_000  # numbers that it may keep at a time
NARROW = 3  # of the largest groups, the farthest that the sums of a narrow search may stray
NEVER = 2**62


class GroupsBySize(NamedTuple):
    """Groups by their size; all of one size in the order in which they are raised."""

    size: Any
    begins: Any  # where the groups of each size begin
    rests: Any  # of the groups
    raised: Any  # steps of all groups of each size, together


def nearest_means(values: Ints, group_of: Ints, more: int = 0) -> Ints:
    """The mean of every group, rounded to the nearest whole, halves to even; with ``more``, in units of
    ``10**-more``, which must fit 64 bits. Groups are numbered from 0 on without gaps.

    >>> nearest_means(np.array([1, 2, 4, 4, 5]), np.array([0, 0, 1, 1, 1])).tolist()
    [2, 4]
    >>> nearest_means(np.array([1, 2, 4, 4, 5]), np.array([0, 0, 1, 1, 1]), more=2).tolist()
    [150, 433]
    """
    floors, rests, sizes = floors_of(values, group_of, int(group_of.max(initial=-1)) + 1)
    for _ in range(more):
        digits, rests = np.divmod(10 * rests, sizes)
        floors = 10 * floors + digits
    up = (2 * rests > sizes) | ((2 * rests == sizes) & (floors % 2 == 1))
    return np.asarray(floors + up)


def bounded_means(values: Ints, group_of: Ints) -> Ints | None:
    """Whole means that keep the total and lie between the smallest and the largest value of their group; None
    if none are found. Means that would stray stay at the end of their group, and the others make up for it.

    >>> bounded_means(np.array([0, 0, 1, 0, 1, 1, 0]), np.array([0, 0, 0, 1, 1, 2, 2])).tolist()
    [1, 0, 0]
    """
    groups = int(group_of.max(initial=-1)) + 1
    floors, rests, sizes = floors_of(values, group_of, groups)
    lowest, highest = np.full(groups, np.iinfo(np.int64).max), np.full(groups, np.iinfo(np.int64).min)
    np.minimum.at(lowest, group_of, values)
    np.maximum.at(highest, group_of, values)
    means, free = np.empty(groups, np.int64), np.ones(groups, bool)
    beside = 0  # what the groups that are settled already lack
    while free.any():
        rows = free[group_of]
        numbers = np.cumsum(free) - 1
        found = total_keeping_means(values[rows], numbers[group_of[rows]], beside)
        if found is None:
            return None
        means[free] = np.clip(found, lowest[free], highest[free])
        strays = np.flatnonzero(free)[means[free] != found]
        if not len(strays):
            return means
        beside += sum(
            size * (floor - mean) + rest
            for size, floor, mean, rest in zip(*(of[strays].tolist() for of in (sizes, floors, means, rests)),
                                               strict=True)
        )  # fmt: skip
        free[strays] = False
    return means if beside == 0 else None


def total_keeping_means(values: Ints, group_of: Ints, beside: int = 0) -> Ints | None:
    """Whole means whose total, size by size, is that of the values and what is lacking ``beside`` them; None
    if no whole means have it, because all sizes share a divisor that the total lacks, or if they do not fit
    64 bits or would all have to move.

    Their squared distances to the true means, times the sizes, are the least that there are, but for groups
    of ten thousands of rows, as said above.

    >>> total_keeping_means(np.array([1, 2, 1, 1, 2]), np.array([0, 0, 1, 1, 1])).tolist()
    [2, 1]
    """
    floors, rests, sizes = floors_of(values, group_of, int(group_of.max(initial=-1)) + 1)
    total = int(rests.sum()) + beside
    if total == 0:
        return np.asarray(floors)
    if total % int(np.gcd.reduce(sizes)) or not 0 < total < int(sizes.sum()):
        return None
    order = np.argsort(-rests / sizes, kind="stable")  # exact for sizes below 2**26
    filled = np.cumsum(sizes[order])
    taken = int(np.searchsorted(filled, total, side="right"))
    by_size, group_sizes, numbers = _by_size(sizes, order, taken, rests)
    if lacking := total - int(filled[taken - 1] if taken else 0):
        last = order[taken]
        group_sizes.raised[:] += _cheapest_steps(group_sizes, int(rests[last]), int(sizes[last]), lacking)
    counts = np.diff(group_sizes.begins)
    height, ahead = np.divmod(group_sizes.raised, counts)
    steps = np.empty(len(sizes), np.int64)
    steps[by_size] = height[numbers] + (np.arange(len(sizes)) - group_sizes.begins[numbers] < ahead[numbers])
    means = floors + steps
    return None if ((means < floors) != (steps < 0)).any() else np.asarray(means)


@compiled
def floors_of(values: Any, group_of: Any, groups: int) -> Any:
    """The floor, the rest and the size of every group: its sum is size * floor + rest."""
    sizes, lowest = np.zeros(groups, np.int64), np.full(groups, np.iinfo(np.int64).max)
    for row in range(len(values)):
        sizes[group_of[row]] += 1
        lowest[group_of[row]] = min(lowest[group_of[row]], values[row])
    above, rests = np.zeros(groups, np.uint64), np.zeros(groups, np.int64)
    for row in range(len(values)):
        group = group_of[row]
        size = sizes[group]
        difference = np.uint64(values[row]) - np.uint64(lowest[group])
        if difference >= np.uint64(size):
            quotient = difference // np.uint64(size)
            above[group] += quotient
            difference -= quotient * np.uint64(size)
        rests[group] += np.int64(difference)
        if rests[group] >= size:
            rests[group] -= size
            above[group] += np.uint64(1)
    for group in range(groups):
        lowest[group] += np.int64(above[group])
    return lowest, rests, sizes


def _by_size(sizes: Ints, order: Ints, taken: int, rests: Ints) -> tuple[Ints, GroupsBySize, Ints]:
    """The groups by their size, what is known of each size, and the number of each one's size."""
    different, number_of, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    by_size = order[np.argsort(number_of[order], kind="stable")]
    raised = np.bincount(number_of[order[:taken]], minlength=len(different))
    begins = np.concatenate([[0], np.cumsum(counts)])
    return by_size, GroupsBySize(different, begins, rests[by_size], raised), number_of[by_size]


def _cheapest_steps(sizes: GroupsBySize, rest: int, size: int, lacking: int) -> Ints:
    """How many steps the groups of each size have to take besides, up or down."""
    for reach in (NEVER, NARROW):
        if (found := _search(sizes, rest, size, lacking, reach)) is not None:
            return found
    return _by_divisors(sizes.size.tolist(), lacking)


def _search(sizes: GroupsBySize, rest: int, size: int, lacking: int, reach: int) -> Ints | None:
    """The cheapest steps whose sums stay within so many of the largest groups; None if that is too much work.

    With a budget, few steps are possible; if what they can make up costs no more than it, nothing is
    cheaper. If not, the budget grows.
    """
    budget, work, most = size, 0, 2 * int(sizes.size[-1]) - 1
    while budget < NEVER:
        down, up = _affordable(sizes, rest, size, budget, most)
        used = _small_and_large(np.flatnonzero(down + up))
        largest = int(sizes.size[used].max())
        all_steps = min(down.min(), up.min()) == most
        down, up = np.minimum(down[used], 2 * largest - 1), np.minimum(up[used], 2 * largest - 1)
        rows_up = _steps(sizes, rest, size, used, up, 1)
        rows_down = _steps(sizes, rest, size, used, down, -1)
        high = min(_most_rows(rows_up, rows_down, budget, lacking), reach * largest)
        low = high - lacking
        if low >= 0:
            work += (low + high) * int((down + up).sum())
            if work > WORK or (low + high) * len(used) > KEPT:
                return None
            steps = _combined(sizes, rest, size, budget, lacking, used, down, up, low, low + high + 1)
            if len(steps):
                found = np.zeros(len(sizes.size), np.int64)
                found[used] = steps
                return found
        if all_steps:
            return None
        budget *= 2
    return None


def _small_and_large(ascending: Ints) -> Ints:
    """Small and large ones by turns, so that steps up and down can make up for each other early.

    >>> _small_and_large(np.arange(5)).tolist()
    [0, 4, 1, 3, 2]
    """
    return np.stack([ascending, ascending[::-1]], axis=1).ravel()[: len(ascending)]


def _most_rows(up: tuple[Ints, Ints], down: tuple[Ints, Ints], budget: int, lacking: int) -> int:
    """No steps up that the budget can pay for, with those down that they need, have more rows."""
    (up_spent, up_rows), (down_spent, down_rows) = map(_cheapest_first, (up, down))
    left = np.searchsorted(down_spent, budget - up_spent[up_spent <= budget], side="right")
    balanced = np.append(down_rows, down_rows[-1])[left] + lacking
    return int(np.minimum(np.append(up_rows, up_rows[-1])[1 : len(left) + 1], balanced).max())


def _cheapest_first(steps: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """What the first steps, and the first of each cost, have in cost and rows; first no steps at all."""
    costs, rows = steps
    order = np.argsort(costs / rows)
    return np.append(0, np.cumsum(costs[order])), np.append(0, np.cumsum(rows[order]))


@inlined
def _cost(sizes: Any, number: int, step: int, rest: int, size: int) -> int:
    """What a step of the groups of one size costs, times s'/2; the first one from the floors is step 0."""
    own, begin = sizes.size[number], sizes.begins[number]
    count = sizes.begins[number + 1] - begin
    height, rank = step // count, step % count
    return int(own * size * height + rest * own - sizes.rests[begin + rank] * size)


@inlined
def _cost_of_next(sizes: Any, number: int, done: int, sign: int, rest: int, size: int) -> int:
    """What one more step up or down costs after so many."""
    step = sizes.raised[number] + (done if sign > 0 else -done - 1)
    return sign * _cost(sizes, number, step, rest, size)


@compiled
def _affordable(sizes: Any, rest: int, size: int, budget: int, most: int) -> Any:
    """How many steps down and up the groups of each size could take for the budget, if no more than so
    many."""
    found = np.zeros((2, len(sizes.size)), np.int64)
    for number in range(len(sizes.size)):
        for way in range(2):
            spent = 0
            while found[way, number] < most:
                spent += _cost_of_next(sizes, number, found[way, number], 2 * way - 1, rest, size)
                if spent > budget:
                    break
                found[way, number] += 1
    return found


@compiled
def _steps(sizes: Any, rest: int, size: int, used: Any, counts: Any, sign: int) -> Any:
    """The cost and the rows of every step."""
    costs, rows, at = np.empty(counts.sum(), np.int64), np.empty(counts.sum(), np.int64), 0
    for i in range(len(used)):
        for done in range(counts[i]):
            costs[at] = _cost_of_next(sizes, used[i], done, sign, rest, size)
            rows[at] = sizes.size[used[i]]
            at += 1
    return costs, rows


@compiled
def _combined(
    sizes: Any, rest: int, size: int, budget: int, lacking: int, used: Any, down: Any, up: Any, low: int,
    width: int,
) -> Any:  # fmt: skip
    """The cheapest steps of each size that make up what is lacking; none if the budget is too small."""
    least = np.full(width, budget + 1)
    least[low] = 0
    chosen = np.zeros((len(used), width), np.int32)
    first, last = low, low  # sums that have been reached lie between them
    for at in range(len(used)):
        own, before = sizes.size[used[at]], least.copy()
        for sign in (1, -1):
            spent = 0
            for done in range(up[at] if sign > 0 else down[at]):
                spent += _cost_of_next(sizes, used[at], done, sign, rest, size)
                moved = sign * (done + 1) * own
                for place in range(max(first, -moved), min(last, width - 1 - moved) + 1):
                    if before[place] + spent < least[place + moved]:
                        least[place + moved] = before[place] + spent
                        chosen[at, place + moved] = sign * (done + 1)
        first, last = max(first - down[at] * own, 0), min(last + up[at] * own, width - 1)
    place = low + lacking
    if least[place] > budget:
        return np.empty(0, np.int64)
    steps = np.zeros(len(used), np.int64)
    for at in range(len(used) - 1, -1, -1):
        steps[at] = chosen[at, place]
        place -= steps[at] * sizes.size[used[at]]
    return steps


def _by_divisors(sizes: list[int], lacking: int) -> Ints:
    """Some steps of each size that make up what is lacking: the last size makes it a multiple of the common
    divisor of those before it, and so on.

    >>> _by_divisors([6, 10, 15], 1).tolist()
    [-4, 1, 1]
    """
    divisors = [sizes[0]]
    for size in sizes[1:]:
        divisors.append(gcd(divisors[-1], size))
    steps = np.zeros(len(sizes), np.int64)
    for at in range(len(sizes) - 1, 0, -1):
        divisor = divisors[at]
        modulus = divisors[at - 1] // divisor
        count = lacking // divisor * pow(sizes[at] // divisor, -1, modulus) % modulus
        steps[at] = count if 2 * count <= modulus else count - modulus
        lacking -= int(steps[at]) * sizes[at]
    steps[0] = lacking // sizes[0]
    return steps
