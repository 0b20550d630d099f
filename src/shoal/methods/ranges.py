"""What a method that publishes ranges hands back: classes of rows and a box for every row."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, over_ranges


@dataclass(frozen=True)
class Ranges:
    """Rows in class order. Class c holds ``order[starts[c]:starts[c + 1]]`` of the input rows, and
    position i is published as the box ``low[i] .. high[i]``, closed on both sides."""

    order: Ints
    starts: Ints
    low: Ints
    high: Ints
    fallen: int = field(default=0, kw_only=True)  # rows that a simpler method had to serve

    @property
    def classes(self) -> int:
        return len(self.starts) - 1

    def class_of(self) -> Ints:
        """The class of every position."""
        return np.repeat(np.arange(self.classes), np.diff(self.starts))

    def summary(self) -> tuple[Floats, int]:
        """The width of all published ranges, summed per column, and the number of exact cells."""
        widths = np.zeros(self.low.shape[1])
        exact = _sum_widths(self.low, self.high, widths)
        return widths, int(exact)

    def columns(self, positions: Ints) -> tuple[Ints, Ints]:
        """Low and high ends of these positions, one row of the result per column."""
        shape = (self.low.shape[1], len(positions))
        low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)

        def work(start: int, stop: int) -> None:
            _gather_columns(self.low, self.high, positions, start, stop, low, high)

        over_ranges(work, len(positions))
        return low, high

    def in_input_order(self) -> tuple[Any, Any]:
        """The boxes as they belong to the input rows."""
        low, high = np.empty_like(self.low), np.empty_like(self.high)
        low[self.order], high[self.order] = self.low, self.high
        return low, high


def tight_boxes(values: Ints, order: Ints, starts: Ints) -> Ranges:
    """Every class with the smallest box around its rows.

    >>> tight_boxes(np.array([[1], [9], [3]]), np.array([0, 2, 1]), np.array([0, 2, 3])).high.tolist()
    [[3], [3], [9]]
    """
    moved = values[order]
    sizes = np.diff(starts)
    low, high = (
        np.repeat(ends.reduceat(moved, starts[:-1], axis=0), sizes, axis=0)
        for ends in (np.minimum, np.maximum)
    )
    return Ranges(order, starts, low, high)


def join_ranges(parts: list[Ranges]) -> Ranges:
    """The classes of several parts one after the other."""
    if sum(len(part.order) > 0 for part in parts) == 1:
        return max(parts, key=lambda part: len(part.order))
    starts, rows = [np.zeros(1, np.int64)], 0
    for part in parts:
        starts.append(rows + part.starts[1:])
        rows += len(part.order)
    return Ranges(
        np.concatenate([part.order for part in parts]),
        np.concatenate(starts),
        np.vstack([part.low for part in parts]),
        np.vstack([part.high for part in parts]),
        fallen=sum(part.fallen for part in parts),
    )


def column_ends(values: Ints) -> tuple[Ints, Ints]:
    """Smallest and largest value of every column.

    >>> column_ends(np.array([[1, 9], [3, 7]]))
    (array([1, 7]), array([3, 9]))
    """
    columns = range(values.shape[1])
    low = np.array([values[:, column].min() for column in columns])
    high = np.array([values[:, column].max() for column in columns])
    return low, high


@compiled
def _sum_widths(low: Any, high: Any, widths: Any) -> int:
    exact = 0
    for row in range(low.shape[0]):
        for column in range(low.shape[1]):
            widths[column] += float(high[row, column]) - float(low[row, column])
            exact += low[row, column] == high[row, column]
    return exact


@compiled
def _gather_columns(
    low: Any, high: Any, positions: Any, start: int, stop: int, out_low: Any, out_high: Any
) -> None:
    for i in range(start, stop):
        for column in range(low.shape[1]):
            out_low[column, i] = low[positions[i], column]
            out_high[column, i] = high[positions[i], column]


def blocks_of(rows: int, k: int) -> Ints:
    """Starts of blocks of k; the last one takes what is left and has k to 2k - 1 rows.

    >>> blocks_of(8, 3).tolist()
    [0, 3, 8]
    """
    starts = np.arange(0, max(rows // k, 1) + 1) * k
    starts[-1] = rows
    return starts
