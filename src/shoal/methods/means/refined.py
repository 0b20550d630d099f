"""refined, ours: make the groups of MDAV or any other method closer by simulated annealing.

Small changes are drawn at random: a record moves to the group of a near one, or changes places with a record
of that group; a new group forms around a record, out of groups that can spare some; a group is dissolved,
each of its records joining a near group. The change in SSE follows exactly from the sums of the groups. One
that lowers it is made, one that raises it by x with probability exp(-x / temperature) (Kirkpatrick et al.,
Science 1983), while the temperature falls. In the end, all moves and exchanges with the groups of near
records are tried until none of them helps.

O(columns) for each change that is drawn, and a kd-tree for the near records. On the Census table, far below
what MDAV or descent alone reach.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, inlined
from shoal.kernels.keyed_hash import Key, Purpose, siphash
from shoal.methods.means.mdav import mdav
from shoal.methods.means.neighbours import neighbours
from shoal.methods.means.sse import information_loss, sse
from shoal.progress import unwatched

Report = Callable[[float, float], None]

TIME_LIMIT = 10.0  # seconds
RATE = 2_500_000  # changes drawn for each of these seconds, if the machine can
MOST = 25_000  # of them for each record
STAGES = 200  # of the temperature
LISTING, ANNEALING = 0.5, 0.9  # shares of the time after which the next step begins, ready or not
HOT, COLD = 0.8, 0.05  # the first and the last one, in units of SSE per record
NEAR, NEAR_MOST = 20, 100  # records that are near: so many or 2k, up to so many
SELDOM = 20  # changes of 1024 that form or dissolve a group
LEAST = 1e-9  # gains below this, in the same units, are rounding
PREFERENCE = 1.5  # the nearest records are drawn most often
MOVES = int(Purpose.MOVES)


class AnnealingGroups(NamedTuple):
    """Groups as arrays that a row can leave and enter in constant time."""

    group_of: Any
    members: Any  # the rows of every group
    slots: Any  # where in its group a row stands
    sizes: Any
    sums: Any  # of every group, per column
    empty: Any  # groups without rows, and last how many there are


def _unseen(_share: float, _loss: float) -> None:
    return None


def refined(
    points: Floats,
    group_of: Ints,
    k: int,
    key: Key,
    time_limit: float = TIME_LIMIT,
    on_progress: Report = unwatched,
) -> Ints:
    """Groups of at least k rows, numbered from 0 on, whose SSE is at most that of the given ones.

    The same key and time limit give the same groups, unless the machine is too slow and the time runs out.
    ``on_progress`` is told the share of the work that is done and 100 SSE / SST at this moment, which also
    rises.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> points = np.array([[1.0], [9.0], [2.0], [8.0], [3.0]])
    >>> refined(points, np.array([0, 0, 1, 1, 1]), 2, seeded_key(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    began = perf_counter()
    points = np.ascontiguousarray(points, np.float64)
    start = renumber_groups(group_of)
    if np.bincount(start, minlength=1).min() < k:
        raise ValueError(f"a group has fewer than {k} rows")
    unit = sse(points, start) / len(points)
    if len(points) < 2 * k or unit == 0:
        return start
    start = _cut_large(points, start, k)
    near_rows = min(max(NEAR, 2 * k), NEAR_MOST, len(points) - 1)
    listed, near = neighbours(points, near_rows, began + LISTING * time_limit)
    groups = _groups(points, start, k)
    drawn = int(min(RATE * time_limit, MOST * len(points))) // STAGES
    for stage in range(STAGES):
        share = max(stage / STAGES, (perf_counter() - began) / max(ANNEALING * time_limit, LEAST))
        if share >= 1:
            break
        numbers = stage * drawn, (stage + 1) * drawn
        _anneal(points, listed, near, k, groups, unit * HOT * (COLD / HOT) ** share, key, *numbers)
        _add_up(points, groups)
        on_progress(share, information_loss(points, groups.group_of))
    while perf_counter() - began < time_limit and _descend(points, listed, near, k, groups, LEAST * unit):
        _add_up(points, groups)
    on_progress(1.0, information_loss(points, groups.group_of))
    return renumber_groups(groups.group_of) if sse(points, groups.group_of) < sse(points, start) else start


def renumber_groups(group_of: Ints) -> Ints:
    """The same groups, from 0 on in the order of their first rows.

    >>> renumber_groups(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, firsts, found = np.unique(group_of, return_index=True, return_inverse=True)
    ranks = np.empty(len(firsts), np.int64)
    ranks[np.argsort(firsts)] = np.arange(len(firsts))
    return np.asarray(ranks[found])


def _cut_large(points: Floats, group_of: Ints, k: int) -> Ints:
    """Groups of more than 2k rows in several."""
    cut, next_number = group_of.copy(), int(group_of.max()) + 1
    for group in np.flatnonzero(np.bincount(group_of) > 2 * k):
        rows = np.flatnonzero(group_of == group)
        parts = mdav(points[rows], k)
        cut[rows] = next_number + parts
        next_number += int(parts.max()) + 1
    return renumber_groups(cut)


def _groups(points: Floats, group_of: Ints, k: int) -> AnnealingGroups:
    most = len(points) // k
    groups = AnnealingGroups(
        group_of.copy(),
        np.zeros((most, 2 * k + 1), np.int64),
        np.zeros(len(points), np.int64),
        np.zeros(most, np.int64),
        np.zeros((most, points.shape[1])),
        np.zeros(most + 1, np.int64),
    )
    for row, group in enumerate(group_of.tolist()):
        groups.slots[row] = groups.sizes[group]
        groups.members[group, groups.sizes[group]] = row
        groups.sizes[group] += 1
    without = np.flatnonzero(groups.sizes == 0)
    groups.empty[: len(without)] = without
    groups.empty[-1] = len(without)
    _add_up(points, groups)
    return groups


@compiled
def _add_up(points: Any, groups: Any) -> None:
    """Sums that have been changed many times carry rounding errors; begin again."""
    groups.sums[:] = 0.0
    for row in range(len(points)):
        for column in range(points.shape[1]):
            groups.sums[groups.group_of[row], column] += points[row, column]


@compiled
def _anneal(
    points: Any, listed: Any, near: Any, k: int, groups: Any, temperature: float, key: Any, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Draw changes number ``begin`` to ``end`` and make those that are accepted."""
    key0, key1, purpose = key[0], key[1], np.uint64(MOVES)
    moved, homes = np.empty(2 * k, np.int64), np.empty(2 * k, np.int64)
    for number in range(begin, end):
        drawn = siphash(key0, key1, purpose, np.uint64(2 * number))
        row = listed[_below(drawn & np.uint64(0xFFFFFFFF), len(listed), 32)]
        kind = (drawn >> np.uint64(32)) & np.uint64(0x3FF)
        place = float((drawn >> np.uint64(42)) & np.uint64(0xFFF)) / 4096.0
        drawn_member = drawn >> np.uint64(54)
        chance = siphash(key0, key1, purpose, np.uint64(2 * number + 1))
        most = -temperature * np.log((float(chance >> np.uint64(11)) + 1.0) / 2.0**53)
        if kind < SELDOM // 2:
            _form(points, near, k, groups, row, most, moved, homes)
        elif kind < SELDOM:
            _dissolve(points, near, k, groups, groups.group_of[row], most, moved)
        else:
            to = groups.group_of[near[row, int(near.shape[1] * place**PREFERENCE)]]
            home = groups.group_of[row]
            if to == home:
                continue
            if kind & np.uint64(1) and groups.sizes[home] > k and groups.sizes[to] < 2 * k:
                if _cost_of_leaving(points, groups, row) + _cost_of_joining(points, groups, row, to) < most:
                    _move(points, groups, row, to)
                continue
            mate = groups.members[to, _below(drawn_member, groups.sizes[to], 10)]
            if cost_of_exchange(points, groups, row, mate) < most:
                _move(points, groups, row, to)
                _move(points, groups, mate, home)


@inlined
def _below(bits: Any, count: int, width: int) -> Any:
    """A number below count from so many random bits."""
    return np.int64((bits * np.uint64(count)) >> np.uint64(width))


@inlined
def _squared_distance(points: Any, row: int, sums: Any, group: int, size: int) -> float:
    total, share = 0.0, 1.0 / size
    for column in range(points.shape[1]):
        apart = points[row, column] - sums[group, column] * share
        total += apart * apart
    return total


@compiled
def _cost_of_leaving(points: Any, groups: Any, row: int) -> float:
    """How SSE changes, never upwards."""
    group = groups.group_of[row]
    size = groups.sizes[group]
    if size == 1:
        return 0.0
    return float(-_squared_distance(points, row, groups.sums, group, size) * size / (size - 1))


@compiled
def _cost_of_joining(points: Any, groups: Any, row: int, group: int) -> float:
    size = groups.sizes[group]
    if size == 0:
        return 0.0
    return float(_squared_distance(points, row, groups.sums, group, size) * size / (size + 1))


@compiled
def cost_of_exchange(points: Any, groups: Any, row: int, mate: int) -> float:
    """With the difference e of the two rows: -2 (a - b) e - (1/|A| + 1/|B|) e², for the centroids a and b."""
    a, b = groups.group_of[row], groups.group_of[mate]
    share_a, share_b = 1.0 / groups.sizes[a], 1.0 / groups.sizes[b]
    product, square = 0.0, 0.0
    for column in range(points.shape[1]):
        apart = points[mate, column] - points[row, column]
        product += (groups.sums[a, column] * share_a - groups.sums[b, column] * share_b) * apart
        square += apart * apart
    return float(-2.0 * product - (share_a + share_b) * square)


@compiled
def _move(points: Any, groups: Any, row: int, to: int) -> None:
    """Move a row. For a moment, a group may be one row too large or too small; the last of its rows fills the
    gap."""
    home, slot = groups.group_of[row], groups.slots[row]
    groups.sizes[home] -= 1
    last = groups.members[home, groups.sizes[home]]
    groups.members[home, slot], groups.slots[last] = last, slot
    groups.members[to, groups.sizes[to]], groups.slots[row] = row, groups.sizes[to]
    groups.sizes[to] += 1
    groups.group_of[row] = to
    for column in range(points.shape[1]):
        groups.sums[home, column] -= points[row, column]
        groups.sums[to, column] += points[row, column]


@compiled
def _form(points: Any, near: Any, k: int, groups: Any, row: int, most: float, moved: Any, homes: Any) -> None:
    """A new group of a row and those near it that their groups can spare, if that costs less than
    ``most``."""
    if groups.empty[-1] == 0 or groups.sizes[groups.group_of[row]] <= k:
        return
    new = groups.empty[groups.empty[-1] - 1]
    count, cost, at = 0, 0.0, -1
    while count < k and at < near.shape[1]:
        other = near[row, at] if at >= 0 else row
        home = groups.group_of[other]
        at += 1
        if home != new and groups.sizes[home] > k:
            cost += _cost_of_leaving(points, groups, other) + _cost_of_joining(points, groups, other, new)
            _move(points, groups, other, new)
            moved[count], homes[count] = other, home
            count += 1
    if count == k and cost < most:
        groups.empty[-1] -= 1
        return
    for i in range(count - 1, -1, -1):
        _move(points, groups, moved[i], homes[i])


@compiled
def _dissolve(points: Any, near: Any, k: int, groups: Any, group: int, most: float, moved: Any) -> None:
    """The rows of a group join those of near rows, if that costs less than ``most``."""
    if groups.sizes[group] > k + 1:
        return
    count, cost = 0, 0.0
    while groups.sizes[group] > 0:
        row = groups.members[group, groups.sizes[group] - 1]
        least, to = np.inf, -1
        for other in near[row]:
            found = groups.group_of[other]
            if found != group and found != to and groups.sizes[found] < 2 * k:
                joining = _cost_of_joining(points, groups, row, found)
                if joining < least:
                    least, to = joining, found
        if to < 0:
            break
        cost += _cost_of_leaving(points, groups, row) + least
        _move(points, groups, row, to)
        moved[count] = row
        count += 1
    if groups.sizes[group] == 0 and cost < most:
        groups.empty[groups.empty[-1]] = group
        groups.empty[-1] += 1
        return
    for i in range(count - 1, -1, -1):
        _move(points, groups, moved[i], group)


@compiled
def _descend(points: Any, listed: Any, near: Any, k: int, groups: Any, least: float) -> bool:
    """Give every row the best place among the groups of near rows; did any of them change?"""
    changed = False
    for row in listed:
        home = groups.group_of[row]
        best, to, mate, last = -least, -1, -1, home
        leaving = _cost_of_leaving(points, groups, row)
        for other in near[row]:
            group = groups.group_of[other]
            if group in (home, last):
                continue
            last = group
            if groups.sizes[home] > k and groups.sizes[group] < 2 * k:
                cost = leaving + _cost_of_joining(points, groups, row, group)
                if cost < best:
                    best, to, mate = cost, group, -1
            for member in groups.members[group, : groups.sizes[group]]:
                cost = cost_of_exchange(points, groups, row, member)
                if cost < best:
                    best, to, mate = cost, group, member
        if to >= 0:
            changed = True
            _move(points, groups, row, to)
            if mate >= 0:
                _move(points, groups, mate, home)
    return changed
