"""Which classes leave a table: whole ones, so that those that stay hold and as little as possible is lost.

Most demands are about a class alone: one that fails them leaves, all others stay. t-closeness compares a
class with all that stay, so who leaves changes what the others are compared with, and leaving out another
class may serve better than the one that fails. Then the choice is searched by branch and bound:

- A class that would be too far from the table even after all that may still leave have left must leave. With
  n records, of which d may leave, no distance falls by more than d / (n - d), since distances are norms of
  the difference of shares and at most 1; where ranks are counted among the values that occur, by one more
  step of a rank for every value that could vanish.
- Of those that fail but need not leave, the farthest is let go first, and kept in the other branch; then
  something else has to leave for it.

Classes are looked at in an order of their contents, so that what is chosen does not depend on how they were
found. The search ends after ``EFFORT`` counts have been looked at. What it found until then is taken, and
what it says to be the least is only what must leave in any case.
"""

from typing import Any

import numpy as np

from shoal.kernels.compiled import compiled
from shoal.methods.diversity import MARKS, SLACK, T_NESTED, T_ORDERED, distance, diverse

EFFORT = 2_000_000  # counts of values in classes, for one node
ROUNDING = 1e-9  # of distances, by which nobody is made to leave
OPEN, KEPT, GONE = 0, 1, 2  # what has been decided of a class
LOST, RECORDS, DECIDED, WORK = 0, 1, 2, 3  # tallies: who has left, who is there, decisions, counts looked at


@compiled
def has_closeness_rule(rules: Any) -> bool:
    """Is a class compared with all that stay?"""
    for at in range(len(rules)):
        if rules[at, 0] >= T_NESTED:
            return True
    return False


@compiled
def choose_classes(
    counts: Any, hist: Any, length: int, k: int, rules: Any, limit: int, costs: Any, most: float
) -> Any:
    """Which classes stay, how many records leave, what their leaving costs at least, and whether that is what
    it does cost. Nobody stays if too many have to leave, and it may then say only that they are more than the
    limit, or that they cost ``most``.

    ``costs`` of each class are looked at only where classes are compared with all that stay.
    """
    stays, lost, least = counts[:length] >= k, 0, 0.0
    for i in range(length):
        if not stays[i]:
            lost += counts[i]
    if len(rules) == 0 or lost > limit:
        return stays, lost, least, True
    alone, width = rules.copy(), hist.shape[1] // len(rules)
    for at in range(len(rules)):
        if rules[at, 0] >= T_NESTED:
            alone[at, 0] = 0.0
    for i in range(length):
        if stays[i] and not diverse(hist[i].reshape(len(rules), width), alone):
            stays[i] = False
            lost += counts[i]
            if lost > limit:
                return stays, lost, least, True
    if not has_closeness_rule(rules):
        return stays, lost, least, True
    for i in range(length):
        if not stays[i]:
            least += costs[i]
    return _chosen(counts, hist, rules, costs, stays, lost, least, limit, most)


@compiled
def _chosen(
    counts: Any, hist: Any, rules: Any, costs: Any, stays: Any, lost: int, least: float, limit: int,
    most: float,
) -> Any:  # fmt: skip
    """The cheapest choice among the classes that could stay if nobody was compared with others."""
    table = (counts, hist, costs, rules.copy())
    ids, whole, tally, spent = (
        np.flatnonzero(stays),
        np.zeros(hist.shape[1]),
        np.zeros(4, np.int64),
        np.zeros(1),
    )
    tally[LOST], spent[0] = lost, least
    for i in ids:
        tally[RECORDS] += counts[i]
        for value in range(hist.shape[1]):
            whole[value] += hist[i, value]
    everybody = lost + tally[RECORDS]
    state, over, trail = np.zeros(len(ids), np.int8), np.zeros(len(ids)), np.empty(len(ids), np.int64)
    possible = _propagate(table, ids, state, over, trail, whole, tally, spent, limit, np.inf)
    stays[:], least = False, spent[0]
    if not possible or least >= most:
        return stays, everybody, least, True
    if not _fails(state, over):
        stays[ids[state == OPEN]] = True
        return stays, tally[LOST], least, True
    ids = _by_content(table, ids[state == OPEN])
    found, proved = _searched(table, ids, whole, tally, spent, limit)
    left = 0
    for place in range(len(ids)):
        stays[ids[place]] = found[place]
        left += counts[ids[place]] if found[place] else 0
    return stays, everybody - left, spent[0] if proved and left > 0 else least, proved


