"""Make classes cheaper by exchanging their records, a few neighbouring classes at a time.

Classes stand in an order in which neighbours are alike, cut into windows. In a window, as long as it lowers
the cost and every class stays sound (k records, and diverse enough):

- a record moves to another class, or two records of different classes change places;
- a class is dissolved, its records joining others; one that is not sound always is, if they can;
- a class of 2k records or more is divided in two.

Windows share nothing, so all cores work at once and the outcome does not depend on how many there are.
"""

from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.methods.boxes.common_cell import (
    FIELDS,
    SET,
    Costs,
    cell_cost,
    cell_with,
    cost_with,
    take_in,
)
from shoal.methods.boxes.similarity_order import similarity_order
from shoal.methods.diversity import Diversity, diverse

WINDOW, CROWDED = 100, 8  # records; a window of so many times more holds a giant class, and is left
PASSES, SEEDS, SPARE = 1, 8, 4
LEAST = 1e-9  # gains below this are rounding
NEVER = 1e300


def exchange(
    values: Ints,
    costs: Costs,
    k: int,
    order: Ints,
    starts: Ints,
    diversity: Diversity,
    limit: float,
    drawn: Floats,
) -> tuple[Ints, Ints]:
    """One round over all windows: the classes that it leaves, as rows in class order and starts."""
    sizes = np.diff(starts)
    shown = order[starts[:-1] + (drawn[-2] * sizes).astype(np.int64)]  # one member stands for its class
    classes = similarity_order(values[shown], costs, limit, drawn)
    order, starts = _reordered(order, starts, classes)
    width = max(WINDOW, 4 * k)
    window_of = (starts[:-1] + int(drawn[-3] * width)) // width
    windows = np.append(np.flatnonzero(np.diff(window_of, prepend=-1)), len(classes))
    new_class = np.repeat(starts[:-1], np.diff(starts))
    sensitive: tuple[Any, ...] = (diversity.codes, diversity.rules, diversity.counters().shape[1])

    def work(first: int, last: int) -> None:
        _exchange_windows(
            values,
            *costs.arrays,
            k,
            order,
            starts,
            windows,
            first,
            last,
            CROWDED * width,
            new_class,
            *sensitive,
        )

    over_ranges(work, len(windows) - 1, width)
    return in_class_order(order, new_class)


def in_class_order(order: Ints, class_of: Ints) -> tuple[Ints, Ints]:
    """Rows with the same class number beside each other, and where the classes begin."""
    places = np.argsort(class_of, kind="stable")
    begins = np.flatnonzero(np.diff(class_of[places], prepend=-2))
    return order[places], np.append(begins, len(order))


def _reordered(order: Ints, starts: Ints, classes: Ints) -> tuple[Ints, Ints]:
    sizes = np.diff(starts)[classes]
    begins = np.append(0, np.cumsum(sizes))
    places = np.repeat(starts[classes] - begins[:-1], sizes) + np.arange(len(order))
    return order[places], begins


@compiled
def _exchange_windows(
    values: Any, layout: Any, losses: Any, k: int, order: Any, starts: Any, windows: Any, begin: int,
    end: int, most: int, new_class: Any, codes: Any, rules: Any, different: int,
) -> None:  # fmt: skip
    for window in range(begin, end):
        first, last = windows[window], windows[window + 1]
        rows = order[starts[first] : starts[last]]
        alone = last - first == 1 and len(rows) < 2 * k
        if alone or len(rows) > most:
            continue
        of_class = np.empty(len(rows), np.int64)
        for number in range(first, last):
            of_class[starts[number] - starts[first] : starts[number + 1] - starts[first]] = number - first
        room = min(last - first + SPARE, len(rows))  # for classes that are divided
        _exchange_window(values, layout, losses, k, rows, of_class, room, codes, rules, different)
        new_class[starts[first] : starts[last]] = of_class + starts[first]


