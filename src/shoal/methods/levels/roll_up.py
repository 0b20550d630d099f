"""Roll-up: the classes of a lattice node from those of a finer one, by merging counts.

Classes are keys of one or more words, in which every column has some bits for its group; going up a level
replaces them. A table of slots finds equal keys. With the counts go, for every class, those of
its sensitive values (``hist``, no columns if nothing is asked of them).

Kernels are given three tuples: ``table`` (keys, counts, hist), ``shape`` (the columns and their levels, see
``Lattice``) and ``asked`` (k, the rules, the rules that prune, how many may be suppressed, how many records
there are, and the objective).
"""

from typing import Any

import numpy as np

from shoal.kernels.compiled import compiled
from shoal.methods.levels.class_choice import choose_classes, has_closeness_rule

SEPARABLE, DISCERNIBILITY, AVERAGE_CLASS = 0, 1, 2  # objectives
ROUNDING = 1e-12  # what is better by a smaller share is not better


@compiled
def slots_for(size: int) -> int:
    """A power of two at least twice as large."""
    slots = 16
    while slots < 2 * size:
        slots *= 2
    return slots


@compiled
def _slot(key: Any, slots: int) -> Any:
    mixed = np.uint64(0)
    for part in key:
        mixed = (mixed ^ np.uint64(part)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64((mixed >> np.uint64(17)) & np.uint64(slots - 1))


@compiled
def _merge(key: Any, count: Any, values: Any, new: Any, made: int, slots: Any, capacity: int) -> int:
    """Add to the class of this key, which is a new one if there are as many as its number; its number."""
    keys, counts, hist = new
    slot = _slot(key, capacity)
    while True:
        at = slots[slot]
        if at < 0:
            slots[slot] = made
            keys[made], counts[made] = key, count
            for value in range(hist.shape[1]):
                hist[made, value] = values[value]
            return made
        same = True
        for part in range(len(key)):
            same = same and keys[at, part] == key[part]
        if same:
            counts[at] += count
            for value in range(hist.shape[1]):
                hist[at, value] += values[value]
            return int(at)
        slot = (slot + 1) & (capacity - 1)


@compiled
def roll_up(old: Any, length: int, new: Any, word: int, shift: int, mask: int, up: Any, slots: Any) -> int:
    """Replace a column's groups by those they lie in and add up what becomes equal; may be in place."""
    keys, counts, hist = old
    capacity, made = slots_for(length), 0
    slots[:capacity] = -1
    key = np.empty(keys.shape[1], np.int64)
    for i in range(length):
        key[:] = keys[i]
        group = (key[word] >> shift) & mask
        key[word] += (up[group] - group) << shift
        made = max(made, _merge(key, counts[i], hist[i], new, made, slots, capacity) + 1)
    return made


@compiled
def raise_level(table: Any, at: int, level: int, shape: Any) -> Any:
    """A table of classes with one column a level higher."""
    keys, counts, hist = table
    _, word, shift, mask, ups, offsets, _, _, _, _, _ = shape
    new = (np.empty_like(keys), np.empty_like(counts), np.empty_like(hist))
    slots = np.empty(slots_for(len(keys)), np.int32)
    up = ups[offsets[at, level] :]
    made = roll_up(table, len(keys), new, word[at], shift[at], mask[at], up, slots)
    return new[0][:made].copy(), new[1][:made].copy(), new[2][:made].copy()


@compiled
def project(table: Any, level: Any, shape: Any) -> Any:
    """All columns at their level at once: keys, counts and values of the classes, how many they are, and
    the class of every record."""
    slots = np.empty(slots_for(len(table[0])), np.int32)
    return project_columns(table, len(table[0]), level, 0, len(level), shape, slots)


@compiled
def project_columns(
    table: Any, length: int, level: Any, first: int, last: int, shape: Any, slots: Any
) -> Any:
    """Counts of a table after some columns were raised to a level, and the class of every row."""
    new = (np.empty_like(table[0]), np.empty_like(table[1]), np.empty_like(table[2]))
    of_class = np.empty(length, np.int32)
    made = project_into(table, length, level, first, last, shape, new, slots, of_class)
    return new[0], new[1], new[2], made, of_class


@compiled
def project_into(
    table: Any, length: int, level: Any, first: int, last: int, shape: Any, new: Any, slots: Any,
    of_class: Any,
) -> int:  # fmt: skip
    """The columns first to last - 1, so far at level 0, at their level; how many classes there are then."""
    keys, counts, hist = table
    _, word, shift, mask, _, _, leaves, places, _, _, _ = shape
    capacity, made = slots_for(length), 0
    slots[:capacity] = -1
    key = np.empty(keys.shape[1], np.int64)
    for i in range(length):
        key[:] = keys[i]
        for j in range(first, last):
            if level[j] > 0:
                leaf = (keys[i, word[j]] >> shift[j]) & mask[j]
                key[word[j]] += (leaves[places[j, level[j]] + leaf] - leaf) << shift[j]
        number = _merge(key, counts[i], hist[i], new, made, slots, capacity)
        made = max(made, number + 1)
        if len(of_class) > 0:
            of_class[i] = number
    return made


@compiled
def distinct_keys(keys: Any, weights: Any) -> Any:
    """The different keys, how much each one weighs, and which one every row is."""
    capacity, made = 16, 0
    slots = np.full(slots_for(len(keys)), -1, np.int32)
    capacity = len(slots)
    new = (np.empty_like(keys), np.empty(len(keys), np.int64), np.empty((len(keys), 0), np.int32))
    of_tuple = np.empty(len(keys), np.int32)
    for i in range(len(keys)):
        of_tuple[i] = _merge(keys[i], weights[i], new[2][i], new, made, slots, capacity)
        made = max(made, of_tuple[i] + 1)
    return new[0][:made].copy(), new[1][:made].copy(), of_tuple


@compiled
def merge_prefix(classes: Any, length: int, depth: int, shape: Any, room: Any, slots: Any) -> int:
    """Merge what agrees in the columns before this depth: their bits are the higher ones of the words."""
    keys, counts, hist = classes
    word, shift = shape[1], shape[2]
    capacity, made = slots_for(length), 0
    slots[:capacity] = -1
    key = np.zeros(keys.shape[1], np.int64)
    last = word[depth - 1] if depth > 0 else len(key)
    for i in range(length):
        for part in range(last, len(key)):
            key[part] = keys[i, part]
        if depth > 0:
            key[last] = key[last] >> shift[depth - 1] << shift[depth - 1]
        made = max(made, _merge(key, counts[i], hist[i], room, made, slots, capacity) + 1)
    return made


@compiled
def judge(
    classes: Any, length: int, level: Any, chosen: float, shape: Any, asked: Any, ceiling: float
) -> tuple[float, int, float]:
    """Loss and suppressed records of a node, and what its loss is not below whichever classes leave; infinite
    if they are too many, or if the loss is not below a ceiling."""
    k, rules, _, limit, rows, objective = asked
    most = ceiling - chosen if objective == SEPARABLE else np.inf
    lost, cost, squares, passing, least, proved = suppression_cost(
        classes, length, len(level), level, shape, k, rules, limit, objective, rows, most
    )
    loss = np.inf
    if lost <= limit:
        loss = chosen + cost
        if objective == DISCERNIBILITY:
            loss = squares + float(lost) * rows
        elif objective == AVERAGE_CLASS:
            loss = (rows - lost) / passing if passing else np.inf
    if proved:
        return loss, lost, loss
    if objective == SEPARABLE:
        return loss, lost, min(loss, chosen + least)
    if objective == AVERAGE_CLASS:
        return loss, lost, min(loss, max(float(k), (rows - limit) / length))
    bound = least
    for i in range(length):
        bound += float(classes[1][i]) * float(classes[1][i])
    return loss, lost, min(loss, bound)


@compiled
def suppression_cost(
    classes: Any, length: int, depth: int, level: Any, shape: Any, k: int, rules: Any, limit: int,
    objective: int, rows: int, most: float,
) -> tuple[int, float, float, int, float, bool]:  # fmt: skip
    """How many records leave with their classes and what that adds to the loss of their labels; of the other
    classes the sum of squares, and their number; what leaving costs at least, and whether that is known to be
    what it does cost. It ends where too many fail."""
    keys, counts, hist = classes
    _, word, shift, mask, _, offsets, _, _, _, _, extra = shape
    costs = np.zeros(length if has_closeness_rule(rules) else 0)
    for i in range(len(costs)):
        costs[i] = _leaving(i, keys, counts, depth, level, word, shift, mask, offsets, extra, objective, rows)
    stays, lost, least, proved = choose_classes(counts, hist, length, k, rules, limit, costs, most)
    cost, squares, passing = 0.0, 0.0, 0
    if lost > limit:
        return lost, cost, squares, passing, least, proved
    for i in range(length):
        if stays[i]:
            squares += float(counts[i]) * float(counts[i])
            passing += 1
        elif objective == SEPARABLE:
            cost += _leaving(
                i, keys, counts, depth, level, word, shift, mask, offsets, extra, objective, rows
            )
    return lost, cost, squares, passing, least, proved


@compiled
def _leaving(
    i: int, keys: Any, counts: Any, depth: int, level: Any, word: Any, shift: Any, mask: Any, offsets: Any,
    extra: Any, objective: int, rows: int,
) -> float:  # fmt: skip
    """What it costs that a class leaves."""
    if objective != SEPARABLE:
        return class_cost(counts[i], rows, objective)
    one = 0.0
    for j in range(depth):
        group = (keys[i, word[j]] >> shift[j]) & mask[j]
        one += extra[offsets[j, level[j]] + group]
    return float(counts[i]) * one


@compiled
def class_cost(count: int, rows: int, objective: int) -> float:
    """What it costs that a class of this size leaves, where labels do not matter. Of average classes the
    fewest records leave, and among those the fewest classes."""
    if objective == DISCERNIBILITY:
        return float(count) * float(rows - count)
    return float(count) + 1.0 / (rows + 1.0)


@compiled
def passing_classes(classes: Any, length: int, level: Any, shape: Any, asked: Any) -> Any:
    """Which classes of a node stay."""
    keys, counts, hist = classes
    _, word, shift, mask, _, offsets, _, _, _, _, extra = shape
    k, rules, _, limit, rows, objective = asked
    costs = np.zeros(length if has_closeness_rule(rules) else 0)
    for i in range(len(costs)):
        costs[i] = _leaving(
            i, keys, counts, len(level), level, word, shift, mask, offsets, extra, objective, rows
        )
    return choose_classes(counts, hist, length, k, rules, limit, costs, np.inf)[0]


@compiled
def count_values(codes: Any, of_tuple: Any, weights: Any, hist: Any) -> None:
    """Count how often each sensitive value of each column occurs in each tuple."""
    width = hist.shape[1] // max(codes.shape[1], 1)
    for i in range(len(codes)):
        for at in range(codes.shape[1]):
            hist[of_tuple[i], at * width + codes[i, at]] += weights[i]


@compiled
def node_partition(table: Any, level: Any, shape: Any) -> Any:
    """The class of every different record at a node, and what suppression would add to the loss of each."""
    _, word, shift, mask, _, offsets, leaves, places, _, _, extra = shape
    of_class = project(table, level, shape)[4]
    sums = np.zeros(len(of_class))
    for i in range(len(of_class)):
        for j in range(len(level)):
            leaf = (table[0][i, word[j]] >> shift[j]) & mask[j]
            sums[i] += extra[offsets[j, level[j]] + leaves[places[j, level[j]] + leaf]]
    return of_class, sums


@compiled
def lower_level(table: Any, of_class: Any, sums: Any, level: Any, at: int, shape: Any, asked: Any) -> Any:
    """A node with one column a level lower: its loss, infinite if it is not allowed, and its partition."""
    keys, counts, hist = table
    _, word, shift, mask, _, offsets, leaves, places, base, _, extra = shape
    k, rules, _, limit, rows, objective = asked
    size, now = len(keys), level[at] - 1
    pairs = (
        np.empty((size, 1), np.int64),
        np.empty(size, np.int64),
        np.empty((size, hist.shape[1]), hist.dtype),
    )
    finer, new_sums = np.empty_like(of_class), np.empty_like(sums)
    slots = np.full(slots_for(size), -1, np.int32)
    pair, made = np.empty(1, np.int64), 0
    for i in range(size):
        leaf = (keys[i, word[at]] >> shift[at]) & mask[at]
        group, above = leaves[places[at, now] + leaf], leaves[places[at, now + 1] + leaf]
        new_sums[i] = sums[i] + extra[offsets[at, now] + group] - extra[offsets[at, now + 1] + above]
        pair[0] = of_class[i] * (mask[at] + 1) + group
        finer[i] = _merge(pair, counts[i], hist[i], pairs, made, slots, len(slots))
        made = max(made, finer[i] + 1)
    costs = np.zeros(made if has_closeness_rule(rules) else 0)
    if objective == SEPARABLE and len(costs) > 0:
        for i in range(size):
            costs[finer[i]] += counts[i] * new_sums[i]
    elif len(costs) > 0:
        for i in range(made):
            costs[i] = class_cost(pairs[1][i], rows, objective)
    passing = choose_classes(pairs[1], pairs[2], made, k, rules, limit, costs, np.inf)[0]
    lost, cost, squares = 0, 0.0, 0.0
    for i in range(size):
        if not passing[finer[i]]:
            lost += counts[i]
            cost += counts[i] * new_sums[i]
    if lost > limit:
        return np.inf, finer, new_sums
    if objective == SEPARABLE:
        for j in range(len(level)):
            cost += base[j, now if j == at else level[j]]
        return cost, finer, new_sums
    for i in range(made):
        if passing[i]:
            squares += float(pairs[1][i]) * float(pairs[1][i])
    if objective == DISCERNIBILITY:
        return squares + float(lost) * rows, finer, new_sums
    classes = passing.sum()
    return (rows - lost) / classes if classes else np.inf, finer, new_sums