@compiled
def _searched(table: Any, ids: Any, whole: Any, tally: Any, spent: Any, limit: int) -> Any:
    """Which of these classes stay in the cheapest choice, which is left in ``spent``, and whether all choices
    were looked at; nobody stays if none was found."""
    size = len(ids)
    state, over, trail = np.zeros(size, np.int8), np.zeros(size), np.empty(size, np.int64)
    tally[DECIDED], tally[WORK] = 0, 0
    stays, cheapest = np.zeros(size, np.bool_), np.inf
    picks, marks, kept = np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(size, np.bool_)
    costs, depth = np.empty(size), 0
    possible = _propagate(table, ids, state, over, trail, whole, tally, spent, limit, cheapest)
    while tally[WORK] < EFFORT:
        if possible and not _fails(state, over):
            stays[:], cheapest, possible = state != GONE, spent[0], False
        pick = _pick(table, ids, state, over, limit - tally[LOST]) if possible else -1
        if pick >= 0:
            picks[depth], marks[depth], costs[depth], kept[depth] = pick, tally[DECIDED], spent[0], False
            depth += 1
            _decide(table, ids, state, trail, whole, tally, spent, pick, GONE)
        else:
            while depth > 0 and kept[depth - 1]:
                depth -= 1
            if depth == 0:
                break
            _undo(table, ids, state, trail, whole, tally, marks[depth - 1])
            spent[0], kept[depth - 1] = costs[depth - 1], True
            _decide(table, ids, state, trail, whole, tally, spent, picks[depth - 1], KEPT)
        possible = _propagate(table, ids, state, over, trail, whole, tally, spent, limit, cheapest)
    proved = tally[WORK] < EFFORT
    if cheapest == np.inf and not proved:
        _undo(table, ids, state, trail, whole, tally, 0)
        return _greedy(table, ids, state, over, trail, whole, tally, spent, limit), False
    spent[0] = cheapest
    return stays, proved


@compiled
def _greedy(
    table: Any, ids: Any, state: Any, over: Any, trail: Any, whole: Any, tally: Any, spent: Any, limit: int
) -> Any:
    """All that fail leave, until those that stay hold; nobody stays if that is too many."""
    while _propagate(table, ids, state, over, trail, whole, tally, spent, limit, np.inf):
        if not _fails(state, over):
            return state != GONE
        for i in range(len(ids)):
            if state[i] != GONE and over[i] > SLACK:
                _decide(table, ids, state, trail, whole, tally, spent, i, GONE)
    return np.zeros(len(ids), np.bool_)


@compiled
def _propagate(
    table: Any, ids: Any, state: Any, over: Any, trail: Any, whole: Any, tally: Any, spent: Any, limit: int,
    ceiling: float,
) -> bool:  # fmt: skip
    """Let those leave that must; False if they are too many, cost too much, or were to be kept. ``over`` is
    how much farther than allowed each class then is from all that stay."""
    _, hist, _, asked = table
    width, again = hist.shape[1] // len(asked), True
    while again:
        again = False
        left, records = limit - tally[LOST], tally[RECORDS]
        if left < 0 or records <= 0 or spent[0] >= ceiling:
            return False
        shift = left / (records - left) if records > left else np.inf
        for i in range(len(ids)):
            over[i] = -np.inf
        for at in range(len(asked)):
            if asked[at, 0] < T_NESTED:
                continue
            room, part = shift, slice(at * width, (at + 1) * width)
            asked[at, MARKS : MARKS + width] = whole[part]
            if asked[at, 0] == T_ORDERED:
                room += _vanishing(whole[part], left)
            for i in range(len(ids)):
                if state[i] == GONE:
                    continue
                tally[WORK] += width
                beyond = distance(hist[ids[i], part], asked[at], width) - asked[at, 2]
                over[i] = max(over[i], beyond)
                if beyond > room + ROUNDING:
                    if state[i] == KEPT:
                        return False
                    _decide(table, ids, state, trail, whole, tally, spent, i, GONE)
                    again = True
    return True


