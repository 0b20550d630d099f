"""Mondrian (LeFevre, DeWitt, Ramakrishnan, ICDE 2006): multidimensional k-anonymity.

Cut the rows at the median of the column with the widest range (as a share of the column's whole
range) as long as both sides keep k rows; if that column cannot be cut, try the next widest. A class
is what can be cut no further, published as its tight box.

Strict: rows up to the median go left, the others right. Where the median is also the largest value
that leaves nothing on the right; then the rows below it go left instead, unless ``textbook`` asks for
the printed rule, which gives up on the column (a column of mostly one high code is then never cut).
Relaxed: the rows are halved, and rows equal
to the median go to either side, drawn by the keyed hash of the row number.

A column of labels is as wide as the loss of the label over all its leaves. It is cut, strict or relaxed, by
parting the largest branch below that label from the others, as long as both sides keep k rows; branches of
fewer rows so stay gathered under the label.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import CORES, SMALL, compiled
from shoal.kernels.keyed_hash import Key, Purpose, siphash
from shoal.kernels.select import select
from shoal.methods.boxes.common_cell import FIELDS, LABEL, RANGE, CellForm, Costs, cell_cost, label_cost
from shoal.methods.diversity import Diversity, diverse
from shoal.methods.ranges import Ranges, column_ends


@dataclass(frozen=True)
class MondrianRanges(Ranges):
    """Tight boxes, and beside them how wide the regions are that the cuts left."""

    split_widths: Floats  # per column, summed over rows


@dataclass(frozen=True)
class Region:
    """What rows have to know of a larger table that was cut already, and which they are a part of."""

    spans: Floats  # how wide its columns are
    bottom: Ints  # of what the cuts have left
    top: Ints
    ids: Ints  # the numbers that these rows have there


def mondrian(
    values: Ints,
    k: int,
    key: Key,
    relaxed: bool = False,
    textbook: bool = False,
    diversity: Diversity | None = None,
    costs: Costs | None = None,
    region: Region | None = None,
    ids: Ints | None = None,
) -> MondrianRanges:
    """Classes of at least k rows, diverse enough if that is asked, with one tight box each.

    ``costs`` say which columns hold labels, and how wide columns are beside each other. The rows of a
    ``region`` become the classes that the larger table would have there. ``ids`` are the rows' numbers, where
    they are not 0, 1 and so on.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> boxes = mondrian(np.array([[1, 5], [2, 5], [8, 6], [9, 5]]), 2, seeded_key(0))
    >>> boxes.low.tolist(), boxes.high.tolist()
    ([[1, 5], [1, 5], [8, 5], [8, 5]], [[2, 5], [2, 5], [9, 6], [9, 6]])
    """
    rows, columns = values.shape
    low, high = values.copy(), np.empty_like(values)  # low holds the moving rows until the end
    order = np.arange(rows)
    begins = np.zeros(rows, np.bool_)
    scratch = np.empty(rows, np.int64)
    if region is None:
        ends = column_ends(values)
        region = Region(column_spans(*ends), *ends, np.arange(rows if relaxed else 0) if ids is None else ids)
    shape = column_shapes(region.spans, costs)
    grain = max(rows // (8 * CORES), SMALL)  # larger parts are cut first, to share out the rest
    draws = (key[0], key[1], np.uint64(Purpose.TIES), region.ids)
    asked = diversity or Diversity.none(rows)
    sensitive = (asked.codes, asked.rules, asked.counters().shape[1])

    def cut(part: "_Part") -> list[_Part]:
        if not part.larger_than(grain):
            return [part]
        at, column, value = _cut(
            low, order, scratch, part.begin, part.end, *shape, k, relaxed, textbook, *draws, *sensitive
        )
        return part.split(at, column, value)

    def finish(part: "_Part") -> Floats:
        place = (part.begin, part.end, part.bottom, part.top)
        widths = _cut_to_classes(
            low, high, order, scratch, begins, *place, *shape, k, relaxed, textbook, *draws, *sensitive
        )
        return np.asarray(widths)

    parts = [_Part(0, rows, region.bottom, region.top)]
    with ThreadPoolExecutor(CORES) as pool:
        while any(part.larger_than(grain) for part in parts):
            parts = [half for halves in pool.map(cut, parts) for half in halves]
        largest_first = sorted(parts, key=lambda part: part.begin - part.end)
        widths = sum(pool.map(finish, largest_first), np.zeros(columns))
    starts = np.append(np.flatnonzero(begins), rows)
    return MondrianRanges(order, starts, low, high, widths)


def column_spans(bottom: Ints, top: Ints) -> Floats:
    """How wide the columns of a whole table are, to compare the columns of its parts.

    >>> column_spans(np.array([-(2**62), 7]), np.array([2**62, 7])).tolist()
    [9.223372036854776e+18, 1.0]
    """
    return np.maximum(top.astype(np.float64) - bottom, 1.0)


def column_shapes(spans: Floats, costs: Costs | None) -> tuple[Floats, Ints, Floats]:
    """What one unit of width is measured against in each column, and the layout and losses of labels."""
    if costs is None:
        return spans, *Costs([CellForm(RANGE, 1.0)] * len(spans)).arrays
    return 1.0 / np.maximum(costs.units, 1e-300), *costs.arrays


@dataclass(frozen=True)
class _Part:
    """Rows begin..end, and the region that the cuts so far have left to them."""

    begin: int
    end: int
    bottom: Ints
    top: Ints
    final: bool = False

    def larger_than(self, grain: int) -> bool:
        return self.end - self.begin > grain and not self.final

    def split(self, at: int, column: int, value: int) -> "list[_Part]":
        if at < 0:
            return [_Part(self.begin, self.end, self.bottom, self.top, final=True)]
        left_top, right_bottom = self.top.copy(), self.bottom.copy()
        left_top[column] = right_bottom[column] = value
        return [
            _Part(self.begin, at, self.bottom, left_top),
            _Part(at, self.end, right_bottom, self.top),
        ]


@compiled
def _cut_to_classes(
    low: Any, high: Any, order: Any, scratch: Any, begins: Any, begin: int, end: int,
    bottom: Any, top: Any, spans: Any, layout: Any, losses: Any, k: int, relaxed: bool, textbook: bool,
    key0: Any, key1: Any, purpose: Any, ids: Any, codes: Any, rules: Any, values: int,
) -> Any:  # fmt: skip
    """Cut rows begin..end until no cut is left, write the boxes, and sum the regions' widths."""
    columns = low.shape[1]
    widths = np.zeros(columns)
    depth = 64
    stack = np.empty((depth, 2), np.int64)
    regions = np.empty((depth, 2, columns), np.int64)
    stack[0, 0], stack[0, 1] = begin, end
    regions[0, 0], regions[0, 1] = bottom, top
    size = 1
    while size > 0:
        size -= 1
        first, last = stack[size, 0], stack[size, 1]
        at, column, value = _cut(
            low, order, scratch, first, last, spans, layout, losses, k, relaxed, textbook,
            key0, key1, purpose, ids, codes, rules, values,
        )  # fmt: skip
        if at < 0:
            for j in range(columns):
                widths[j] += float(last - first) * (float(regions[size, 1, j]) - float(regions[size, 0, j]))
            _write_box(low, high, first, last)
            begins[first] = True
            continue
        if size + 2 > depth:
            depth *= 2
            taller, wider = np.empty((depth, 2), np.int64), np.empty((depth, 2, columns), np.int64)
            taller[:size], wider[:size] = stack[:size], regions[:size]
            taller[size], wider[size] = stack[size], regions[size]
            stack, regions = taller, wider
        regions[size + 1] = regions[size]
        regions[size, 1, column] = value
        regions[size + 1, 0, column] = value
        stack[size, 1] = at
        stack[size + 1, 0], stack[size + 1, 1] = at, last
        size += 2
    return widths


