"""Columns of words in a release: a class shows the set of its words, or the word they share."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import QuasiMatrix
from shoal.arrays import Floats, Ints
from shoal.methods.ranges import Ranges
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ints_of
from shoal.table.columns.word_set import cell_of


@dataclass(frozen=True)
class ClassSets:
    """The label that every position shows, and how many words it stands for."""

    labels: tuple[str | None, ...]
    label_of: Ints
    sizes: Ints

    def to_arrow(self, positions: Ints) -> pa.Array:
        return pa.array(self.labels, pa.string()).take(arrow_from_numpy(self.label_of[positions]))

    @property
    def width(self) -> float:
        """The number of words by which all labels together say too much."""
        return float((self.sizes[self.label_of] - 1).sum())


def class_sets(ranges: Ranges, column: int, codes: Ints, words: tuple[str | None, ...]) -> ClassSets:
    """What each class publishes in a column of words; ``codes`` belong to the positions."""
    opened = ranges.low[:, column] < ranges.high[:, column]
    group = np.where(opened, ranges.class_of() + len(words), codes)  # alone, a word is a group of its own
    label_of = np.unique(group, return_inverse=True)[1]
    pairs = np.unique(np.column_stack([label_of, codes]), axis=0)
    members = np.split(pairs[:, 1], np.flatnonzero(np.diff(pairs[:, 0])) + 1)
    labels = tuple(cell_of([words[code] for code in codes_of.tolist()]) for codes_of in members)
    return ClassSets(labels, label_of.astype(np.int64), np.array([len(codes_of) for codes_of in members]))


def widths_with_sets(
    ranges: Ranges, quasi: QuasiMatrix, table: pa.Table
) -> tuple[Floats, int, dict[int, ClassSets]]:
    """Width per column, exact cells, and the sets of the columns of words; staged rows have their codes."""
    widths, exact = ranges.summary()
    sets = {
        column: class_sets(ranges, column, ints_of(table, quasi.names[column])[ranges.order], found.words)
        for column, found in quasi.categories.items()
    }
    for column, found_sets in sets.items():
        widths[column] = found_sets.width
    return widths, exact, sets
