"""Rare confidential values (Domingo-Ferrer, Sebé and Solanas, 2008), for searches: a group that contains one
has at least p different values, whose variance is at least r times that of the whole table.

The variance of values of any kind is half their mean distance, over all pairs (Rao, 1982). Every value is a
point on a few axes such that the squared distance of two points is the distance of the values, up to a factor
that a ratio of variances does not see: a number or a rank lies on one axis of the column, a word has an axis
of its own (distances 0 and 1), and a leaf of a tree one axis per level, that of the label above it (distances
by the level of the lowest label above both). Then the variance of n values z is
(n sum(|z|²) - |sum(z)|²) / n², and it follows from sums.

The union of two groups that pass passes too if both contain rare values: variance is concave. A group without
any may spoil it. All rows together pass if there are p different values and r is at most 1.

Searches add up in floats (``RareDemand``, ``GroupTally``); ``short_groups`` says exactly which groups fall
short.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.compiled import compiled

Marks = Bools
WIDE = 2**62


@dataclass(frozen=True)
class ConfidentialColumn:
    """One column: the value of every row, numbered from 0 on, on which axes each value lies and where."""

    codes: Ints
    axes: Ints  # value, axis: which
    places: Ints  # value, axis: where on it
    is_rare: Marks  # value
    p: int
    r: Fraction

    @classmethod
    def of_numbers(cls, codes: Ints, numbers: Ints, q: Fraction, p: int, r: Fraction) -> "ConfidentialColumn":
        """The number or rank of each value."""
        rare_ones = _rare_values(codes, len(numbers), q)
        return cls(codes, np.zeros((len(numbers), 1), np.int64), numbers[:, np.newaxis], rare_ones, p, r)

    @classmethod
    def of_labels(cls, codes: Ints, labels: Ints, q: Fraction, p: int, r: Fraction) -> "ConfidentialColumn":
        """A column by the labels of each value on all levels, numbered from 0 on; words without a tree have
        one level, themselves."""
        return cls(codes, labels, np.ones_like(labels), _rare_values(codes, len(labels), q), p, r)

    @property
    def height(self) -> int:
        """How many axes a value has."""
        return int(self.axes.shape[1])

    def _spreads(self, groups: Ints, rows: Ints) -> tuple[Any, Any]:
        """The size n and the spread n sum(|z|²) - |sum(z)|² of each group of these rows, numbered from 0
        on."""
        sizes = np.bincount(groups)
        codes = self.codes[rows]
        exact = _exact_type(self.places, len(rows))
        squares = _sums(groups, (self.places.astype(exact) ** 2).sum(axis=1)[codes])
        width = int(self.axes.max()) + 1
        pairs = groups[:, np.newaxis] * width + self.axes[codes]
        found, at = np.unique(pairs.ravel(), return_inverse=True)
        lengths = _sums(found // width, _sums(at, self.places.astype(exact)[codes].ravel()) ** 2)
        return sizes, sizes.astype(exact) * squares - lengths

    def variance(self) -> Fraction:
        """Of the whole table, up to the factor."""
        rows = np.arange(len(self.codes))
        (size,), (spread,) = self._spreads(np.zeros(len(rows), np.int64), rows)
        return Fraction(int(spread), int(size) ** 2)

    def short_groups(self, group_of: Ints) -> Ints:
        """The groups that contain rare values and fall short, exactly."""
        with_rare = np.zeros(int(group_of.max()) + 1, bool)
        with_rare[group_of[self.is_rare[self.codes]]] = True
        rows = np.flatnonzero(with_rare[group_of])
        if not len(rows):
            return rows
        numbers, groups = np.unique(group_of[rows], return_inverse=True)
        values = len(self.axes)
        different = np.bincount(np.unique(groups * values + self.codes[rows]) // values)
        sizes, spreads = self._spreads(groups, rows)
        least = self.r * self.variance()
        wide = sizes.astype(object)
        apart = spreads.astype(object) * least.denominator >= wide**2 * least.numerator
        return np.asarray(numbers[(different < self.p) | ~apart.astype(bool)])


def _rare_values(codes: Ints, values: int, q: Fraction) -> Marks:
    """Values whose share of all rows is below q."""
    counts = np.bincount(codes, minlength=values)
    return np.array([count < q * len(codes) for count in counts.tolist()], bool)


def _exact_type(places: Ints, rows: int) -> Any:
    """Whole numbers of 64 bits where no sum can be larger, else unbounded ones."""
    largest = max(abs(int(places.max())), abs(int(places.min())), 1)
    return np.int64 if (largest * rows) ** 2 * places.shape[1] < WIDE else object


def _sums(numbers: Ints, addends: Any) -> Any:
    """The sum of the addends of each number from 0 on, every one of which occurs."""
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    return np.add.reduceat(addends[order], starts)


def short_groups(columns: list[ConfidentialColumn], group_of: Ints) -> Ints:
    """The groups that fall short in any of the columns.

    >>> codes, numbers, half = np.array([0, 1, 0, 1]), np.array([1, 9]), Fraction(1, 2)
    >>> column = ConfidentialColumn.of_numbers(codes, numbers, q=Fraction(1), p=2, r=half)
    >>> short_groups([column], np.array([0, 0, 1, 2])).tolist()
    [1, 2]
    """
    none = np.zeros(0, np.int64)
    return np.unique(np.concatenate([none, *(column.short_groups(group_of) for column in columns)]))


class RareDemand(NamedTuple):
    """The columns side by side: values are numbered from 0 on through all of them, and so are axes."""

    codes: Any  # row, column
    is_rare: Any  # value
    axes: Any  # value, axis; those that a value does not need have places of 0
    places: Any  # value, axis
    different: Any  # column: how many values it takes
    least: Any  # column: the variance that they need


def rare_demand(columns: list[ConfidentialColumn], rows: int, slack: float = 0.0) -> RareDemand:
    """What groups of so many rows have to keep; nothing if there are no columns. Variances may fall short by
    a share of ``slack``; a negative one asks for more."""
    height = max((column.height for column in columns), default=1)
    values = np.cumsum([0, *(len(column.axes) for column in columns)])
    firsts = np.cumsum([0, *(int(column.axes.max()) + 1 for column in columns)])
    axes, places = np.zeros((values[-1], height), np.int64), np.zeros((values[-1], height))
    for at, column in enumerate(columns):
        part = slice(values[at], values[at + 1])
        axes[part] = firsts[at]
        axes[part, : column.height] += column.axes
        places[part, : column.height] = _from_middle(column)
    return RareDemand(
        np.ascontiguousarray(
            np.array([column.codes + values[at] for at, column in enumerate(columns)], np.int64)
            .reshape(-1, rows)
            .T
        ),
        np.concatenate([np.zeros(0, bool), *(column.is_rare for column in columns)]),
        axes,
        places,
        np.array([column.p for column in columns], np.int64),
        np.array([float(column.r * column.variance()) * (1 - slack) for column in columns]),
    )


def _from_middle(column: ConfidentialColumn) -> Floats:
    """Numbers on one axis as differences from one of them, whose sums are small, also where they span more
    than 63 bits. Axes of labels have no middle."""
    if int(column.axes.max()) > 0:
        return column.places.astype(np.float64)
    middle = int(np.sort(column.places[:, 0])[len(column.places) // 2])
    apart = column.places - middle
    wrapped = (apart < 0) != (column.places < middle)
    return np.where(wrapped, column.places - float(middle), apart)


class GroupTally(NamedTuple):
    """The values of one group, row by row. What bears another stamp belongs to an earlier group."""

    stamp: Any  # this group's
    size: Any  # rows so far
    value_stamps: Any  # value: the stamp of the last group that had it
    axis_stamps: Any  # axis: the same
    sums: Any  # axis
    has_rare: Any  # column
    different: Any  # column
    squares: Any  # column: sum(|z|²)
    lengths: Any  # column: |sum(z)|²


def empty_tally(asked: RareDemand) -> GroupTally:
    """The tally of a group without rows."""
    columns, axes = len(asked.different), int(asked.axes.max(initial=0)) + 1
    return GroupTally(
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(len(asked.is_rare), np.int64),
        np.zeros(axes, np.int64),
        np.zeros(axes),
        np.zeros(columns, np.bool_),
        np.zeros(columns, np.int64),
        np.zeros(columns),
        np.zeros(columns),
    )


@compiled
def begin_group(counted: Any) -> None:
    """Another group."""
    counted.stamp[0] += 1
    counted.size[0] = 0
    counted.has_rare[:] = False
    counted.different[:] = 0
    counted.squares[:] = 0.0
    counted.lengths[:] = 0.0


@compiled
def count_row(asked: Any, counted: Any, row: int) -> None:
    """One more row."""
    stamp = counted.stamp[0]
    counted.size[0] += 1
    for column in range(len(asked.different)):
        value = asked.codes[row, column]
        if counted.value_stamps[value] != stamp:
            counted.value_stamps[value] = stamp
            counted.different[column] += 1
            counted.has_rare[column] |= asked.is_rare[value]
        for at in range(asked.axes.shape[1]):
            axis, place = asked.axes[value, at], asked.places[value, at]
            if counted.axis_stamps[axis] != stamp:
                counted.axis_stamps[axis] = stamp
                counted.sums[axis] = 0.0
            counted.squares[column] += place * place
            counted.lengths[column] += (2 * counted.sums[axis] + place) * place
            counted.sums[axis] += place


@compiled
def variance(counted: Any, column: int) -> float:
    """The variance of the whole table, up to the factor."""
    size = counted.size[0]
    return float((size * counted.squares[column] - counted.lengths[column]) / (size * size))


@compiled
def satisfies_demand(asked: Any, counted: Any) -> bool:
    """Does the group keep what is asked?"""
    for column in range(len(asked.different)):
        if counted.has_rare[column] and (
            counted.different[column] < asked.different[column]
            or variance(counted, column) < asked.least[column]
        ):
            return False
    return True
