"""Which published cells contain which original values, column by column.

A column of numbers is a range per published record and a point per original one, in the same units; a column
of words is a label per published record, a word per original one, and a table of which label admits which.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools, Ints, SmallInts
from shoal.errors import ShoalError
from shoal.hierarchy.hierarchy import TOP
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.same_value import value_of
from shoal.verify.aggregate.image import Image, on_common_unit
from shoal.verify.cells.published_table import BadCells, Cells, PublishedTable
from shoal.verify.cells.word_cells import values_of_cell
from shoal.verify.truth.originals import original_words

LeavesByLabel = dict[str | None, set[str | None]]


def shows_numbers(
    published: PublishedTable,
    original: PublishedTable,
    policy: Policy,
    name: str,
    below: LeavesByLabel | None,
) -> bool:
    """Numbers and ranges of them? With a hierarchy, only if they are not all labels of it: some methods
    leave hierarchies aside."""
    if policy.of_words(name):
        return False
    if below is None:
        return original.table.mostly_numbers(name)
    if pa.types.is_struct(published.table.column(name).type):
        return True
    if all(label in below for label in published.table.words(name).words):
        return False
    try:
        published.cells(name)
    except BadCells:
        return False
    return original.table.mostly_numbers(name)


@dataclass(frozen=True)
class NumberContainment:
    """One quasi column: published ranges and original values in the same units."""

    low: Ints
    high: Ints
    points: Ints


def on_one_scale(published: PublishedTable, original: PublishedTable, name: str) -> NumberContainment:
    """Published ranges beside original numbers in the same units; a suppressed cell reaches everywhere."""
    cells, truth = cells_of(published, name), cells_of(original, name)
    ranges, values = on_common_unit(_image(cells), _image(truth))
    low, high, points = ranges.low, ranges.high, values.low
    if object in (low.dtype, points.dtype):  # beyond 64 bits: ranks compare alike
        ranks = np.unique(np.concatenate([low, high, points]), return_inverse=True)[1]
        low, high, points = np.split(ranks, [len(low), 2 * len(low)])
    if cells.suppressed.any():
        low = np.where(cells.suppressed, np.iinfo(np.int64).min, low)
        high = np.where(cells.suppressed, np.iinfo(np.int64).max, high)
    return NumberContainment(low, high, points)


def _image(cells: Cells) -> Image:
    return Image(cells.low, cells.high, Fraction(1, 10**cells.scale))


def cells_of(published: PublishedTable, name: str) -> Cells:
    """The cells of a published column as numbers; cells that are none are a fault."""
    try:
        return published.cells(name)
    except BadCells as error:
        raise ShoalError([error.fault]) from None


@dataclass(frozen=True)
class WordContainment:
    """One quasi column of labels: which words each label stands for, as a table of truth."""

    labels: SmallInts  # of every published record
    words: SmallInts  # of every original one
    admits: Bools  # label, word

    @classmethod
    def of(
        cls,
        published: PublishedTable,
        original: PublishedTable,
        policy: Policy,
        name: str,
        below: LeavesByLabel,
    ) -> "WordContainment":
        cells, truth = published.table.words(name), original_words(original, policy, name)
        admits = np.zeros((len(cells.words), len(truth.words)), bool)
        for at, label in enumerate(cells.words):
            words = below.get(label) or values_of_cell(label)
            admits[at] = [words is None or word in words for word in truth.words]
        return cls(cells.codes, truth.codes, admits)

    def side(self) -> "NumberContainment":
        """The first and the last word that each label admits, as a range, which may be too much."""
        first = self.admits.argmax(axis=1)
        last = self.admits.shape[1] - 1 - self.admits[:, ::-1].argmax(axis=1)
        last[~self.admits.any(axis=1)] = -1  # nothing fits
        return NumberContainment(first[self.labels], last[self.labels], self.words.astype(np.int64))


def leaves_below(original: PublishedTable, policy: Policy, name: str) -> LeavesByLabel:
    """The original words that each label of a column stands for."""
    return leaves_by_label(original_words(original, policy, name), policy, name)


def leaves_by_label(words: Categories, policy: Policy, name: str) -> LeavesByLabel:
    """What each label of a hierarchy stands for; the same label of several levels for the most. A manifest
    does not name what lies under a label: there it may be any word that is not shown itself."""
    if (shown := policy.hierarchies[name].shown) is not None:
        every, leaves = set(words.words), set(map(value_of, shown.leaf_names))
        names = set(map(value_of, shown.names))
        told: LeavesByLabel = {label: {label} if label in leaves else every - leaves for label in names}
        return {**told, TOP: every}
    try:
        return policy.hierarchies[name].over(words, name).leaves_by_label
    except ShoalError:  # a rule that these values have no labels under, so none was published
        return {}
