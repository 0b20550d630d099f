"""The walk over a lattice, column by column, each table of classes made from the one before (roll-up).

It leaves out what cannot be better or cannot be allowed, keeps as many tables as it is given room for, and
can be stopped at any node: it then says what no node goes below that it has not seen. The tuples that it is
given are those of ``roll_up``.
"""

from typing import Any

import numpy as np

from shoal.kernels.compiled import compiled
from shoal.methods.levels.roll_up import (
    AVERAGE_CLASS,
    SEPARABLE,
    judge,
    merge_prefix,
    project_columns,
    project_into,
    roll_up,
    slots_for,
    suppression_cost,
)

ROUNDING = 1e-12  # what is better by a smaller share is not better


@compiled
def walk_lattice(
    table: Any, shape: Any, asked: Any, floors: Any, start: Any, spare: int, best: Any, stop: Any,
    best_levels: Any, suppressed_of: Any, loss_of: Any, bound_of: Any,
) -> tuple[float, float, float]:  # fmt: skip
    """Walk all nodes that begin with the levels ``start``, column by column.

    What cannot be below ``best[0]``, which all walks share, is left out; a walk that lists its nodes leaves
    out only what fails. Besides the table of the start, ``spare`` others are kept; one that had to make
    room is made again when it is needed. As soon as ``stop[0]`` is set, the walk ends. Gives the loss of
    the best node found, one that no node goes below which the walk has not seen, and one that no node goes
    below of which not every choice of classes to leave out was tried.
    """
    heights, base, cheapest = shape[0], shape[8], shape[9]
    columns, fixed, lists = len(heights), len(start), len(loss_of) > 0
    level = np.full(columns, -1, np.int64)
    level[:fixed] = start
    shelf = _shelf(table, shape, level, fixed, spare)
    keys, counts, hist, lengths, _, slots = shelf
    values = hist.shape[2] if len(asked[2]) > 0 else 0
    room = (np.empty_like(keys[0]), np.empty_like(counts[0]), np.empty((len(counts[0]), values), hist.dtype))
    source = np.full(columns + 1, fixed, np.int64)  # the depth at which a depth's table was made
    chosen, bounds = np.zeros(columns + 1), np.zeros(columns + 1)
    for at in range(fixed):
        chosen[fixed] += base[at, level[at]]
    bounds[fixed] = _bound(
        (keys[0], counts[0], hist[0]),
        lengths[0],
        fixed,
        level,
        chosen[fixed],
        shape,
        asked,
        floors,
        room,
        slots,
    )
    found, undecided, at = np.inf, np.inf, fixed
    while at >= fixed and not stop[0]:
        cutoff = np.inf if lists else best[0] * (1 - ROUNDING)
        level[at] += 1
        now = level[at]
        if now > heights[at] or bounds[at] >= cutoff or (
            asked[5] == SEPARABLE and chosen[at] + cheapest[at, now] + floors[0][at + 1] >= cutoff
        ):  # fmt: skip
            level[at] = -1
            at -= 1
            continue
        chosen[at + 1] = chosen[at] + base[at, now]
        source[at + 1] = source[at] if now == 0 else at + 1
        if now > 0:
            _make(shelf, shape, level, at, source[at], fixed)
        here = _place(shelf, shape, level, source[at + 1], fixed)
        classes = (keys[here], counts[here], hist[here])
        if at + 1 < columns:
            bounds[at + 1] = _bound(
                classes, lengths[here], at + 1, level, chosen[at + 1], shape, asked, floors, room, slots
            )
            if bounds[at + 1] < cutoff:
                at += 1
                level[at] = -1
            continue
        loss, lost, least = judge(classes, lengths[here], level, chosen[columns], shape, asked, cutoff)
        if least < loss:
            undecided = min(undecided, least)
        if lists:
            number = _number(level, heights)
            suppressed_of[number], loss_of[number], bound_of[number] = lost, loss, least
        elif loss < min(found, cutoff):
            found = loss
            best_levels[:] = level
            best[0] = min(best[0], loss)
    unseen = _unseen(at, fixed, level, chosen, bounds, heights, cheapest, floors[0], asked[5])
    return found, unseen, undecided