@compiled
def _vanishing(whole: Any, left: int) -> float:
    """The amount by which distances of ranks can fall because values vanish when so many records leave."""
    values, rare = 0, 0
    for count in whole:
        values += count > 0
        rare += 0 < count <= left
    return rare / (values - 1) if values > 1 else 0.0


@compiled
def _decide(
    table: Any, ids: Any, state: Any, trail: Any, whole: Any, tally: Any, spent: Any, place: int, what: int
) -> None:
    """Keep a class, or let it go."""
    counts, hist, costs, _ = table
    state[place] = what
    trail[tally[DECIDED]] = place
    tally[DECIDED] += 1
    if what == GONE:
        tally[LOST] += counts[ids[place]]
        tally[RECORDS] -= counts[ids[place]]
        spent[0] += costs[ids[place]]
        for value in range(hist.shape[1]):
            whole[value] -= hist[ids[place], value]


@compiled
def _undo(table: Any, ids: Any, state: Any, trail: Any, whole: Any, tally: Any, mark: int) -> None:
    """Take back all decisions but the first ones."""
    counts, hist, _, _ = table
    while tally[DECIDED] > mark:
        tally[DECIDED] -= 1
        place = trail[tally[DECIDED]]
        if state[place] == GONE:
            tally[LOST] -= counts[ids[place]]
            tally[RECORDS] += counts[ids[place]]
            for value in range(hist.shape[1]):
                whole[value] += hist[ids[place], value]
        state[place] = OPEN


@compiled
def _fails(state: Any, over: Any) -> bool:
    for i in range(len(state)):
        if state[i] != GONE and over[i] > SLACK:
            return True
    return False


@compiled
def _pick(table: Any, ids: Any, state: Any, over: Any, left: int) -> Any:
    """The farthest class that fails and of which nothing has been decided; if there is none, of those small
    enough to leave the one whose values are least like those of the farthest."""
    counts, hist, _, _ = table
    pick, farthest = -1, -1
    for i in range(len(ids)):
        if state[i] == GONE:
            continue
        if farthest < 0 or over[i] > over[farthest]:
            farthest = i
        small = state[i] == OPEN and counts[ids[i]] <= left
        if small and over[i] > SLACK and (pick < 0 or over[i] > over[pick]):
            pick = i
    if pick >= 0:
        return pick
    unlike = -1.0
    for i in range(len(ids)):
        if state[i] == OPEN and counts[ids[i]] <= left:
            apart = 0.0
            for value in range(hist.shape[1]):
                apart += abs(
                    hist[ids[i], value] / counts[ids[i]] - hist[ids[farthest], value] / counts[ids[farthest]]
                )
            if apart > unlike:
                pick, unlike = i, apart
    return pick


@compiled
def _by_content(table: Any, ids: Any) -> Any:
    """The same classes in an order that depends on their values and costs only."""
    counts, hist, costs, _ = table
    content = np.empty(len(ids), np.uint64)
    for i in range(len(ids)):
        mixed = np.uint64(counts[ids[i]])
        for value in range(hist.shape[1]):
            mixed = (mixed ^ np.uint64(hist[ids[i], value])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        content[i] = mixed
    by_cost = np.argsort(costs[ids], kind="mergesort")
    return ids[by_cost[np.argsort(content[by_cost], kind="mergesort")]]
