"""The cell that all records of a class can show, and what it costs them.

A column is published in one of three ways:

- RANGE: numbers, from the smallest to the largest; the cost grows with the width;
- LABEL: leaves of a hierarchy, in an order in which the leaves under every label stand together. The label of
  a class is the lowest one over its first and its last leaf, which costs as much as the dearest label over
  two neighbours in between. A table of all pairs answers that at once for a few leaves, a sparse table of
  1, 2, 4, ... neighbours in two steps for any number of them;
- SET: the different values. They are counted by 126 marks, so the costs of a large class may be a little too
  low where a column has more values than that.

The cell of a class is kept in two numbers: the ends of a range, or the marks of a set.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled

RANGE, LABEL, SET = 0, 1, 2
FIELDS = 3
FEW = 256  # leaves, for a table of all pairs
WORD = 63  # marks in one of the two numbers


@dataclass(frozen=True)
class CellForm:
    """How a column is published; ``unit`` is the cost of one unit of width, of a whole label, of one more
    value. ``steps[i]`` is the loss of the lowest label over leaf i and leaf i + 1."""

    kind: int
    unit: float
    steps: Floats | None = None

    def row_length(self) -> int:
        """The length of a row of the table; negative for one of all pairs."""
        leaves = 0 if self.steps is None else len(self.steps) + 1
        return -leaves if leaves <= FEW else leaves - 1

    def table(self) -> Floats:
        if self.steps is None:
            return np.zeros(0)
        return _of_all_pairs(self.steps) if self.row_length() < 0 else _dearest(self.steps)


@dataclass(frozen=True)
class Costs:
    """The same for all columns."""

    columns: list[CellForm]

    @cached_property
    def arrays(self) -> tuple[Ints, Floats]:
        """The costs as kernels read them. Layout: FIELDS numbers per column, its kind, where its table begins
        among the losses, and how long a row of that is. Losses: the unit of every column, then all tables."""
        tables = [column.unit * column.table() for column in self.columns]
        ends = len(self.columns) + np.cumsum([len(table) for table in tables])
        layout = [
            (column.kind, end - len(table), column.row_length())
            for column, table, end in zip(self.columns, tables, ends, strict=True)
        ]
        return np.array(layout, np.int64).ravel(), np.concatenate([self.units, *tables])

    @property
    def units(self) -> Floats:
        return np.array([float(column.unit) for column in self.columns])


def _of_all_pairs(steps: Floats) -> Floats:
    """The dearest step between any two leaves, one row per first leaf."""
    pairs = np.zeros((len(steps) + 1, len(steps) + 1))
    for first in range(len(steps)):
        pairs[first, first + 1 :] = np.maximum.accumulate(steps[first:])
    return pairs.ravel()


def _dearest(steps: Floats) -> Floats:
    """The dearest of 1, 2, 4, ... steps from each place on, one row after the other."""
    rows, width = [steps], 1
    while 2 * width <= len(steps):
        above = rows[-1]
        rows.append(np.append(np.maximum(above[:-width], above[width:]), np.zeros(width)))
        width *= 2
    return np.concatenate(rows)


@compiled
def first_cell(kind: int, value: Any) -> Any:
    """The cell of a single record."""
    if kind != SET:
        return value, value
    return cell_with(kind, np.int64(0), np.int64(0), value)


@compiled
def cell_with(kind: int, a: Any, b: Any, value: Any) -> Any:
    """The cell of a class that takes in one more record."""
    if kind != SET:
        return min(a, value), max(b, value)
    mark = value % (2 * WORD)
    if mark < WORD:
        return a | (np.int64(1) << mark), b
    return a, b | (np.int64(1) << (mark - WORD))


@compiled
def cell_cost(layout: Any, losses: Any, column: int, a: Any, b: Any) -> Any:
    """What this cell costs a record."""
    kind = layout[FIELDS * column]
    if kind == LABEL:
        return label_cost(layout, losses, column, a, b)
    if kind == RANGE:
        return (float(b) - float(a)) * losses[column]
    return (_marks(a) + _marks(b) - 1) * losses[column]


@compiled
def label_cost(layout: Any, losses: Any, column: int, first: Any, last: Any) -> Any:
    """What the lowest label over two leaves costs."""
    row, length = layout[FIELDS * column + 1], layout[FIELDS * column + 2]
    if length <= 0:
        return losses[row - length * first + last]
    if first == last:
        return 0.0
    steps, width = last - first, 1
    while 2 * width <= steps:
        width *= 2
        row += length
    return max(losses[row + first], losses[row + last - width])


@compiled
def _marks(word: Any) -> int:
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count


@compiled
def cost_with(layout: Any, losses: Any, a: Any, b: Any, values: Any, row: int, limit: float) -> Any:
    """What the cells of a class cost each of its records once a row has joined; beyond the limit, anything
    beyond it."""
    cost = 0.0
    for column in range(values.shape[1]):
        low, high = cell_with(layout[FIELDS * column], a[column], b[column], values[row, column])
        cost += cell_cost(layout, losses, column, low, high)
        if cost > limit:
            return cost  # to break is three times slower
    return cost


@compiled
def take_in(layout: Any, a: Any, b: Any, values: Any, row: int, first: bool) -> None:
    """Let a row join the cells of a class, or found it."""
    for column in range(values.shape[1]):
        kind, value = layout[FIELDS * column], values[row, column]
        if first:
            a[column], b[column] = first_cell(kind, value)
        else:
            a[column], b[column] = cell_with(kind, a[column], b[column], value)


@compiled
def class_costs(layout: Any, losses: Any, values: Any, order: Any, starts: Any) -> Any:
    """What the cells of every class cost each of its records."""
    columns = values.shape[1]
    a, b = np.empty(columns, np.int64), np.empty(columns, np.int64)
    found = np.zeros(len(starts) - 1)
    for number in range(len(found)):
        for at in range(starts[number], starts[number + 1]):
            take_in(layout, a, b, values, order[at], at == starts[number])
        for column in range(columns):
            found[number] += cell_cost(layout, losses, column, a[column], b[column])
    return found