@compiled
def _unseen(
    at: int, fixed: int, level: Any, chosen: Any, bounds: Any, heights: Any, cheapest: Any, rest: Any,
    objective: int,
) -> float:  # fmt: skip
    """What the levels that were still to come would cost at least."""
    least = np.inf
    for depth in range(fixed, at + 1):
        if level[depth] < heights[depth]:
            bound = bounds[depth]
            if objective == SEPARABLE:
                bound = max(bound, chosen[depth] + cheapest[depth, level[depth] + 1] + rest[depth + 1])
            least = min(least, bound)
    return least


@compiled
def _number(level: Any, heights: Any) -> int:
    number = 0
    for at in range(len(level)):
        number = number * (heights[at] + 1) + level[at]
    return number


@compiled
def _shelf(table: Any, shape: Any, level: Any, fixed: int, spare: int) -> Any:
    """Room for tables of classes, the first for that of the start, and the depth that each belongs to."""
    slots = np.empty(slots_for(len(table[0])), np.int32)
    keys, counts, hist, made, _ = project_columns(table, len(table[0]), level, 0, fixed, shape, slots)
    all_keys = np.empty((spare + 1, made, keys.shape[1]), np.int64)
    all_counts = np.empty((spare + 1, made), np.int64)
    all_hist = np.empty((spare + 1, made, hist.shape[1]), hist.dtype)
    all_keys[0], all_counts[0], all_hist[0] = keys[:made], counts[:made], hist[:made]
    lengths, owner = np.zeros(spare + 1, np.int64), np.full(spare + 1, -1, np.int64)
    lengths[0], owner[0] = made, fixed
    return all_keys, all_counts, all_hist, lengths, owner, slots


@compiled
def _place(shelf: Any, shape: Any, level: Any, depth: int, fixed: int) -> int:
    """Where the table of a depth stands; it is made from that of the start if it had to make room."""
    keys, counts, hist, lengths, owner, slots = shelf
    place = 0 if depth == fixed else 1 + (depth - fixed - 1) % (len(owner) - 1)
    if owner[place] != depth:
        new = (keys[place], counts[place], hist[place])
        lengths[place] = project_into(
            (keys[0], counts[0], hist[0]), lengths[0], level, fixed, depth, shape, new, slots, slots[:0]
        )
        owner[place] = depth
    return place


@compiled
def _make(shelf: Any, shape: Any, level: Any, at: int, below: int, fixed: int) -> None:
    """The table of a depth, from that of the level below or from the one before."""
    keys, counts, hist, lengths, owner, slots = shelf
    _, word, shift, mask, ups, offsets, leaves, places, _, _, _ = shape
    place = 1 + (at - fixed) % (len(owner) - 1)
    if level[at] > 1 and owner[place] == at + 1:
        old, up = place, ups[offsets[at, level[at] - 1] :]
    else:
        old, up = _place(shelf, shape, level, below, fixed), leaves[places[at, level[at]] :]
    lengths[place] = roll_up(
        (keys[old], counts[old], hist[old]), lengths[old], (keys[place], counts[place], hist[place]),
        word[at], shift[at], mask[at], up, slots,
    )  # fmt: skip
    owner[place] = at + 1


@compiled
def _bound(
    classes: Any, length: int, depth: int, level: Any, chosen: float, shape: Any, asked: Any, floors: Any,
    room: Any, slots: Any,
) -> float:  # fmt: skip
    """What the nodes that begin with these levels cost at least; infinite if none of them is allowed.

    With all columns that follow at their top, the classes that fail a demand which survives merging would
    fail below too, so their records are lost.
    """
    k, _, pruning, limit, rows, objective = asked
    rest, plain, more = floors
    made = merge_prefix(classes, length, depth, shape, room, slots)
    lost, cost, _, _, _, _ = suppression_cost(
        room, made, depth, level, shape, k, pruning, limit, objective, rows, np.inf
    )
    if lost > limit:
        return np.inf
    if objective == SEPARABLE:
        return float(chosen + cost + max(rest[depth], plain[depth] + lost * more[depth]))
    if objective == AVERAGE_CLASS:
        return float(max(k, (rows - limit) / length))
    squares = 0.0  # a record that stays has at least the company that it has now, and k in all
    for i in range(length):
        squares += float(classes[1][i]) * max(classes[1][i], k)
    return squares
