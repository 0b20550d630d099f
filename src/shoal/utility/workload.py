"""How wide the bounds of many queries over a permuted column are (Zhang et al., ICDE 2007, section 7.1).

A query picks rows by their exact columns. Of a group with m rows picked, the bounds of SUM add up the m
smallest and the m largest values. The error of a query is (upper - lower) / |truth|. That of AVG is the same:
the number of rows picked is known and cancels.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import AnyArray, Ints

Numbers = AnyArray  # int64 or float64
Column = NDArray[np.generic]  # anything that can be sorted
Rows = Ints  # a query: the rows that it picks


@dataclass(frozen=True)
class SumBounds:
    """The least and the largest sum that a query may have."""

    lower: float
    upper: float


@dataclass(frozen=True)
class WorkloadError:
    """The mean relative error of the queries that have one.

    A query that picks nothing has no answer, and one whose true answer is 0 has no relative error unless its
    bounds are equal: such queries are ``left_out`` of the mean, which is NaN if nothing else was asked.
    """

    mean: float
    queries: int
    left_out: int


@dataclass(frozen=True)
class PermutedColumn:
    """Sensitive values in groups inside which anybody may have any of them."""

    values: Numbers  # of every row, as it truly is
    groups: Ints  # of every row, from 0 on
    begins: Ints  # where each group begins among the rows by group, and where the last one ends
    running: Numbers  # the sum of the values before each place, by group and ascending

    @classmethod
    def of(cls, groups: Ints, values: Numbers) -> "PermutedColumn":
        """Groups may have any names.

        >>> PermutedColumn.of(np.array([7, 7, 7, 9]), np.array([54, 55, 56, 80])).bounds(np.array([0, 1]))
        SumBounds(lower=109, upper=111)
        """
        _, numbered = np.unique(groups, return_inverse=True)
        order = np.lexsort((values, numbered))
        begins = np.append(0, np.cumsum(np.bincount(numbered)))
        running = np.append(values[:0].sum(), np.cumsum(_summable(values)[order]))
        return cls(values, numbered.astype(np.int64), begins.astype(np.int64), running)

    def bounds(self, picked: Rows) -> SumBounds:
        """The least and the largest sum that the picked rows may have."""
        hits = np.bincount(self.groups[picked], minlength=len(self.begins) - 1)
        low, high = self.begins[:-1], self.begins[1:]
        lower = self.running[low + hits] - self.running[low]
        upper = self.running[high] - self.running[high - hits]
        return SumBounds(lower.sum().item(), upper.sum().item())

    def error(self, picked: Rows) -> float:
        """The relative error of a query; NaN where there is none."""
        return relative_error(self.bounds(picked), self.values[picked])


def relative_error(bounds: SumBounds, truth: Numbers) -> float:
    """How far apart the bounds of SUM are, as a share of the true sum of the values that a query picks.

    >>> relative_error(SumBounds(90, 110), np.array([40, 60])), relative_error(SumBounds(0, 0), np.array([0]))
    (0.2, 0.0)
    >>> relative_error(SumBounds(-5, 5), np.array([0]))
    nan
    """
    if not len(truth):
        return np.nan
    if bounds.lower == bounds.upper:
        return 0.0
    total = abs(_summable(truth).sum().item())
    return (bounds.upper - bounds.lower) / total if total else np.nan


def workload_error(column: PermutedColumn, queries: Iterable[Rows]) -> WorkloadError:
    """The mean over all queries.

    >>> column = PermutedColumn.of(np.array([0, 0, 1, 1]), np.array([8, 12, 20, 20]))
    >>> workload_error(column, [np.array([0]), np.array([2]), np.array([0, 1])])
    WorkloadError(mean=0.16666666666666666, queries=3, left_out=0)
    """
    return mean_error([column.error(picked) for picked in queries])


def mean_error(errors: Sequence[float]) -> WorkloadError:
    """The mean of the errors that are known, and how many are not."""
    known = [error for error in errors if not np.isnan(error)]
    mean = float(np.mean(known)) if known else np.nan
    return WorkloadError(mean, len(errors), len(errors) - len(known))


# Queries


def arbitrary_queries(rows: int, share: float, count: int, seed: int) -> Iterator[Rows]:
    """Random sets of this share of the rows, one at least: what any disjunction of conditions may pick."""
    random = np.random.default_rng(seed)
    size = max(1, round(share * rows))
    for _ in range(count):
        yield random.choice(rows, size, replace=False, shuffle=False)


def range_queries(columns: Sequence[Column], share: float, count: int, seed: int) -> Iterator[Rows]:
    """``low <= column <= high`` of a column drawn at random, each range as likely as its place in the order.

    A range holds at least this share of the rows, and all rows that are equal to those at its ends.
    """
    random = np.random.default_rng(seed)
    orders = [np.argsort(column, kind="stable") for column in columns]
    ordered = [column[order] for column, order in zip(columns, orders, strict=True)]
    rows = len(columns[0])
    size = max(1, round(share * rows))
    for _ in range(count):
        drawn = random.integers(len(columns))
        start = random.integers(rows - size + 1)
        low, high = ordered[drawn][start], ordered[drawn][start + size - 1]
        first, last = np.searchsorted(ordered[drawn], low), np.searchsorted(ordered[drawn], high, "right")
        yield orders[drawn][first:last]


# The partition itself


def group_ranges(groups: Ints, values: Numbers) -> Numbers:
    """Largest less smallest value of every group: the worst error of a question about one person."""
    _, numbered = np.unique(groups, return_inverse=True)
    order = np.lexsort((values, numbered))
    sizes = np.bincount(numbered)
    ends = np.cumsum(sizes)
    return np.asarray(values[order][ends - 1] - values[order][ends - sizes])


def sum_of_error(groups: Ints, values: Numbers) -> float:
    """The sum of the groups' ranges.

    >>> groups, values = np.array([0, 0, 1, 1]), np.array([3, 1, 9, 4])
    >>> sum_of_error(groups, values), max_of_error(groups, values)
    (7.0, 5.0)
    """
    return float(_summable(group_ranges(groups, values)).sum())


def max_of_error(groups: Ints, values: Numbers) -> float:
    """The widest range of a group."""
    return float(group_ranges(groups, values).max(initial=0))


def _summable(values: Numbers) -> Numbers:
    """Whole numbers stay exact while no sum of them can leave 63 bits."""
    largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
    if values.dtype.kind == "i" and largest * max(len(values), 1) > np.iinfo(np.int64).max:
        return values.astype(np.float64)
    return values
