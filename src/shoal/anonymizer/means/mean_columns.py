"""Quasi columns for microaggregation: where records lie, what a class shows, and how far it spreads.

Numbers and dates lie on a line and show their mean. Words with an order lie on a line by their rank and show
their median, the lower of two. Other words lie all alike apart, or by the hierarchy that the policy gives
them, and show their mode, the first of equally frequent ones.

Each column is put onto axes such that squared distances of points are distances of values (numbers: the
squared difference, ranks too; words: 0 or 1, or the level of the lowest label above both) and divided by its
standard deviation, which for words is that of half the mean distance (Rao, 1982). So every column weighs the
same, and two words weigh as much as the numbers 0 and 1 in their place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import declared_ends
from shoal.arrays import Bools, Floats, Ints
from shoal.errors import Infeasible
from shoal.methods.means.split_means import split_means
from shoal.methods.means.whole_means import bounded_means, floors_of, nearest_means
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dates import days_to_arrow
from shoal.table.columns.numbers import LARGEST_FLOAT_UNITS, LARGEST_SCALE, is_text, units_to_arrow
from shoal.table.columns.word_set import cell_of

MOST_DIGITS = 38  # of a decimal in Arrow
MOST_CELLS = 150_000_000  # coordinates of all records, 8 bytes each


@dataclass(frozen=True)
class MeanCells:
    """What each class shows in a column: a number for the same cell, where it lies, and the cell itself."""

    numbers: Ints
    places: Ints | Floats  # in units of the column, or the code of a word
    cells: pa.Array
    moved: bool = False  # some means lie more than a unit of their last decimal beside the true ones


@dataclass(frozen=True)
class LineColumn:
    """Numbers, or dates as days. ``kind`` is the column's own type; ``limits`` are the smallest and the
    largest number of the whole table where there are more rows than these."""

    name: str
    units: Ints
    scale: int
    is_date: bool
    kind: pa.DataType
    limits: tuple[int, int] | None = None

    @property
    def places(self) -> Ints:
        return self.units

    def axes(self, places: Ints | Floats) -> Iterator[Floats]:
        """Distances from a whole number in the middle: what floats cannot hold any more still differs."""
        middle = (int(self.units.min()) + int(self.units.max()) + 1) // 2
        yield (places - middle).astype(np.float64)

    def mean_cells(self, group_of: Ints, policy: Policy) -> MeanCells | None:
        """The mean of every class; None if the total cannot be kept with classes of these sizes."""
        if policy.keeps_total(self.name):
            means = split_means(self.units, group_of)
            if means is None:
                means = bounded_means(self.units, group_of)
            if means is None:
                return None
            return replace(self._as_before(means), moved=bool(self._far(means, group_of).any()))
        if self.is_date or policy.method.options.get("keep_decimals"):
            return self._as_before(nearest_means(self.units, group_of))
        scale = max(_float_scale(self._ends, self.scale), self.scale)
        means = nearest_means(self.units, group_of, scale - self.scale)
        small = self._largest(means, scale) < LARGEST_FLOAT_UNITS
        cells = _floats(means, scale) if small else units_to_arrow(means, scale)
        places = means if scale == self.scale else means / 10.0 ** (scale - self.scale)
        return MeanCells(means, places, cells)

    def _largest(self, means: Ints, scale: int) -> int:
        """The largest of all means on this scale, or what they may be in the whole table."""
        if self.limits is None:
            return int(np.abs(means).max())
        return int(max(map(abs, self.limits)) * 10 ** (scale - self.scale))

    def _far(self, means: Ints, group_of: Ints) -> Bools:
        """Which means lie more than a unit from the true ones?"""
        floors, rests, _ = floors_of(self.units, group_of, len(means))
        return np.asarray((means < floors + (rests > 0) - 1) | (floors + 1 < means))

    def _as_before(self, units: Ints) -> MeanCells:
        return MeanCells(units, units, self._own_cells(units))

    def _own_cells(self, units: Ints) -> pa.Array:
        """Cells of the column's own type; numbers and dates that came as text are written as such."""
        if self.is_date:
            return days_to_arrow(units, self.kind)
        if pa.types.is_floating(self.kind):
            return _floats(units, self.scale).cast(self.kind)
        cells = units_to_arrow(units, self.scale)
        if pa.types.is_decimal(self.kind):
            cells = cells.cast(pa.decimal128(MOST_DIGITS, self.scale))
        return cells if is_text(self.kind) else cells.cast(self.kind)

    def spreads(self, _: Ints, order: Ints, starts: Ints) -> Floats:
        """The width of every class, from its smallest to its largest value."""
        ordered = self.units[order]
        highest, lowest = (end.reduceat(ordered, starts) for end in (np.maximum, np.minimum))
        return np.asarray((highest.view(np.uint64) - lowest.view(np.uint64)) / 10.0**self.scale)

    def ends(self, policy: Policy) -> tuple[float, float]:
        """The declared limits, else the smallest and the largest value."""
        smallest, largest = (float(end) / 10**self.scale for end in self._ends)
        return declared_ends(policy, self.name, smallest, largest)

    def span(self, policy: Policy) -> float:
        low, high = self.ends(policy)
        return high - low or 1.0

    @property
    def _ends(self) -> tuple[int, int]:
        return self.limits or (int(self.units.min()), int(self.units.max()))


