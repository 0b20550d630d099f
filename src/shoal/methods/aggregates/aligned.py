"""aligned: the narrowest release in which every record of a class has the same F.

In a class with A = min f and B = max f each record opens ONE cell, to the range that lets f run from A
to B while all its other cells stay exact. No release with equal F has narrower ranges for these classes.
Who knows f of a person computes the open cell of each candidate, and every candidate fits, so what
matters is that the *choice* of the cell tells nothing about the value under it:

- ``blind`` (the default): the cell is drawn from those that are not zero, not at an end of the column's
  domain, and of the record's highest order of magnitude (hexadecimal digits). If the range could leave
  that order, the domain or its sign, the class is not aligned. So the draw would have been the same for
  every value in the range, and whoever knows the method is left with exactly one in as many as the class
  has records.
- ``eligible``: the cell is drawn from all whose range lies in the domain and holds no zero. Far fewer
  classes fail, but how many cells are eligible depends on the hidden value; the verdict says what that
  gives away.

A range that held 0 would prove that the cell is 0, since nobody opens a cell that is not. Classes are the
optimal groups of the sorted f; those with a record that finds no cell are published by ``residual``. Only
columns that move f by one and the same step are opened, so that every F has the same values in between.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, draw_column
from shoal.kernels.order import random_tie_order
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.band_counts import has_enough_nearby
from shoal.methods.aggregates.knowledge import Knowledge, Tolerance
from shoal.methods.aggregates.optimal_groups import optimal_groups
from shoal.methods.aggregates.residual import residual
from shoal.methods.diversity import Diversity, diverse_blocks
from shoal.methods.ranges import Ranges, blocks_of, column_ends, join_ranges

BITS = 4  # of one hexadecimal digit


def aligned(
    values: Ints,
    f: WeightedSum,
    k: int,
    key: Key,
    costs: Floats | None = None,
    within: Tolerance | None = None,
    diversity: Diversity | None = None,
    domain: tuple[Ints, Ints] | None = None,
    draw: str = "blind",
) -> Ranges:
    """Ranges under which every class of at least k rows has one F, one open cell to a row.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> table = np.array([[0, 70], [73, 0], [500, 9], [9, 490]])
    >>> made = aligned(table, WeightedSum(np.array([1, 1])), 2, seeded_key(0), domain=([0, 0], [999, 999]))
    >>> made.low.tolist(), made.high.tolist()
    ([[0, 70], [70, 0], [9, 490], [490, 9]], [[0, 73], [73, 0], [9, 500], [500, 9]])
    """
    totals = f.of(values)
    asked = diversity or Diversity.none(len(values))
    order = random_tie_order(totals, key)
    near = np.zeros(len(order), bool)
    if within is not None and not asked:
        near = has_enough_nearby(totals[order], k, within)
    as_they_are, rest = order[near], order[~near]
    if len(as_they_are) and 0 < len(rest) < k:
        as_they_are, rest = order[:0], order
    starts = _groups(rest, totals, k, asked)
    chosen = _choose_cells(values, f, totals, rest, starts, key, _ends(values, domain), draw)
    fits = np.logical_and.reduceat(chosen >= 0, starts[:-1]) if len(rest) else np.zeros(0, bool)
    in_class = np.repeat(fits, np.diff(starts))
    opened = _opened(values, f, totals, rest[in_class], chosen[in_class], np.diff(starts)[fits])
    fallen = rest[~in_class]
    parts = [_exact(values, as_they_are, k), opened]
    if len(fallen):
        common = residual(values[fallen], Knowledge((f,)), k, key, costs, diversity=asked.of(fallen))
        parts.append(Ranges(fallen[common.order], common.starts, common.low, common.high))
    return replace(join_ranges(parts), fallen=len(fallen))


def _groups(order: Ints, totals: Ints, k: int, diversity: Diversity) -> Ints:
    if not len(order):
        return np.zeros(1, np.int64)
    return diverse_blocks(order, k, diversity) if diversity else optimal_groups(totals[order], k)


def _ends(values: Ints, domain: tuple[Ints, Ints] | None) -> tuple[Ints, Ints]:
    low, high = column_ends(values) if domain is None else domain
    return np.asarray(low), np.asarray(high)


def _choose_cells(
    values: Ints,
    f: WeightedSum,
    totals: Ints,
    order: Ints,
    starts: Ints,
    key: Key,
    domain: tuple[Ints, Ints],
    draw: str,
) -> Ints:
    """The column that each position opens; -1 if there is none, the number of columns if none is needed."""
    steps, counts = np.unique(np.abs(f.weights[f.weights != 0]), return_counts=True)
    step = steps[np.argmax(counts)] if len(steps) else 1
    chosen = np.empty(len(order), np.int64)
    draws = (key[0], key[1], np.uint64(Purpose.COLUMNS))
    _choose(values, f.weights, step, totals, order, starts, *domain, draw == "blind", *draws, chosen)
    return chosen


@compiled
def _choose(
    values: Any, weights: Any, step: Any, totals: Any, order: Any, starts: Any, bottom: Any, top: Any,
    blind: bool, key0: Any, key1: Any, purpose: Any, chosen: Any,
) -> None:  # fmt: skip
    columns = values.shape[1]
    hashes = np.empty(columns, np.uint64)
    for group in range(len(starts) - 1):
        least, most = totals[order[starts[group]]], totals[order[starts[group + 1] - 1]]
        for i in range(starts[group], starts[group + 1]):
            row = order[i]
            if least == most:
                chosen[i] = columns
                continue
            chosen[i] = -1
            if (totals[row] - least) % step != 0 or (most - least) % step != 0:
                continue
            for j in range(columns):
                hashes[j] = draw_column(key0, key1, purpose, row, j)
            if blind:
                chosen[i] = _blind_cell(
                    values[row], weights, step, totals[row], least, most, bottom, top, hashes
                )
            else:
                chosen[i] = _eligible_cell(
                    values[row], weights, step, totals[row], least, most, bottom, top, hashes
                )


@compiled
def _blind_cell(
    cells: Any, weights: Any, step: Any, total: Any, least: Any, most: Any, bottom: Any, top: Any, hashes: Any
) -> int:
    best, highest = -1, -1
    for j in range(len(cells)):
        if abs(weights[j]) != step or cells[j] == 0 or cells[j] <= bottom[j] or cells[j] >= top[j]:
            continue
        digits = _digits(cells[j])
        if digits > highest or (digits == highest and hashes[j] < hashes[best]):
            best, highest = j, digits
    if best < 0:
        return -1
    low, high = _range(cells[best], weights[best], total, least, most)
    inside = low > bottom[best] and high < top[best] and (low > 0 or high < 0)
    return best if inside and _digits(low) == highest and _digits(high) == highest else -1


@compiled
def _eligible_cell(
    cells: Any, weights: Any, step: Any, total: Any, least: Any, most: Any, bottom: Any, top: Any, hashes: Any
) -> int:
    best = -1
    for j in range(len(cells)):
        if abs(weights[j]) != step:
            continue
        low, high = _range(cells[j], weights[j], total, least, most)
        eligible = low >= bottom[j] and high <= top[j] and (low > 0 or high < 0)
        if eligible and (best < 0 or hashes[j] < hashes[best]):
            best = j
    return best


@compiled
def _digits(cell: Any) -> int:
    """The hexadecimal digits of a number: its order of magnitude."""
    digits, rest = 0, abs(cell)
    while rest > 0:
        rest >>= BITS
        digits += 1
    return digits


@compiled
def _range(cell: Any, weight: Any, total: Any, least: Any, most: Any) -> tuple[Any, Any]:
    """What the cell must be for f to be ``least`` and ``most``, the smaller one first."""
    first, last = cell + (least - total) // weight, cell + (most - total) // weight
    return min(first, last), max(first, last)


def _opened(values: Ints, f: WeightedSum, totals: Ints, order: Ints, chosen: Ints, sizes: Ints) -> Ranges:
    """The classes whose rows all found a cell."""
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    low, high = values[order], values[order]
    at = np.flatnonzero(chosen < values.shape[1])
    first, last = (np.repeat(totals[order[ends]], sizes) for ends in (starts[:-1], starts[1:] - 1))
    weights, cells = f.weights[chosen[at]], values[order[at], chosen[at]]
    ends = [cells + (end[at] - totals[order[at]]) // weights for end in (first, last)]
    low[at, chosen[at]], high[at, chosen[at]] = np.minimum(*ends), np.maximum(*ends)
    return Ranges(order, starts, low, high)


def _exact(values: Ints, order: Ints, k: int) -> Ranges:
    """Rows that are published as they are, k to a block."""
    starts = blocks_of(len(order), k) if len(order) else np.zeros(1, np.int64)
    return Ranges(order, starts, values[order], values[order])
