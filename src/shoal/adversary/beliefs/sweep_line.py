"""Values of the classes that hold a number, for many numbers at once: classes enter and leave in order.

Who knows one sum may fit a third of all classes. Instead of going through them person by person, people are
taken in the order of their sums, and each class is added where it begins and taken away where it ends.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.adversary.matching.axes import Axis
from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled


@dataclass(frozen=True)
class SweepLine:
    """Rows are different numbers in rising order; a class holds those of ``first .. last - 1``."""

    first: Ints
    last: Ints
    rows: int
    weights: Floats | None = None  # of the classes, which count alike without

    @classmethod
    def of(cls, axis: Axis, records: Ints, people: Ints) -> tuple["SweepLine", Ints]:
        """The sweep over the classes that these records show; and the row of each of the people, -1 if none
        fits."""
        numbers, row = np.unique(axis.point[people], return_inverse=True)
        first = np.searchsorted(numbers, axis.low[records], "left")
        last = np.searchsorted(numbers, axis.high[records], "right")
        many = len(numbers)
        held = np.cumsum(np.bincount(first, minlength=many + 1) - np.bincount(last, minlength=many + 1)) > 0
        return cls(first, last, many), np.where(held[row], row, -1)

    def narrowest(self, volumes: Floats) -> Any:
        """The narrowest classes that hold each number, as a sparse table of rows and classes; classes of one
        width begin and end in the same order, so those that hold a number stand side by side."""
        from scipy.sparse import csr_array

        level = np.unique(volumes, return_inverse=True)[1]
        order = np.lexsort([self.last, self.first, level])
        first, last = (level[order] * (self.rows + 1) + end[order] for end in (self.first, self.last))
        painter = np.full(self.rows, -1, np.int64)
        _paint(self.first[order], self.last[order], np.arange(self.rows + 1), painter)
        key = level[order][painter] * (self.rows + 1) + np.arange(self.rows)
        ended = np.minimum(np.searchsorted(np.maximum.accumulate(last), key, "right"), painter)
        begun = np.maximum(np.searchsorted(first, key, "right"), painter + 1)
        many = np.where(painter < 0, 0, begun - ended)
        starts = np.append(0, np.cumsum(many))
        offsets = np.arange(int(starts[-1])) - np.repeat(starts[:-1], many)
        classes = order[np.repeat(ended, many) + offsets]
        return csr_array((np.ones(len(classes)), classes, starts), shape=(self.rows, len(self.first)))

    def added(self, begin: int, end: int, tables: tuple[Any, ...]) -> list[Any]:
        """What the classes have together (a table has a row for each), for the rows begin .. end - 1."""
        from scipy.sparse import csr_array

        there = np.flatnonzero((self.first < np.minimum(self.last, end)) & (self.last > begin))
        enters = np.maximum(self.first[there], begin) - begin
        leaves = self.last[there] - begin
        gone = leaves < end - begin
        sign = np.append(np.ones(len(there)), -np.ones(int(gone.sum())))
        places = np.append(enters, leaves[gone]), np.append(there, there[gone])
        if self.weights is not None:
            sign *= self.weights[places[1]]
        events = csr_array((sign, places), shape=(end - begin, len(self.first)))
        changes = [events @ table for table in tables]
        return [
            np.cumsum(change if isinstance(change, np.ndarray) else change.toarray(), axis=0)
            for change in changes
        ]


@compiled
def _paint(first: Any, last: Any, after: Any, painter: Any) -> None:
    """Give every number the first class that holds it; ``after`` leads to the next number that has none."""
    for one in range(len(first)):
        number = first[one]
        while number < last[one]:
            root = number
            while after[root] != root:
                root = after[root]
            while after[number] != root:
                follows = after[number]
                after[number] = root
                number = follows
            number = root
            if number < last[one]:
                painter[number] = one
                after[number] = number + 1
                number += 1
