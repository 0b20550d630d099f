"""Make groups closer that have merged: split them again, move and exchange their records, and keep what is
asked of every group.

A group is split in two where both parts hold: one part is the records nearest to one of its own, the other
the rest; or the nearest of those without a rare value, so that the rare ones stay together with what they
need. The split that lowers SSE most is made, and the parts are split in turn. Then every record of these
groups moves to a near group, or changes places with a record of it, as long as both groups hold and SSE
falls; by how much follows exactly from the sums of the groups.

A group of m records is split in O(m log m) for each of at most ``SEEDS`` records; a move is tried in
O(columns) and, if it lowers SSE, judged in O(m). The work as a whole is limited.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.diversity import Diversity, diverse
from shoal.methods.means.kd_tree import squared_distance
from shoal.methods.means.neighbours import neighbours
from shoal.methods.means.rare_values import (
    Marks,
    RareDemand,
    begin_group,
    count_row,
    empty_tally,
    satisfies_demand,
)
from shoal.methods.means.refined import cost_of_exchange, renumber_groups
from shoal.methods.means.sse import sse

SEEDS = 10  # records around which a split is tried
NEAR = 20  # groups that its records may go to
ROUNDS = 3  # of splitting, moving and exchanging
WORK = 100_000_000  # records that are looked at, at most
ENOUGH = 1e-3  # of SSE: records are moved again when it fell by more
LEAST = 1e-9  # gains below this share of SSE per record are rounding
NONE = -1


class GroupChains(NamedTuple):
    """Rows of a group form a chain in both directions."""

    group_of: Any
    heads: Any
    next_row: Any
    last_row: Any
    sizes: Any
    sums: Any
    is_loose: Any  # may be changed; the others only exchange records with these
    used: Any  # how many groups there are
    work: Any  # that may still be done


class GroupRules(NamedTuple):
    """What every group has to keep, and room to judge it."""

    k: int
    codes: Any
    rules: Any
    rare: Any
    is_rare: Any  # row: has it any rare value?
    counts: Any
    counted: Any


def tighten(
    points: Floats, group_of: Ints, loose: Marks, k: int, diversity: Diversity, asked: RareDemand
) -> Ints:
    """The group of every row, from groups numbered from 0 on that all hold and of which some are loose.

    >>> from shoal.methods.means.rare_values import rare_demand
    >>> points, nothing = np.array([[1.0], [8.0], [2.0], [9.0]]), rare_demand([], 4)
    >>> tighten(points, np.zeros(4, np.int64), np.array([True]), 2, Diversity.none(4), nothing).tolist()
    [0, 1, 0, 1]
    """
    points = np.ascontiguousarray(points, np.float64)
    groups = _groups(points, group_of, loose, k)
    is_rare = asked.is_rare[asked.codes].any(axis=1)
    kept = GroupRules(
        k, diversity.codes, diversity.rules, asked, is_rare, diversity.counters(), empty_tally(asked)
    )
    least = LEAST * sse(points, group_of) / len(points)
    for _ in range(ROUNDS):
        _split_all(points, groups, kept, least)
        near = _near_groups(groups)
        gains = True
        while gains:
            gained = _descend(points, near, groups, kept, least)
            gains = gained > ENOUGH * sse(points, groups.group_of)
    return renumber_groups(groups.group_of)


def _groups(points: Floats, group_of: Ints, loose: Marks, k: int) -> GroupChains:
    rows, used = len(points), int(group_of.max()) + 1
    most = max(used, rows // k)
    groups = GroupChains(
        group_of.copy(),
        np.full(most, NONE),
        np.full(rows, NONE),
        np.full(rows, NONE),
        np.zeros(most, np.int64),
        np.zeros((most, points.shape[1])),
        np.concatenate([loose, np.ones(most - used, bool)]),
        np.array([used]),
        np.array([WORK]),
    )
    _chain(points, groups)
    return groups


def _near_groups(groups: GroupChains) -> Any:
    """For every group, those with the nearest centroids."""
    used = int(groups.used[0])
    centroids = groups.sums[:used] / groups.sizes[:used, np.newaxis]
    return neighbours(centroids, min(NEAR, used - 1))[1]


@compiled
def _chain(points: Any, groups: Any) -> None:
    for row in range(len(points) - 1, -1, -1):
        _enter(points, groups, row, groups.group_of[row])


@compiled
def _enter(points: Any, groups: Any, row: int, group: int) -> None:
    head = groups.heads[group]
    groups.group_of[row], groups.heads[group] = group, row
    groups.next_row[row], groups.last_row[row] = head, NONE
    if head != NONE:
        groups.last_row[head] = row
    groups.sizes[group] += 1
    for column in range(points.shape[1]):
        groups.sums[group, column] += points[row, column]


@compiled
def _leave(points: Any, groups: Any, row: int) -> None:
    group, before, after = groups.group_of[row], groups.last_row[row], groups.next_row[row]
    if before == NONE:
        groups.heads[group] = after
    else:
        groups.next_row[before] = after
    if after != NONE:
        groups.last_row[after] = before
    groups.sizes[group] -= 1
    for column in range(points.shape[1]):
        groups.sums[group, column] -= points[row, column]


@compiled
def _move(points: Any, groups: Any, row: int, to: int) -> None:
    _leave(points, groups, row)
    _enter(points, groups, row, to)


@compiled
def _split_all(points: Any, groups: Any, asked: Any, least: float) -> None:
    """Split loose groups as long as it helps, the parts as well."""
    group = 0
    while group < groups.used[0] and groups.work[0] > 0:
        if not (
            groups.is_loose[group]
            and groups.sizes[group] >= 2 * asked.k
            and _split(points, groups, group, asked, least)
        ):
            group += 1


@compiled
def _split(points: Any, groups: Any, group: int, asked: Any, least: float) -> bool:
    """Make the best split of a group in two that hold, if there is one."""
    size = groups.sizes[group]
    rows, centred = np.empty(size, np.int64), np.empty((size, points.shape[1]))
    row = groups.heads[group]
    for i in range(size):
        rows[i] = row
        centred[i] = points[row] - groups.sums[group] / size
        row = groups.next_row[row]
    outermost = _by_distance(centred, np.zeros(points.shape[1]))[::-1]
    fits, chosen, best = np.zeros(size, np.bool_), rows[:0], least
    for at in range(min(size, SEEDS)):
        order = _by_distance(centred, centred[outermost[at]])
        for rare_last in range(2 if len(asked.rare.different) > 0 else 1):
            if rare_last:
                order = _rare_last(rows, order, asked.is_rare)
            cut, gain = _best_cut(rows, centred, order, asked, fits, best)
            if cut > 0:
                chosen, best = rows[order[:cut]], gain
            groups.work[0] -= size * (1 + asked.counts.size)
    if len(chosen) == 0:
        return False
    for row in chosen:
        _move(points, groups, row, groups.used[0])
    groups.used[0] += 1
    return True


@compiled
def _by_distance(points: Any, target: Any) -> Any:
    """The nearest first."""
    apart = np.empty(len(points))
    for i in range(len(points)):
        apart[i] = squared_distance(points, i, target)
    return np.argsort(apart, kind="mergesort")


@compiled
def _rare_last(rows: Any, order: Any, is_rare: Any) -> Any:
    """The same order, but rows with rare values after the others."""
    found, at = np.empty_like(order), 0
    for wanted in (False, True):
        for i in order:
            if is_rare[rows[i]] == wanted:
                found[at] = i
                at += 1
    return found


@compiled
def _best_cut(rows: Any, centred: Any, order: Any, asked: Any, fits: Any, best: float) -> Any:
    """After how many rows in this order to cut such that both parts hold and SSE falls most, and by how much;
    0 if by no more than ``best``. With the sum s of the first a of a + b rows, which together have the
    centre 0, it falls by s² (1/a + 1/b)."""
    size = len(order)
    _judge_starts(rows, order[::-1], asked, fits)
    sums, cut = np.zeros(centred.shape[1]), 0
    _begin(asked)
    for i in range(size - asked.k):
        _count(asked, rows[order[i]])
        sums += centred[order[i]]
        if i + 1 < asked.k or not fits[size - i - 2]:
            continue
        gain = (sums * sums).sum() * (1.0 / (i + 1) + 1.0 / (size - i - 1))
        if gain > best and _hold(asked):
            cut, best = i + 1, gain
    return cut, best


@compiled
def _judge_starts(rows: Any, order: Any, asked: Any, fits: Any) -> None:
    """Judge whether the rows up to each one in this order satisfy the demand."""
    _begin(asked)
    for i in range(len(order) - asked.k):
        _count(asked, rows[order[i]])
        fits[i] = i + 1 >= asked.k and _hold(asked)


@compiled
def _begin(asked: Any) -> None:
    asked.counts[:] = 0
    begin_group(asked.counted)


@compiled
def _count(asked: Any, row: int) -> None:
    for at in range(len(asked.rules)):
        asked.counts[at, asked.codes[row, at]] += 1
    count_row(asked.rare, asked.counted, row)


@compiled
def _hold(asked: Any) -> bool:
    return bool(diverse(asked.counts, asked.rules) and satisfies_demand(asked.rare, asked.counted))


@compiled
def _holds_with(groups: Any, group: int, asked: Any, without: int, with_row: int) -> bool:
    """Would a group hold with one row and without another? Either may be NONE."""
    _begin(asked)
    row = groups.heads[group]
    while row != NONE:
        if row != without:
            _count(asked, row)
        row = groups.next_row[row]
    if with_row != NONE:
        _count(asked, with_row)
    groups.work[0] -= groups.sizes[group] + asked.counts.size
    return _hold(asked)


@compiled
def _descend(points: Any, near: Any, groups: Any, asked: Any, least: float) -> float:
    """Give every row of a loose group the best place among the near groups; by how much SSE falls."""
    gain = 0.0
    for row in range(len(points)):
        home = groups.group_of[row]
        if groups.is_loose[home] and groups.work[0] > 0:
            cost, to, mate = _best_place(points, near[home], groups, asked, row, least)
            if to != NONE:
                gain -= cost
                _move(points, groups, row, to)
                if mate != NONE:
                    _move(points, groups, mate, home)
    return gain


@compiled
def _best_place(points: Any, near: Any, groups: Any, asked: Any, row: int, least: float) -> Any:
    """How SSE would change, the group to which to move a row, and the row that takes its place: either may be
    NONE."""
    home = groups.group_of[row]
    best, to, mate = -least, NONE, NONE
    for group in near:
        if groups.sizes[home] > asked.k:
            cost = _cost_of_move(points, groups, row, group)
            if (
                cost < best
                and _holds_with(groups, home, asked, row, NONE)
                and _holds_with(groups, group, asked, NONE, row)
            ):
                best, to, mate = cost, group, NONE
        member = groups.heads[group]
        while member != NONE:
            cost = cost_of_exchange(points, groups, row, member)
            if (
                cost < best
                and _holds_with(groups, home, asked, row, member)
                and _holds_with(groups, group, asked, member, row)
            ):
                best, to, mate = cost, group, member
            member = groups.next_row[member]
        groups.work[0] -= groups.sizes[group]
    return best, to, mate


@compiled
def _cost_of_move(points: Any, groups: Any, row: int, to: int) -> float:
    """How SSE changes when a row leaves its group of a rows and joins one of b."""
    home = groups.group_of[row]
    a, b, leaving, joining = groups.sizes[home], groups.sizes[to], 0.0, 0.0
    for column in range(points.shape[1]):
        leaving += (points[row, column] - groups.sums[home, column] / a) ** 2
        joining += (points[row, column] - groups.sums[to, column] / b) ** 2
    return float(joining * b / (b + 1) - leaving * a / (a - 1))