@compiled
def _exchange_window(
    values: Any, layout: Any, losses: Any, k: int, rows: Any, of_class: Any, classes: int,
    codes: Any, rules: Any, different: int,
) -> None:  # fmt: skip
    count, columns = len(rows), values.shape[1]
    sizes = np.zeros(classes, np.int64)
    members = np.empty((classes, count), np.int64)
    for at in range(count):
        members[of_class[at], sizes[of_class[at]]] = at
        sizes[of_class[at]] += 1
    state = (
        sizes,
        members,
        np.zeros(classes),  # the cost of a class for each of its records
        np.empty((classes, columns), np.int64),  # its cells
        np.empty((classes, columns), np.int64),
        np.zeros(count),  # the cost of the class without this record
        np.empty((count, columns), np.int64),  # and its cells
        np.empty((count, columns), np.int64),
        np.zeros(classes, np.bool_),  # is it sound?
    )
    counts = np.zeros((len(rules), different), np.int64)
    for number in range(classes):
        _refresh(values, layout, losses, k, rows, number, state, codes, rules, counts)
    for _ in range(PASSES):
        improved = False
        for at in range(count):
            if state[8][of_class[at]]:
                improved |= _place_better(
                    values, layout, losses, k, rows, of_class, at, state, codes, rules, counts
                )
        if not improved:
            break
    for number in range(classes):
        _dissolve(values, layout, losses, k, rows, of_class, number, state, codes, rules, counts)
    for number in range(classes):
        _divide(values, layout, losses, k, rows, of_class, number, state, codes, rules, counts)


@compiled
def _refresh(
    values: Any,
    layout: Any,
    losses: Any,
    k: int,
    rows: Any,
    number: int,
    state: Any,
    codes: Any,
    rules: Any,
    counts: Any,
) -> None:
    """The cells of a class, with all of its records and without each of them."""
    sizes, members, cost, low, high, cost_less, low_less, high_less, sound = state
    size = sizes[number]
    cost[number] = 0.0
    if size == 0:
        sound[number] = False
        return
    for at in members[number, :size]:
        cost_less[at] = 0.0
    for column in range(values.shape[1]):
        if layout[FIELDS * column] == SET:
            _marks_without(values, rows, column, members[number, :size], low[number], high[number],
                           low_less, high_less)  # fmt: skip
        else:
            _ends_without(values, rows, column, members[number, :size], low[number], high[number],
                          low_less, high_less)  # fmt: skip
        a, b = low[number, column], high[number, column]
        whole = cell_cost(layout, losses, column, a, b)
        cost[number] += whole
        for place in range(size if size > 1 else 0):
            at = members[number, place]
            if low_less[at, column] == a and high_less[at, column] == b:
                cost_less[at] += whole
            else:
                cost_less[at] += cell_cost(
                    layout, losses, column, low_less[at, column], high_less[at, column]
                )
    sound[number] = size >= k and _diverse_change(rows, members[number, :size], -1, -1, codes, rules, counts)


@compiled
def _ends_without(
    values: Any, rows: Any, column: int, members: Any, low: Any, high: Any, low_less: Any, high_less: Any
) -> None:
    smallest = greatest = values[rows[members[0]], column]
    second, last_but_one = np.int64(2**63 - 1), np.int64(-(2**63))
    for place in range(1, len(members)):
        value = values[rows[members[place]], column]
        if value < smallest:
            smallest, second = value, smallest
        else:
            second = min(second, value)
        if value > greatest:
            greatest, last_but_one = value, greatest
        else:
            last_but_one = max(last_but_one, value)
    low[column], high[column] = smallest, greatest
    for at in members:
        value = values[rows[at], column]
        low_less[at, column] = second if value == smallest else smallest
        high_less[at, column] = last_but_one if value == greatest else greatest


@compiled
def _marks_without(
    values: Any, rows: Any, column: int, members: Any, low: Any, high: Any, low_less: Any, high_less: Any
) -> None:
    once_low = once_high = twice_low = twice_high = np.int64(0)
    for at in members:
        a, b = cell_with(SET, np.int64(0), np.int64(0), values[rows[at], column])
        twice_low |= once_low & a
        twice_high |= once_high & b
        once_low |= a
        once_high |= b
    low[column], high[column] = once_low, once_high
    for at in members:
        a, b = cell_with(SET, np.int64(0), np.int64(0), values[rows[at], column])
        low_less[at, column] = once_low & ~(a & ~twice_low)
        high_less[at, column] = once_high & ~(b & ~twice_high)