@compiled
def _write_box(low: Any, high: Any, first: int, last: int) -> None:
    for j in range(low.shape[1]):
        smallest, greatest = low[first, j], low[first, j]
        for i in range(first, last):
            smallest = min(smallest, low[i, j])
            greatest = max(greatest, low[i, j])
        for i in range(first, last):
            low[i, j] = smallest
            high[i, j] = greatest


@compiled
def _cut(
    rows: Any, order: Any, room: Any, begin: int, end: int, spans: Any, layout: Any, losses: Any, k: int,
    relaxed: bool, textbook: bool, key0: Any, key1: Any, purpose: Any, ids: Any,
    codes: Any, rules: Any, values: int,
) -> Any:  # fmt: skip
    """Cut once: where the right side begins, in which column, at which value; (-1, 0, 0) if never."""
    count, columns = end - begin, rows.shape[1]
    if count < 2 * k:
        return -1, 0, 0
    widths = np.empty(columns)
    smallest, greatest = rows[begin].copy(), rows[begin].copy()
    for i in range(begin, end):
        for j in range(columns):
            value = rows[i, j]
            smallest[j] = min(smallest[j], value)
            greatest[j] = max(greatest[j], value)
    for j in range(columns):
        if layout[FIELDS * j] == LABEL:
            widths[j] = cell_cost(layout, losses, j, smallest[j], greatest[j])
        else:
            widths[j] = (float(greatest[j]) - float(smallest[j])) / spans[j]
    scratch = room[begin:end]
    for _ in range(columns):
        column = 0
        for j in range(columns):
            if widths[j] > widths[column]:
                column = j
        if widths[column] <= 0:
            break
        widths[column] = -1.0
        if layout[FIELDS * column] == LABEL:
            at = _part_branch(rows, order, room, begin, end, column, layout, losses, k, codes, rules, values)
            if at >= 0:
                return at, column, rows[begin, column]
            continue
        at_bottom, at_top = 0, 0
        for i in range(count):
            value = rows[begin + i, column]
            scratch[i] = value
            at_bottom += value == smallest[column]
            at_top += value == greatest[column]
        if not relaxed and (count - at_bottom < k or count - at_top < k):
            continue  # no value of this column leaves k rows on both sides
        median = select(scratch, (count - 1) // 2)
        if relaxed:
            at = _halve(rows, order, begin, end, column, median, key0, key1, purpose, ids)
            if _both_diverse(order, begin, at, end, codes, rules, values):
                return at, column, median
            continue
        less, equal = 0, 0
        for i in range(count):
            less += scratch[i] < median
            equal += scratch[i] == median
        if less + equal >= k and count - less - equal >= k:
            _partition(rows, order, begin, end, column, median)
            if _both_diverse(order, begin, begin + less + equal, end, codes, rules, values):
                return begin + less + equal, column, median
        if less >= k and not textbook:
            _partition(rows, order, begin, end, column, median - 1)
            if _both_diverse(order, begin, begin + less, end, codes, rules, values):
                return begin + less, column, median
    return -1, 0, 0


@compiled
def _part_branch(
    rows: Any, order: Any, room: Any, begin: int, end: int, column: int, layout: Any, losses: Any, k: int,
    codes: Any, rules: Any, values: int,
) -> int:  # fmt: skip
    """The largest branch below the common label to the left; where the others begin, -1 if none can go."""
    count = end - begin
    leaves = room[begin:end]
    for i in range(count):
        leaves[i] = rows[begin + i, column]
    leaves.sort()
    top = label_cost(layout, losses, column, leaves[0], leaves[-1])
    starts = np.empty(count + 1, np.int64)
    starts[0], branches = 0, 1
    for i in range(1, count):
        if leaves[i] > leaves[i - 1] and label_cost(layout, losses, column, leaves[i - 1], leaves[i]) == top:
            starts[branches] = i
            branches += 1
    starts[branches] = count
    sizes = np.diff(starts[: branches + 1])
    firsts, lasts = leaves[starts[:branches]], leaves[starts[1 : branches + 1] - 1]
    for branch in np.argsort(-sizes, kind="mergesort"):
        if sizes[branch] < k:
            break
        if count - sizes[branch] < k:
            continue
        at = _partition_between(rows, order, begin, end, column, firsts[branch], lasts[branch])
        if _both_diverse(order, begin, at, end, codes, rules, values):
            return at
    return -1


@compiled
def _partition_between(
    rows: Any, order: Any, begin: int, end: int, column: int, first: int, last: int
) -> int:
    at = begin
    for i in range(begin, end):
        if first <= rows[i, column] <= last:
            _swap(rows, order, i, at)
            at += 1
    return at


@compiled
def _both_diverse(order: Any, begin: int, at: int, end: int, codes: Any, rules: Any, values: int) -> bool:
    if len(rules) == 0:
        return True
    for first, last in ((begin, at), (at, end)):
        counts = np.zeros((len(rules), values), np.int64)
        for i in range(first, last):
            for column in range(len(rules)):
                counts[column, codes[order[i], column]] += 1
        if not diverse(counts, rules):
            return False
    return True


@compiled
def _swap(rows: Any, order: Any, i: int, j: int) -> None:
    for column in range(rows.shape[1]):
        rows[i, column], rows[j, column] = rows[j, column], rows[i, column]
    order[i], order[j] = order[j], order[i]


@compiled
def _partition(rows: Any, order: Any, begin: int, end: int, column: int, median: int) -> None:
    i, j = begin, end - 1
    while True:
        while i <= j and rows[i, column] <= median:
            i += 1
        while i <= j and rows[j, column] > median:
            j -= 1
        if i >= j:
            return
        _swap(rows, order, i, j)


@compiled
def _halve(
    rows: Any, order: Any, begin: int, end: int, column: int, median: int,
    key0: Any, key1: Any, purpose: Any, ids: Any,
) -> int:  # fmt: skip
    """Half of the rows to the left; of those equal to the median, the ones with small hashes."""
    half = (end - begin) // 2
    less, equal = 0, 0
    for i in range(begin, end):
        less += rows[i, column] < median
        equal += rows[i, column] == median
    hashes = np.empty(equal, np.uint64)
    found = 0
    for i in range(begin, end):
        if rows[i, column] == median:
            hashes[found] = siphash(key0, key1, purpose, np.uint64(ids[order[i]]))
            found += 1
    hashes.sort()
    # half >= less always: fewer than half of the rows lie below the lower median
    limit = hashes[half - less] if half - less < equal else np.uint64(2**64 - 1)
    at = begin
    for i in range(begin, end):
        goes_left = rows[i, column] < median
        if rows[i, column] == median:
            goes_left = siphash(key0, key1, purpose, np.uint64(ids[order[i]])) < limit
        if goes_left:
            _swap(rows, order, i, at)
            at += 1
    return at
