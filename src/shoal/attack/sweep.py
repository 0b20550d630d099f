"""Values of the classes that hold a number, for many numbers at once: classes enter and leave in order.

Who knows one sum may fit a third of all classes. Instead of going through them person by person, people are
taken in the order of their sums, and each class is added where it begins and taken away where it ends.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attack.axes import Axis

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sweep:
    """Rows are different numbers in rising order; a class holds those of ``first .. last - 1``."""

    first: Ints
    last: Ints
    rows: int

    @classmethod
    def of(cls, axis: Axis, shown: Ints, people: Ints) -> tuple["Sweep", Ints]:
        """Over the classes that these records show; and the row of each of the people, -1 if none fits."""
        numbers, row = np.unique(axis.point[people], return_inverse=True)
        first = np.searchsorted(numbers, axis.low[shown], "left")
        last = np.searchsorted(numbers, axis.high[shown], "right")
        many = len(numbers)
        held = np.cumsum(np.bincount(first, minlength=many + 1) - np.bincount(last, minlength=many + 1)) > 0
        return cls(first, last, many), np.where(held[row], row, -1)

    def added(self, begin: int, end: int, tables: tuple[Any, ...]) -> list[Any]:
        """What the classes have together (a table has a row for each), for the rows begin .. end - 1."""
        from scipy.sparse import csr_array

        there = np.flatnonzero((self.first < np.minimum(self.last, end)) & (self.last > begin))
        enters = np.maximum(self.first[there], begin) - begin
        leaves = self.last[there] - begin
        gone = leaves < end - begin
        sign = np.append(np.ones(len(there)), -np.ones(int(gone.sum())))
        places = np.append(enters, leaves[gone]), np.append(there, there[gone])
        events = csr_array((sign, places), shape=(end - begin, len(self.first)))
        changes = [events @ table for table in tables]
        return [
            np.cumsum(change if isinstance(change, np.ndarray) else change.toarray(), axis=0)
            for change in changes
        ]