@compiled
def _diverse_change(
    rows: Any, members: Any, leaves: int, joins: int, codes: Any, rules: Any, counts: Any
) -> bool:
    """Are these members diverse, if one of them leaves and another joins?"""
    if len(rules) == 0:
        return True
    counts[:] = 0
    for column in range(len(rules)):
        for at in members:
            if at != leaves:
                counts[column, codes[rows[at], column]] += 1
        if joins >= 0:
            counts[column, codes[rows[joins], column]] += 1
    return bool(diverse(counts, rules))


@compiled
def _place_better(
    values: Any, layout: Any, losses: Any, k: int, rows: Any, of_class: Any, at: int, state: Any,
    codes: Any, rules: Any, counts: Any,
) -> bool:  # fmt: skip
    """Move a record, or let it change places with another, wherever that gains most."""
    sizes, members, cost, low, high, cost_less, low_less, high_less, sound = state
    home, row = of_class[at], rows[at]
    size = sizes[home]
    stay = members[home, :size]
    best, to, other = LEAST, -1, -1
    may_move = size > k and _diverse_change(rows, stay, at, -1, codes, rules, counts)
    for number in range(len(sizes)):
        if number == home or not sound[number]:
            continue
        there = members[number, : sizes[number]]
        if may_move:
            gain = size * cost[home] - (size - 1) * cost_less[at] + sizes[number] * cost[number]
            if gain > best:
                dearer = cost_with(layout, losses, low[number], high[number], values, row, NEVER)
                gain -= (sizes[number] + 1) * dearer
                if gain > best and _diverse_change(rows, there, -1, at, codes, rules, counts):
                    best, to, other = gain, number, -1
        for mate in there:
            most = size * (cost[home] - cost_less[at]) + sizes[number] * (cost[number] - cost_less[mate])
            if most <= best:
                continue
            limit = (most - best) / size + cost_less[at]
            here = cost_with(layout, losses, low_less[at], high_less[at], values, rows[mate], limit)
            if here >= limit:
                continue
            gain = most - size * (here - cost_less[at])
            limit = (gain - best) / sizes[number] + cost_less[mate]
            gone = cost_with(layout, losses, low_less[mate], high_less[mate], values, row, limit)
            gain -= sizes[number] * (gone - cost_less[mate])
            if (
                gain > best
                and _diverse_change(rows, stay, at, mate, codes, rules, counts)
                and _diverse_change(rows, there, mate, at, codes, rules, counts)
            ):
                best, to, other = gain, number, mate
    if to < 0:
        return False
    _hand_over(sizes, members, of_class, at, to)
    if other >= 0:
        _hand_over(sizes, members, of_class, other, home)
    _refresh(values, layout, losses, k, rows, home, state, codes, rules, counts)
    _refresh(values, layout, losses, k, rows, to, state, codes, rules, counts)
    return True


@compiled
def _hand_over(sizes: Any, members: Any, of_class: Any, at: int, to: int) -> None:
    home = of_class[at]
    last = sizes[home] - 1
    for place in range(last):
        if members[home, place] == at:
            members[home, place] = members[home, last]
            break
    sizes[home] = last
    members[to, sizes[to]] = at
    sizes[to] += 1
    of_class[at] = to


