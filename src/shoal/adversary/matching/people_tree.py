"""Many boxes and many people: a tree of the people, cut in half along the axis on which they spread most.

A node holds a stretch of the tree's order and the ends between which its people lie. A box that holds a node
whole takes its stretch, one that misses it takes nothing, and else the halves are asked; what is written
down for a box are stretches, however many people they hold.
"""

from typing import Any

import numpy as np

from shoal.adversary.matching.axes import Axis
from shoal.arrays import Bools, Ints
from shoal.kernels.compiled import compiled, over_ranges

LEAF = 16
DEEPEST = 64


def runs_in_tree(boxes: tuple[Axis, ...], points: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """An order of the people, and per stretch of it a box that all of them fit: box, first and last place.

    >>> axis = Axis(np.array([0, 4]), np.array([4, 9]), np.array([]))
    >>> order, box, first, last = runs_in_tree((axis,), np.array([[4], [1]]))
    >>> order.tolist(), box.tolist(), first.tolist(), last.tolist()
    ([0, 1], [0, 1], [0, 0], [2, 1])
    """
    points = np.ascontiguousarray(points)
    order = np.arange(len(points))
    levels = max(int(np.ceil(np.log2(max(len(points), 1) / LEAF))), 0) + 1
    nodes = 2**levels
    starts, ends = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    least, most = (np.zeros((nodes, points.shape[1]), np.int64) for _ in range(2))
    _grow(points, order, starts, ends, least, most)
    low = np.column_stack([axis.low for axis in boxes])
    high = np.column_stack([axis.high for axis in boxes])
    gaps = _gaps(boxes)
    tree = (points[order], starts, ends, least, most)
    counts = np.zeros(len(low) + 1, np.int64)
    nothing = np.zeros((0, 2), np.int64)

    def count(first: int, last: int) -> None:
        _visit(*tree, low, high, *gaps, first, last, counts, nothing, False)

    over_ranges(count, len(low), weight=100)
    places = np.concatenate([[0], np.cumsum(counts[:-1])])
    runs = np.empty((int(places[-1]), 2), np.int64)

    def fill(first: int, last: int) -> None:
        _visit(*tree, low, high, *gaps, first, last, places, runs, True)

    over_ranges(fill, len(low), weight=100)
    return order, np.repeat(np.arange(len(low)), np.diff(places)), runs[:, 0], runs[:, 1]


def _gaps(boxes: tuple[Axis, ...]) -> tuple[Ints, Bools]:
    """Labels that admit only some points between their ends: the place of each box's row in one long table
    of truth, axis by axis; -1 where a range says it all."""
    rows, tables, offset = np.full((len(boxes[0].low), len(boxes)), -1, np.int64), [np.zeros(0, bool)], 0
    for at, axis in enumerate(boxes):
        if axis.admits is None or axis.label is None:
            continue
        rows[:, at] = offset + axis.label * axis.admits.shape[1]
        tables.append(axis.admits.ravel())
        offset += axis.admits.size
    return rows, np.concatenate(tables)


@compiled
def _grow(points: Any, order: Any, starts: Any, ends: Any, least: Any, most: Any) -> None:
    """Node i has the halves 2 i and 2 i + 1; node 1 holds everybody."""
    starts[1], ends[1] = 0, len(order)
    for node in range(1, len(starts)):
        start, end = starts[node], ends[node]
        if end <= start:
            continue
        widest, spread = 0, -1.0
        for at in range(points.shape[1]):
            bottom, top = points[order[start], at], points[order[start], at]
            for place in range(start + 1, end):
                value = points[order[place], at]
                bottom, top = min(bottom, value), max(top, value)
            least[node, at], most[node, at] = bottom, top
            if float(top) - float(bottom) > spread:
                widest, spread = at, float(top) - float(bottom)
        if 2 * node + 1 >= len(starts) or end - start <= LEAF:
            continue
        part = order[start:end].copy()
        keys = np.empty(end - start, np.int64)
        for place in range(end - start):
            keys[place] = points[part[place], widest]
        order[start:end] = part[np.argsort(keys)]
        middle = (start + end) // 2
        starts[2 * node], ends[2 * node] = start, middle
        starts[2 * node + 1], ends[2 * node + 1] = middle, end


@compiled
def _visit(
    points: Any, starts: Any, ends: Any, least: Any, most: Any, low: Any, high: Any,
    gap_rows: Any, gap_table: Any,
    first: int, last: int, places: Any, runs: Any, fill: bool,
) -> None:  # fmt: skip
    """Count the runs of the boxes first .. last - 1 into ``places``, or write them down from there on."""
    waiting = np.empty(DEEPEST, np.int64)
    for box in range(first, last):
        written, open_end, depth = 0, -1, 1
        waiting[0] = 1
        while depth > 0:
            depth -= 1
            node = waiting[depth]
            start, end = starts[node], ends[node]
            if end <= start:
                continue
            apart, whole = False, True
            for at in range(low.shape[1]):
                if most[node, at] < low[box, at] or least[node, at] > high[box, at]:
                    apart = True
                    break
                if least[node, at] < low[box, at] or most[node, at] > high[box, at] or gap_rows[box, at] >= 0:
                    whole = False
            if apart:
                continue
            halves = 2 * node + 1 < len(starts) and ends[2 * node] > starts[2 * node]
            if not whole and halves:
                waiting[depth], waiting[depth + 1] = 2 * node + 1, 2 * node
                depth += 2
                continue
            for place in range(start, end):
                fits = True
                if not whole:
                    for at in range(low.shape[1]):
                        value = points[place, at]
                        if value < low[box, at] or value > high[box, at]:
                            fits = False
                            break
                        if gap_rows[box, at] >= 0 and not gap_table[gap_rows[box, at] + value]:
                            fits = False
                            break
                if not fits:
                    continue
                stretch = end if whole else place + 1
                if place != open_end:
                    written += 1
                    if fill:
                        runs[places[box] + written - 1, 0] = place
                if fill:
                    runs[places[box] + written - 1, 1] = stretch
                open_end = stretch
                if whole:
                    break
        if not fill:
            places[box] = written
