"""Classes of records that show the same once some of their cells are starred, at little cost.

A class stars a set of columns in all of its records, which agree in the others. Sets are tried by what a
newly served record costs: w for a class of k unserved records or more and a set of weight w, w k / u where
only u are unserved and the rest is lent by classes with more than k. Afterwards neighbouring classes are
taken apart and built again, as long as that costs no more. Every record in a class of k costs at least its
cheapest set of stars that k records of the table could share, which bounds the loss from below.

Which records agree is told by a keyed hash of their cells in which each column is a summand; what a class
stars in the end is read off its records, so a clash costs stars and never breaks a class.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, draw_column, hash_rows, siphash
from shoal.methods.diversity import Diversity, diverse
from shoal.methods.stars.star_sets import FEW_COLUMNS, star_cost, star_sets

NOWHERE = -1
ROUNDS = 1_000  # of taking apart and building again,
MOST_STEPS = 4_000_000_000  # fewer in large tables
APART = 20  # classes at once
ORDERS = 64
BLUR = (0.01, 0.3, 0.6, 1.0)
MOST_LENT = 5_000_000  # records that are asked for at once
ALIKE = 2  # columns in which neighbours differ, at most


class StarGrouping(NamedTuple):
    """Records and the classes they are in. A class without records has size 0."""

    full: Any  # the hash of all cells of a record
    parts: Any  # the summand of each of its cells
    class_of: Any
    sizes: Any
    stars: Any  # of every class
    heads: Any  # one record of every class


def star_classes(codes: Ints, k: int, key: Key, weights: Floats, diversity: Diversity) -> Ints:
    """The class of every record; NOWHERE for records that found none."""
    rows = len(codes)
    parts = np.empty(codes.shape, np.uint64)
    _fill_parts(codes, key[0], key[1], parts)
    nothing = [np.zeros(rows + 1, np.int64) for _ in range(3)]
    grouping = StarGrouping(
        parts.sum(axis=1, dtype=np.uint64), parts, np.full(rows, NOWHERE, np.int64), *nothing
    )
    masks, unserved = _turns(star_sets(weights), weights, k, key, bool(diversity))
    counts = diversity.counters()
    _group(grouping, np.arange(rows), k, masks[0], unserved[0], diversity.codes, diversity.rules, counts)
    if not diversity and len(weights) <= FEW_COLUMNS:
        rounds = min(ROUNDS, MOST_STEPS // masks.shape[1] // rows)
        _improve(grouping, codes, k, masks, unserved, weights, rounds, key[0], key[1])
    return np.asarray(grouping.class_of)


@compiled
def _fill_parts(codes: Any, key0: Any, key1: Any, parts: Any) -> None:
    for row in range(len(codes)):
        for at in range(codes.shape[1]):
            parts[row, at] = draw_column(key0, key1, np.uint64(Purpose.STARS), codes[row, at], at)


def _turns(sets: Ints, weights: Floats, k: int, key: Key, alone: bool) -> tuple[Ints, Ints]:
    """Which sets are tried with how many unserved records, by what each of these then costs.

    The first order is this one, ties drawn; in the others the costs are blurred.
    """
    levels = [k] if alone else sorted({k, -(-3 * k // 4), -(-k // 2), -(-k // 4), 1})
    pairs = np.array([(stars, level) for stars in sets.tolist() for level in levels if stars or level == k])
    cost = np.array([star_cost(stars, weights) * k / level for stars, level in pairs.tolist()])
    drawn = hash_rows(key, Purpose.STARS, ORDERS * len(pairs)).reshape(ORDERS, -1) / 2.0**64
    blur = np.append(1e-9, np.tile(BLUR, ORDERS)[1:ORDERS])[:, None]
    orders = np.argsort(cost * (1 + blur * drawn) + 1e-12 * drawn, axis=1)
    return pairs[orders, 0], pairs[orders, 1]


@compiled
def _hash_without(grouping: Any, row: int, stars: int) -> Any:
    found, at = grouping.full[row], 0
    while stars:
        if stars & 1:
            found -= grouping.parts[row, at]
        stars >>= 1
        at += 1
    return found


@compiled
def _first(ordered: Any, wanted: Any) -> int:
    """The place of the first number that is not smaller."""
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _group(
    grouping: Any, todo: Any, k: int, masks: Any, unserved: Any, codes: Any, rules: Any, counts: Any
) -> None:
    """Give these records classes, one set of stars after the other."""
    numbers = min(_used(grouping) + len(todo), len(grouping.sizes))  # no class gets a higher one
    lenders = np.zeros(0, np.int64)
    for turn in range(len(masks)):
        if len(todo) == 0:
            return
        if unserved[turn] < k:
            if len(lenders) == 0:
                lenders = _lenders(grouping, k)
            if len(lenders) == 0 or len(todo) < unserved[turn]:
                continue
        stars = masks[turn]
        hashes = np.empty(len(todo), np.uint64)
        for i in range(len(todo)):
            hashes[i] = _hash_without(grouping, todo[i], stars)
        order = np.argsort(hashes)
        todo, hashes = todo[order], hashes[order]
        if unserved[turn] == k:
            if len(rules) == 0:
                _join(grouping, todo, hashes, k, stars, numbers)
            _open_classes(grouping, todo, hashes, k, stars, codes, rules, counts)
        else:
            _borrow(grouping, todo, hashes, lenders, k, stars, unserved[turn])
        todo = todo[grouping.class_of[todo] < 0]


@compiled
def _used(grouping: Any) -> int:
    """How many numbers of classes are in use, gaps included."""
    number = len(grouping.sizes)
    while number > 0 and grouping.sizes[number - 1] == 0:
        number -= 1
    return number


@compiled
def _lenders(grouping: Any, k: int) -> Any:
    """Records of classes with more than k."""
    found = np.empty(len(grouping.class_of), np.int64)
    size = 0
    for row in range(len(found)):
        number = grouping.class_of[row]
        if number >= 0 and grouping.sizes[number] > k:
            found[size] = row
            size += 1
    return found[:size].copy()


@compiled
def _join(grouping: Any, todo: Any, hashes: Any, k: int, stars: int, numbers: int) -> None:
    """Records enter classes that show the same."""
    for number in range(numbers):
        if grouping.sizes[number] < k or grouping.stars[number] != stars:
            continue
        wanted = _hash_without(grouping, grouping.heads[number], stars)
        i = _first(hashes, wanted)
        while i < len(todo) and hashes[i] == wanted:
            grouping.class_of[todo[i]] = number
            grouping.sizes[number] += 1
            i += 1


@compiled
def _open_classes(
    grouping: Any, todo: Any, hashes: Any, k: int, stars: int, codes: Any, rules: Any, counts: Any
) -> None:
    """Records that agree found a class where they are enough, and diverse enough."""
    number, start = 0, 0
    while start < len(todo):
        stop = start + 1
        while stop < len(todo) and hashes[stop] == hashes[start]:
            stop += 1
        if stop - start >= k and grouping.class_of[todo[start]] < 0:
            passes = True
            if len(rules) > 0:
                counts[:] = 0
                for i in range(start, stop):
                    for at in range(len(rules)):
                        counts[at, codes[todo[i], at]] += 1
                passes = diverse(counts, rules)
            if passes:
                number = _free(grouping, number)
                _open(grouping, number, todo[start:stop], stars)
        start = stop


@compiled
def _free(grouping: Any, number: int) -> int:
    while grouping.sizes[number] > 0:
        number += 1
    return number


@compiled
def _open(grouping: Any, number: int, rows: Any, stars: int) -> None:
    for row in rows:
        grouping.class_of[row] = number
    grouping.sizes[number] = len(rows)
    grouping.stars[number] = stars
    grouping.heads[number] = rows[0]


@compiled
def _too_few(hashes: Any, least: int, k: int) -> Any:
    """Where runs of equal hashes begin and end that have ``least`` of them or more, but fewer than k."""
    starts, stops = np.empty(len(hashes), np.int64), np.empty(len(hashes), np.int64)
    found, start = 0, 0
    while start < len(hashes):
        stop = start + 1
        while stop < len(hashes) and hashes[stop] == hashes[start]:
            stop += 1
        if least <= stop - start < k:
            starts[found], stops[found] = start, stop
            found += 1
        start = stop
    return starts[:found].copy(), stops[:found].copy()


@compiled
def _borrow(grouping: Any, todo: Any, hashes: Any, lenders: Any, k: int, stars: int, least: int) -> None:
    """Where ``least`` unserved records or more agree, classes with more than k lend what is missing."""
    starts, stops = _too_few(hashes, least, k)
    found = min(len(starts), MOST_LENT // k)
    if found == 0:
        return
    wanted = hashes[starts[:found]]
    lent, origins = np.zeros((found, k), np.int64), np.zeros((found, k), np.int64)
    filled = np.zeros(found, np.int64)
    for row in lenders:
        origin = grouping.class_of[row]
        if origin < 0 or grouping.sizes[origin] <= k or grouping.heads[origin] == row:
            continue
        shown = _hash_without(grouping, row, stars)
        place = _first(wanted, shown)
        if place == len(wanted) or wanted[place] != shown:
            continue
        if stops[place] - starts[place] + filled[place] < k:
            lent[place, filled[place]], origins[place, filled[place]] = row, origin
            filled[place] += 1
            grouping.sizes[origin] -= 1
            grouping.class_of[row] = -2  # promised
    number = 0
    for place in range(found):
        rows = todo[starts[place] : stops[place]]
        if len(rows) + filled[place] < k:
            for i in range(filled[place]):
                grouping.class_of[lent[place, i]] = origins[place, i]
                grouping.sizes[origins[place, i]] += 1
            continue
        number = _free(grouping, number)
        for i in range(len(rows)):
            lent[place, filled[place] + i] = rows[i]
        _open(grouping, number, lent[place], stars)


@compiled
def _improve(
    grouping: Any, codes: Any, k: int, masks: Any, unserved: Any, weights: Any, rounds: int,
    key0: Any, key1: Any,
) -> None:  # fmt: skip
    """Take neighbouring classes apart and build them again, and keep what costs no more."""
    nothing, no_rules = np.zeros((len(codes), 0), np.int64), np.zeros((0, 3))
    no_counts = np.zeros((0, 1), np.int64)
    before = StarGrouping(
        grouping.full, grouping.parts, grouping.class_of.copy(), grouping.sizes.copy(), grouping.stars.copy(),
        grouping.heads.copy(),
    )  # fmt: skip
    cost = _cost(grouping, weights)
    for turn in range(rounds):
        drawn = siphash(key0, key1, np.uint64(Purpose.STARS) + np.uint64(256), np.uint64(turn))
        seed = np.int64(drawn % np.uint64(len(codes)))
        _copy(grouping, before)
        todo = _take_apart(grouping, codes, seed)
        order = np.int64(drawn >> np.uint64(32)) % ORDERS
        _group(grouping, todo, k, masks[order], unserved[order], nothing, no_rules, no_counts)
        after = _cost(grouping, weights)
        if after <= cost:
            cost = after
            continue
        _copy(before, grouping)


@compiled
def _copy(grouping: Any, target: Any) -> None:
    for row in range(len(grouping.class_of)):
        target.class_of[row] = grouping.class_of[row]
    for number in range(len(grouping.sizes)):
        target.sizes[number] = grouping.sizes[number]
        target.stars[number] = grouping.stars[number]
        target.heads[number] = grouping.heads[number]


@compiled
def _take_apart(grouping: Any, codes: Any, seed: Any) -> Any:
    """The records of some starred classes near a record, now without a class."""
    chosen = 0
    for i in range(len(codes)):
        row = (seed + i) % len(codes)
        number = grouping.class_of[row]
        if number < 0 or grouping.stars[number] == 0 or grouping.sizes[number] == 0:
            continue
        differ = 0
        for at in range(codes.shape[1]):
            differ += codes[row, at] != codes[seed, at]
        if differ <= ALIKE:
            grouping.sizes[number] = 0
            chosen += 1
            if chosen == APART:
                break
    todo, size = np.empty(len(codes), np.int64), 0
    for row in range(len(codes)):
        number = grouping.class_of[row]
        if number >= 0 and grouping.sizes[number] == 0:
            grouping.class_of[row] = NOWHERE
            todo[size] = row
            size += 1
    return todo[:size].copy()


@compiled
def _cost(grouping: Any, weights: Any) -> Any:
    """The cost of all stars; a record without a class counts as one with nothing but stars, and a little
    more."""
    cost, placed = 0.0, 0
    for number in range(_used(grouping)):
        if grouping.sizes[number] > 0:
            cost += grouping.sizes[number] * star_cost(grouping.stars[number], weights)
            placed += grouping.sizes[number]
    return cost + (len(grouping.class_of) - placed) * (1 + weights.sum())
