"""Roll-up: the classes of a lattice node from those of a finer one, by merging counts.

Classes are keys of one or more words, each word a mixed-radix number with one digit per column; going up
a level replaces a digit. A table of slots finds equal keys. With the counts go, for every class, those of
its sensitive values (``hist``, no columns if nothing is asked of them).
"""

from typing import Any

import numpy as np

from shoal.methods.compiled import compiled
from shoal.methods.diversity import staying

SEPARABLE, DISCERNIBILITY, AVERAGE_CLASS = 0, 1, 2  # objectives


@compiled
def search(
    keys0: Any, counts0: Any, hist0: Any, heights: Any, word: Any, stride: Any, radix: Any, ups: Any,
    offsets: Any, extra: Any, base: Any, k: int, rules: Any, limit: int, rows: int, objective: int,
    prunes: bool, first: int, best: Any, best_levels: Any, suppressed_of: Any, loss_of: Any,
) -> float:  # fmt: skip
    """Walk all nodes whose first column has level ``first``. ``best`` is shared by all walks; a walk that
    lists its nodes looks at all of them."""
    columns, size, lists = len(heights), len(keys0), len(loss_of) > 0
    keys = np.empty((columns + 1, size, keys0.shape[1]), np.int64)
    counts = np.empty((columns + 1, size), np.int64)
    hist = np.empty((columns + 1, size, hist0.shape[1]), np.int32)
    lengths, source = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    slots = np.empty(_slots(size), np.int32)
    room_keys, room_counts = np.empty_like(keys0), np.empty_like(counts0)
    nothing = np.empty((size, 0), np.int32)
    keys[0], counts[0], hist[0], lengths[0] = keys0, counts0, hist0, size
    level = np.full(columns, -1, np.int64)
    chosen = np.zeros(columns + 1)  # loss of the levels chosen so far
    exact = np.zeros(columns + 1)  # loss of the columns that follow, at level 0
    for at in range(columns - 1, -1, -1):
        exact[at] = exact[at + 1] + base[at, 0]
    found, at = np.inf, 0
    while at >= 0:
        here = source[at]
        if at == columns:
            loss, lost = judge(
                keys[here], counts[here], hist[here], lengths[here], level, word, stride, radix, offsets,
                extra, chosen[at], k, rules, limit, rows, objective,
            )  # fmt: skip
            if lists:
                number = 0
                for j in range(columns):
                    number = number * (heights[j] + 1) + level[j]
                suppressed_of[number], loss_of[number] = lost, loss
            elif loss < found:
                found = loss
                best_levels[:] = level
                best[0] = min(best[0], loss)
            at -= 1
            continue
        level[at] += 1
        now = level[at]
        if now > heights[at] or (at == 0 and now > first):
            level[at] = -1
            at -= 1
            continue
        if objective == 0 and not lists and chosen[at] + base[at, now] + exact[at + 1] > best[0]:
            level[at] = -1
            at -= 1
            continue
        if now == 0:
            source[at + 1] = here
        else:
            below = source[at + 1] if now > 1 else here
            lengths[at + 1] = _roll_up(
                keys[below], counts[below], hist[below], lengths[below], keys[at + 1], counts[at + 1],
                hist[at + 1], word[at], stride[at], radix[at], ups[offsets[at, now - 1] :], slots,
            )  # fmt: skip
            source[at + 1] = at + 1
        chosen[at + 1] = chosen[at] + base[at, now]
        if at == 0 and now < first:
            continue
        there = source[at + 1]
        if prunes and at + 1 < columns:
            failing = _too_many(
                keys[there], counts[there], lengths[there], word[at], stride[at], k, limit,
                room_keys, room_counts, nothing, slots,
            )  # fmt: skip
            if failing:
                continue
        at += 1
    return found