@compiled
def _dissolve(
    values: Any, layout: Any, losses: Any, k: int, rows: Any, of_class: Any, number: int, state: Any,
    codes: Any, rules: Any, counts: Any,
) -> None:  # fmt: skip
    """Let all records of a class join the others, if that costs less than the class does."""
    sizes, members, cost, low, high, sound = state[0], state[1], state[2], state[3], state[4], state[8]
    size = sizes[number]
    if size == 0 or (sound[number] and cost[number] <= LEAST):
        return
    budget = size * cost[number] if sound[number] else NEVER
    new_low, new_high, new_cost, new_sizes = low.copy(), high.copy(), cost.copy(), sizes.copy()
    moved = members[number, :size].copy()
    placed = 0
    for at in moved:
        cheapest, to = budget - LEAST, -1
        for other in range(len(sizes)):
            if other == number or not sound[other]:
                continue
            paid = new_sizes[other] * new_cost[other]
            limit = (cheapest + paid) / (new_sizes[other] + 1)
            more = cost_with(layout, losses, new_low[other], new_high[other], values, rows[at], limit)
            more = (new_sizes[other] + 1) * more - paid
            if more < cheapest and _diverse_change(
                rows, members[other, : new_sizes[other]], -1, at, codes, rules, counts
            ):
                cheapest, to = more, other
        if to < 0:
            break
        budget -= cheapest
        members[to, new_sizes[to]] = at
        new_sizes[to] += 1
        take_in(layout, new_low[to], new_high[to], values, rows[at], False)
        new_cost[to] = cost_with(layout, losses, new_low[to], new_high[to], values, rows[at], NEVER)
        of_class[at] = to
        placed += 1
    if placed < size:
        for at in moved:
            of_class[at] = number
        return
    grown = new_sizes != sizes
    sizes[:] = new_sizes
    sizes[number] = 0
    grown[number] = True
    for other in range(len(sizes)):
        if grown[other]:
            _refresh(values, layout, losses, k, rows, other, state, codes, rules, counts)


@compiled
def _divide(
    values: Any, layout: Any, losses: Any, k: int, rows: Any, of_class: Any, number: int, state: Any,
    codes: Any, rules: Any, counts: Any,
) -> None:  # fmt: skip
    """Cut k records that are most alike out of a large class, if an empty class can take them."""
    sizes, members, cost = state[0], state[1], state[2]
    size = sizes[number]
    empty = np.flatnonzero(sizes == 0)
    if size < 2 * k or cost[number] <= LEAST or len(empty) == 0:
        return
    group = members[number, :size].copy()
    best, chosen = LEAST, np.zeros(size, np.bool_)
    for seed in range(0, size, max(size // SEEDS, 1)):
        cut = np.zeros(size, np.bool_)
        inside = _pick_alike(values, layout, losses, k, rows, group, seed, cut)
        outside = _cost_of(values, layout, losses, rows, group[~cut])
        gain = size * cost[number] - k * inside - (size - k) * outside
        if (
            gain > best
            and _diverse_change(rows, group[cut], -1, -1, codes, rules, counts)
            and _diverse_change(rows, group[~cut], -1, -1, codes, rules, counts)
        ):
            best, chosen = gain, cut
    if not chosen.any():
        return
    for at in group[chosen]:
        _hand_over(sizes, members, of_class, at, empty[0])
    _refresh(values, layout, losses, k, rows, number, state, codes, rules, counts)
    _refresh(values, layout, losses, k, rows, empty[0], state, codes, rules, counts)


@compiled
def _pick_alike(
    values: Any, layout: Any, losses: Any, k: int, rows: Any, group: Any, seed: int, cut: Any
) -> float:
    """Mark k members around a seed that cost little together; what they cost."""
    columns = values.shape[1]
    a, b = np.empty(columns, np.int64), np.empty(columns, np.int64)
    take_in(layout, a, b, values, rows[group[seed]], True)
    cut[seed] = True
    cost = 0.0
    for _ in range(k - 1):
        cost, nearest = NEVER, 0
        for at in range(len(group)):
            if not cut[at]:
                found = cost_with(layout, losses, a, b, values, rows[group[at]], cost)
                if found < cost:
                    cost, nearest = found, at
        cut[nearest] = True
        take_in(layout, a, b, values, rows[group[nearest]], False)
    return cost


@compiled
def _cost_of(values: Any, layout: Any, losses: Any, rows: Any, group: Any) -> Any:
    columns = values.shape[1]
    a, b = np.empty(columns, np.int64), np.empty(columns, np.int64)
    for place in range(len(group)):
        take_in(layout, a, b, values, rows[group[place]], place == 0)
    return cost_with(layout, losses, a, b, values, rows[group[0]], NEVER)