def _floats(units: Ints, scale: int) -> pa.Array:
    """The floats that are nearest, which Arrow's own cast does not always give."""
    return arrow_from_numpy(units / 10.0**scale)


def _float_scale(ends: tuple[int, int], scale: int) -> int:
    """The finest grid of fifteen digits for numbers of this size: what a float holds."""
    largest = max(*map(abs, ends), 1)
    digits = len(str(largest * 10 ** max(-scale, 0)))
    return min(scale + len(str(LARGEST_FLOAT_UNITS)) - 1 - digits, LARGEST_SCALE)


@dataclass(frozen=True)
class CategoryColumn:
    """Words, by their rank if they have an order, else by their labels on every level (``labels[word]``)."""

    name: str
    codes: Ints
    words: tuple[str | None, ...]
    labels: Ints | None = None

    @property
    def places(self) -> Ints:
        return self.codes

    def axes(self, places: Ints | Floats) -> Iterator[Floats]:
        if self.labels is None:
            yield np.asarray(places - np.float64(self.codes.mean()))
            return
        there, codes = np.unique(self.codes), places.astype(np.int64)
        for at in range(self.labels.shape[1]):
            here = self.labels[codes, at]
            for branch in np.unique(self.labels[there, at]):
                yield (here == branch) / np.sqrt(2.0 * self.labels.shape[1])

    def mean_cells(self, group_of: Ints, _: Policy) -> MeanCells:
        found = self._medians(group_of) if self.labels is None else self._modes(group_of)
        words = pa.array([cell_of([word]) for word in self.words], pa.string())
        return MeanCells(found, found, words.take(arrow_from_numpy(found)))

    def _medians(self, group_of: Ints) -> Ints:
        order = np.lexsort([self.codes, group_of])
        sizes = np.bincount(group_of)
        return np.asarray(self.codes[order][np.cumsum(sizes) - sizes + (sizes - 1) // 2])

    def _modes(self, group_of: Ints) -> Ints:
        pairs, counts = np.unique(group_of * len(self.words) + self.codes, return_counts=True)
        groups, codes = np.divmod(pairs, len(self.words))
        best = np.lexsort([codes, -counts, groups])
        return np.asarray(codes[best[np.flatnonzero(np.diff(groups[best], prepend=-1))]])

    def spreads(self, group_of: Ints, order: Ints, starts: Ints) -> Floats:
        """The width of every class: ranks from its first to its last word, or one less than its words."""
        if self.labels is None:
            ordered = self.codes[order]
            return np.asarray(
                np.maximum.reduceat(ordered, starts) - np.minimum.reduceat(ordered, starts), float
            )
        pairs = np.unique(group_of * len(self.words) + self.codes)
        return np.bincount(pairs // len(self.words)).astype(np.float64) - 1

    def span(self, _: Policy) -> float:
        return float(max(len(self.words) - 1, 1))


AxisColumn = LineColumn | CategoryColumn


@dataclass(frozen=True)
class MeanColumns:
    """The quasi columns of the records that stay. ``variances`` are those of the whole table where there are
    more records than these."""

    columns: list[AxisColumn]
    input_rows: Ints
    notes: tuple[str, ...]
    variances: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.input_rows)

    def points(self, policy: Policy, shown: list[MeanCells] | None = None) -> Floats:
        """Every record on all axes, or what every class shows; each column divided by its standard deviation
        and weighted as the policy says. A column in which all are equal has no axes."""
        axes: list[Floats] = []
        sample = policy.method.options.get("standardize") == "sample"
        rows = len(self) - 1 if sample else len(self)
        for at, column in enumerate(self.columns):
            own = list(column.axes(column.places))
            if (len(axes) + len(own)) * len(self) > MOST_CELLS:
                raise _too_wide(column.name, len(own))
            weight = policy.method.weights.get(column.name, 1.0)
            if weight > 0 and any(axis.min() < axis.max() for axis in own):
                variance = sum(float(((axis - axis.mean()) ** 2).sum()) for axis in own) / rows
                variance = variance if self.variances is None else self.variances[at]
                told = own if shown is None else column.axes(shown[at].places)
                axes += [axis * np.sqrt(weight / variance) for axis in told]
        several = len(self) if shown is None else len(shown[0].numbers)
        return np.column_stack(axes) if axes else np.zeros((several, 1))


def _too_wide(name: str, values: int) -> Infeasible:
    return Infeasible(
        f"column {name!r} has {values:,} different words, too many to measure distances in so many records",
        "group them first, give the column another role, or use a method that publishes labels (cluster).",
    )