@compiled
def _slots(size: int) -> int:
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
def _merge(
    key: Any, count: Any, values: Any, keys: Any, counts: Any, hist: Any, made: int, slots: Any, capacity: int
) -> int:
    """Add to the class of this key, which may be a new one; how many classes there are then."""
    slot = _slot(key, capacity)
    while True:
        at = slots[slot]
        if at < 0:
            slots[slot] = made
            keys[made], counts[made], hist[made] = key, count, values
            return made + 1
        same = True
        for part in range(len(key)):
            same = same and keys[at, part] == key[part]
        if same:
            counts[at] += count
            for value in range(len(values)):
                hist[at, value] += values[value]
            return made
        slot = (slot + 1) & (capacity - 1)


@compiled
def _roll_up(
    keys: Any, counts: Any, hist: Any, length: int, new_keys: Any, new_counts: Any, new_hist: Any,
    word: int, stride: int, radix: int, up: Any, slots: Any,
) -> int:  # fmt: skip
    """Replace a column's groups by those they lie in and add up what becomes equal; may be in place."""
    capacity, made = _slots(length), 0
    slots[:capacity] = -1
    key = np.empty(keys.shape[1], np.int64)
    for i in range(length):
        key[:] = keys[i]
        group = key[word] // stride % radix
        key[word] += (up[group] - group) * stride
        made = _merge(key, counts[i], hist[i], new_keys, new_counts, new_hist, made, slots, capacity)
    return made


@compiled
def project(
    keys: Any, counts: Any, hist: Any, level: Any, word: Any, stride: Any, radix: Any, groups: Any
) -> Any:
    """All columns at their level at once: keys, counts and values of the classes, and how many they are."""
    slots = np.full(_slots(len(keys)), -1, np.int32)
    new_keys, new_counts, new_hist = np.empty_like(keys), np.empty_like(counts), np.empty_like(hist)
    key, made = np.empty(keys.shape[1], np.int64), 0
    for i in range(len(keys)):
        key[:] = keys[i]
        for j in range(len(level)):
            leaf = keys[i, word[j]] // stride[j] % radix[j]
            key[word[j]] += (groups[j, level[j], leaf] - leaf) * stride[j]
        made = _merge(key, counts[i], hist[i], new_keys, new_counts, new_hist, made, slots, len(slots))
    return new_keys, new_counts, new_hist, made


@compiled
def _too_many(
    keys: Any, counts: Any, length: int, word: int, stride: int, k: int, limit: int,
    new_keys: Any, new_counts: Any, nothing: Any, slots: Any,
) -> bool:  # fmt: skip
    """Would more than ``limit`` records be in classes below k with all columns that follow at their top?

    The digits of the columns that follow are the lower ones of their word, and all of lower words.
    """
    capacity, made = _slots(length), 0
    slots[:capacity] = -1
    key = np.zeros(keys.shape[1], np.int64)
    for i in range(length):
        for part in range(word, len(key)):
            key[part] = keys[i, part]
        key[word] //= stride
        made = _merge(key, counts[i], nothing[i], new_keys, new_counts, nothing, made, slots, capacity)
    lost = 0
    for i in range(made):
        if new_counts[i] < k:
            lost += new_counts[i]
    return lost > limit


@compiled
def judge(
    keys: Any, counts: Any, hist: Any, length: int, level: Any, word: Any, stride: Any, radix: Any,
    offsets: Any, extra: Any, chosen: float, k: int, rules: Any, limit: int, rows: int, objective: int,
) -> tuple[float, int]:  # fmt: skip
    """Loss and suppressed records of a node; infinite loss if they are too many."""
    stays, lost = staying(counts, hist, length, k, rules, limit)
    if lost > limit:
        return np.inf, lost
    more, squares, classes = 0.0, 0.0, 0
    for i in range(length):
        if stays[i]:
            squares += float(counts[i]) * float(counts[i])
            classes += 1
        elif objective == SEPARABLE:
            cost = 0.0
            for j in range(len(level)):
                group = keys[i, word[j]] // stride[j] % radix[j]
                cost += extra[offsets[j, level[j]] + group]
            more += counts[i] * cost
    if objective == DISCERNIBILITY:
        return squares + float(lost) * rows, lost
    if objective == AVERAGE_CLASS:
        return (rows - lost) / classes if classes else np.inf, lost
    return chosen + more, lost
