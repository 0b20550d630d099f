"""How far the values of a class lie apart, in whole numbers.

The variance of n values of any type is half their mean distance over all ordered pairs (Rao): with squared
differences the population variance, with 0 and 1 half the Gini index. Counted here is that variance times
n * n and a factor that all classes of a column share, so that shares of variances are exact.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Ints

LARGEST = 2**62


@dataclass(frozen=True)
class ClassValueCounts:
    """The different values of every class, class by class, and how often each occurs."""

    classes: Ints
    values: Ints
    counts: Ints

    @classmethod
    def of(cls, classes: Ints, values: Ints, counts: Ints | None = None) -> "ClassValueCounts":
        """
        >>> ClassValueCounts.of(np.array([0, 1, 1]), np.array([7, 5, 5])).counts.tolist()
        [1, 2]
        """
        width = int(values.max()) + 1
        pairs, place = np.unique(classes * width + values, return_inverse=True)
        counted = np.zeros(len(pairs), np.int64)
        np.add.at(counted, place, 1 if counts is None else counts)
        return cls(pairs // width, pairs % width, counted)

    @property
    def starts(self) -> Ints:
        """Where each class begins."""
        return np.flatnonzero(np.diff(self.classes, prepend=-1))

    @property
    def sizes(self) -> Ints:
        return np.add.reduceat(self.counts, self.starts)

    def different(self) -> Ints:
        """How many values each class has."""
        return np.diff(np.append(self.starts, len(self.values)))


@dataclass(frozen=True)
class LineSpread:
    """Values on a line, with squared differences."""

    of_value: Ints

    def spread(self, tally: ClassValueCounts) -> Any:
        """n times the sum of the squares, less the square of the sum.

        >>> tally = ClassValueCounts.of(np.zeros(4, int), np.array([0, 1, 1, 2]))
        >>> LineSpread(np.array([10, 12, 14])).spread(tally).tolist()  # a variance of 2
        [32]
        """
        low, sizes = int(self.of_value.min()), tally.sizes
        widest = int(sizes.max()) * (int(self.of_value.max()) - low)
        exact: Any = np.int64 if widest**2 < LARGEST else object
        points = (self.of_value.astype(exact) - low)[tally.values]
        once = points * tally.counts
        sums, squares = (np.add.reduceat(part, tally.starts) for part in (once, once * points))
        return sizes * squares - sums * sums


@dataclass(frozen=True)
class LabelSpread:
    """Values under labels, level by level: apart by the number of levels on which their labels differ."""

    levels: list[Ints]  # the label of every value

    def spread(self, tally: ClassValueCounts) -> Any:
        """The pairs whose labels differ, of all levels together.

        >>> tally = ClassValueCounts.of(np.zeros(4, int), np.array([0, 0, 1, 2]))
        >>> LabelSpread([np.array([0, 1, 2]), np.array([0, 0, 1])]).spread(tally).tolist()
        [16]
        """
        alike = [
            ClassValueCounts.of(tally.classes, level[tally.values], tally.counts) for level in self.levels
        ]
        pairs = len(alike) * tally.sizes**2
        return pairs - sum(np.add.reduceat(one.counts**2, one.starts) for one in alike)
