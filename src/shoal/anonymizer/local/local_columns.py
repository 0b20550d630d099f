"""Quasi columns for local recoding: what a class shows in each, and what that loses.

Leaves of a hierarchy are numbered so that the leaves under every label stand together; only those that occur
count. The lowest label over a class is then the lowest one over its first and its last leaf.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import declared_ends
from shoal.arrays import Floats, Ints, SmallInts
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.kernels.codes import dense_codes
from shoal.methods.boxes.common_cell import LABEL, RANGE, SET, CellForm, Costs
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbers import units_to_arrow
from shoal.table.columns.word_set import cell_of

Label = tuple[int, str | None]  # of which level it is, and its text


@dataclass(frozen=True)
class LocalCells:
    """What every position shows: a code for the same cell, the cells, and the loss of all together."""

    codes: Ints
    cells: pa.Array  # by code
    loss: float

    @classmethod
    def of_texts(cls, texts: list[str | None], losses: Floats, sizes: Ints) -> "LocalCells":
        """Cells from the text and the loss of every class."""
        codes: dict[str | None, int] = {}
        of_class = np.array([codes.setdefault(text, len(codes)) for text in texts], np.int64)
        return cls(np.repeat(of_class, sizes), pa.array(list(codes), pa.string()), float(losses @ sizes))

    def to_arrow(self) -> pa.Array:
        """The cells of all positions, text by its codes."""
        if pa.types.is_string(self.cells.type) and not self.cells.null_count:
            return pa.DictionaryArray.from_arrays(arrow_from_numpy(self.codes.astype(np.int32)), self.cells)
        return self.cells.take(arrow_from_numpy(self.codes))


@dataclass(frozen=True)
class LocalNumbers:
    """Numbers, published as ranges."""

    name: str
    scale: int
    smallest: int
    largest: int

    def ends(self, policy: Policy) -> tuple[float, float]:
        """The declared limits, else the smallest and the largest value."""
        unit = 10**self.scale
        return declared_ends(policy, self.name, self.smallest / unit, self.largest / unit)

    def span(self, policy: Policy) -> float:
        low, high = self.ends(policy)
        return high - low or 1.0

    def method_column(self, weight: float, span: float) -> CellForm:
        return CellForm(RANGE, weight / (span * 10**self.scale))

    def cells(self, ranges: Ranges, at: int, _: Ints, policy: Policy) -> LocalCells:
        low, high = (ends[ranges.starts[:-1], at] for ends in (ranges.low, ranges.high))
        codes = dense_codes([np.unique(ends, return_inverse=True)[1] for ends in (low, high)])
        first = np.unique(codes, return_index=True)[1]
        ends = [units_to_arrow(side[first], self.scale) for side in (low, high)]
        sizes = np.diff(ranges.starts)
        widths = (high.astype(np.float64) - low) / 10**self.scale / self.span(policy)
        shown = pa.StructArray.from_arrays(ends, names=["lo", "hi"])
        return LocalCells(np.repeat(codes, sizes), shown, float(widths @ sizes))


@dataclass(frozen=True)
class LocalWords:
    """Leaves of a hierarchy, published as labels, or as sets. ``leaves`` are those that occur, in order."""

    name: str
    hierarchy: Hierarchy
    leaves: Ints
    as_sets: bool
    lowest: int = 0  # level that is shown

    @cached_property
    def words(self) -> list[str | None]:
        return [self.hierarchy.leaves[leaf] for leaf in self.leaves.tolist()]

    def method_column(self, weight: float) -> CellForm:
        if self.as_sets:
            return CellForm(SET, weight / max(len(self.leaves) - 1, 1))
        right = self.leaves[1:]
        steps = np.zeros(len(right))
        heights = self._heights(self.leaves[:-1], right)
        for height in np.unique(heights):
            here = heights == height
            groups = self.hierarchy.levels[height].group_of[right[here]]
            steps[here] = self.hierarchy.losses(height)[groups]
        return CellForm(LABEL, weight, steps)

    def _heights(self, first: Ints, last: Ints) -> Ints:
        """The lowest level that may be shown at which two leaves have the same label."""
        apart = [level.group_of[first] != level.group_of[last] for level in self.hierarchy.levels]
        return np.asarray(np.maximum(np.sum(apart, axis=0), self.lowest), np.int64)

    def cells(self, ranges: Ranges, at: int, values: Ints, _: Policy) -> LocalCells:
        if self.as_sets:
            return LocalCells.of_texts(*self._sets(ranges, values[ranges.order, at]), np.diff(ranges.starts))
        return self.label_cells(*self.labels(ranges, at), np.diff(ranges.starts))

    def labels(self, ranges: Ranges, at: int) -> tuple[list[Label], Ints]:
        """The lowest labels over classes, and which of them each class has."""
        low, high = (ends[ranges.starts[:-1], at] for ends in (ranges.low, ranges.high))
        pairs, pair_of = np.unique(low * len(self.leaves) + high, return_inverse=True)
        first, last = self.leaves[pairs // len(self.leaves)], self.leaves[pairs % len(self.leaves)]
        heights = self._heights(first, last).tolist()
        codes: dict[Label, int] = {}
        of_pair = [codes.setdefault((height, self._text(height, leaf)), len(codes))
                   for height, leaf in zip(heights, first.tolist(), strict=True)]  # fmt: skip
        return list(codes), np.array(of_pair, np.int64)[pair_of]

    def label_cells(self, labels: list[Label], label_of: Ints, sizes: Ints) -> LocalCells:
        """What classes with these labels show; a text counts for all it may stand for."""
        texts = [cell_of([text]) if height == 0 else text for height, text in labels]
        below = np.array([self._below.get(text, 1) for text in texts])
        losses = (below - 1) / max(len(self.hierarchy.leaves) - 1, 1)
        return LocalCells.of_texts([texts[at] for at in label_of.tolist()], losses[label_of], sizes)

    def _text(self, height: int, leaf: int) -> str | None:
        level = self.hierarchy.levels[height]
        return level.labels[int(level.group_of[leaf])]

    def ends(self) -> dict[Label, tuple[int, int]]:
        """The first and the last place under every label."""
        found: dict[Label, tuple[int, int]] = {}
        for height, level in enumerate(self.hierarchy.levels):
            groups = level.group_of[self.leaves]
            starts = np.flatnonzero(np.diff(groups, prepend=-1))
            lasts = np.append(starts, len(groups))[1:] - 1
            for start, last in zip(starts.tolist(), lasts.tolist(), strict=True):
                found[height, level.labels[int(groups[start])]] = start, last
        return found

    @cached_property
    def _below(self) -> dict[str | None, int]:
        """How many leaves each text stands for, on whichever levels it is a label."""
        found: dict[str | None, set[int]] = {}
        for level in self.hierarchy.levels:
            for leaf, group in enumerate(level.group_of.tolist()):
                found.setdefault(level.labels[group], set()).add(leaf)
        return {text: len(leaves) for text, leaves in found.items()}

    def _sets(self, ranges: Ranges, places: Ints) -> tuple[list[str | None], Floats]:
        """The words of every class, and by what share of all words they are too many."""
        found = np.unique(ranges.class_of() * len(self.leaves) + places)
        of_class, words = found // len(self.leaves), found % len(self.leaves)
        ends = np.append(0, np.cumsum(np.bincount(of_class, minlength=ranges.classes)))
        alone = [cell_of([word]) for word in self.words]
        texts = [
            alone[words[begin]]
            if end == begin + 1
            else cell_of([self.words[word] for word in words[begin:end].tolist()])
            for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
        ]
        return texts, (np.diff(ends) - 1) / max(len(self.leaves) - 1, 1)


@dataclass(frozen=True)
class LocalColumns:
    """The quasi columns as methods see them, one row per record that stays."""

    columns: list[LocalNumbers | LocalWords]
    values: Ints
    notes: tuple[str, ...]

    def numbers_alone(self) -> list[LocalNumbers]:
        """The columns, if all of them are numbers: then they have a common domain."""
        numbers = [column for column in self.columns if isinstance(column, LocalNumbers)]
        return numbers if len(numbers) == len(self.columns) else []

    def common_span(self, policy: Policy) -> float:
        ends = [column.ends(policy) for column in self.numbers_alone()]
        return max(high for _, high in ends) - min(low for low, _ in ends) or 1.0

    def costs(self, policy: Policy) -> Costs:
        """What cells cost, by the policy's weights, which are 1 on average."""
        weights = np.array([policy.method.weights.get(column.name, 1.0) for column in self.columns])
        weights = weights / (weights.mean() or 1.0)
        common = policy.method.objective != "ncp_range" and self.numbers_alone()
        span = self.common_span(policy) if common else None
        return Costs(
            [
                column.method_column(weight, span or column.span(policy))
                if isinstance(column, LocalNumbers)
                else column.method_column(weight)
                for column, weight in zip(self.columns, weights.tolist(), strict=True)
            ]
        )


def shown_as_sets(policy: Policy, name: str) -> bool:
    return policy.method.options.get("cells") == "sets" or name not in policy.hierarchies


def local_words(
    name: str, hierarchy: Hierarchy, leaves: SmallInts, as_sets: bool, lowest: int = 0
) -> tuple[LocalWords, Ints]:
    """A column of these leaves, and the place of each among those that occur."""
    places = _places(hierarchy)
    occurring, found = np.unique(places[leaves], return_inverse=True)
    column = LocalWords(name, hierarchy, np.argsort(places)[occurring], as_sets, lowest)
    return column, found.astype(np.int64)


def _places(hierarchy: Hierarchy) -> Ints:
    """The place of every leaf in an order in which the leaves under each label stand together."""
    order = np.lexsort([level.group_of for level in hierarchy.levels])
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places
