"""What the quasi columns of an original and of its release hold, batch by batch: how they are read, left-out
rows included, and which of them show labels; joined, it is what truth has to know of the whole columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import calendar_days
from shoal.table.columns.mostly_numbers import mostly_numbers
from shoal.table.columns.numbers import CODES, NotNumeric, is_text, numbers_from_arrow
from shoal.table.table import Table
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.column_format import ColumnTraits
from shoal.verify.cells.column_traits import (
    FormatsByColumn,
    TraitsByColumn,
    batch_traits,
    column_traits,
    join_traits,
)
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.containment import LeavesByLabel, leaves_by_label
from shoal.verify.truth.originals import original_words
from shoal.verify.truth.truth_measures import TruthColumn


@dataclass(frozen=True)
class OriginalColumn:
    """A quasi column of the original: how many cells are there, how many are no numbers (or codes), whether
    all are days, how it is read, and its words if it has a hierarchy."""

    there: int
    words: int
    codes: bool
    days: bool
    reading: ColumnTraits
    distinct: CellCounts | None
    below: list[LeavesByLabel] = field(default_factory=list, repr=False, compare=False)

    def joined(self, other: "OriginalColumn") -> "OriginalColumn":
        return OriginalColumn(
            self.there + other.there,
            self.words + other.words,
            self.codes or other.codes,
            self.days and other.days,
            self.reading.joined(other.reading),
            self.distinct and other.distinct and self.distinct.joined(other.distinct),
        )

    @property
    def mostly_numbers(self) -> bool:
        """Are more than half of the cells numbers?"""
        return mostly_numbers(self.there, self.words, text=self.reading.text, codes=self.codes)

    @property
    def largest(self) -> int:
        """The largest number, in units."""
        unit = Fraction(1, 10 ** self.reading.way("").scale)
        return max(round(abs(end) / unit) for end in (self.reading.low, self.reading.high))


OriginalTraits = Mapping[str, OriginalColumn]


def original_traits(batch: Table, policy: Policy) -> OriginalTraits:
    """What the quasi columns of a batch of the original hold."""
    return {name: _original_column(batch, policy, name) for name in policy.having("quasi")}


def join_original_traits(one: OriginalTraits, two: OriginalTraits) -> OriginalTraits:
    """What two batches of the original hold together, column by column."""
    return {name: given.joined(two[name]) for name, given in one.items()}


def _original_column(batch: Table, policy: Policy, name: str) -> OriginalColumn:
    column = batch.column(name)
    there, words, codes = len(batch) - column.null_count, 0, False
    if is_text(column.type):
        blank = pc.sum(pc.equal(pc.utf8_trim_whitespace(column), "")).as_py() or 0
        there -= blank
    try:
        numbers_from_arrow(column)
    except NotNumeric as error:
        codes = error.reason == CODES
        words = 0 if codes else len(error.rows)
    if policy.of_words(name):
        codes, words = True, 0
    distinct = CellCounts.of(PublishedTable(batch), name) if name in policy.hierarchies else None
    days = calendar_days(column) is not None or there == 0
    return OriginalColumn(there, words, codes, days, column_traits(batch, name), distinct)


def _below(original: OriginalTraits, policy: Policy, name: str) -> LeavesByLabel | None:
    """What each label of the column's hierarchy stands for; found once, whoever asks."""
    given = original[name]
    if given.distinct is None:
        return None
    if not given.below:
        table = Table(pa.table({name: given.distinct.cells}), counts=given.distinct.counts)
        words = original_words(PublishedTable(table), policy, name)
        given.below.append(leaves_by_label(words, policy, name))
    return given.below[0]


@dataclass(frozen=True)
class PublishedColumns:
    """How the columns of the release are read, and those in which every cell is a label of a hierarchy."""

    readings: TraitsByColumn
    labels: frozenset[str]

    def joined(self, other: "PublishedColumns") -> "PublishedColumns":
        return PublishedColumns(join_traits(self.readings, other.readings), self.labels & other.labels)


def published_columns(batch: Table, policy: Policy, original: OriginalTraits) -> PublishedColumns:
    """What a batch of the release holds, and in which columns every cell is a label."""
    labels = []
    for name in policy.having("quasi"):
        below = _below(original, policy, name)
        if below is None or pa.types.is_struct(batch.column(name).type):
            continue
        if all(label in below for label in batch.words(name).words):
            labels.append(name)
    return PublishedColumns(batch_traits(batch, policy), frozenset(labels))


def truth_columns(
    original: OriginalTraits, shown: PublishedColumns, ways: FormatsByColumn, kinds: pa.Schema, policy: Policy
) -> dict[str, TruthColumn]:
    """What truth has to know of the whole columns; ``kinds`` are the types of the release, ``ways`` how it is
    read."""
    found = {}
    for name, given in original.items():
        numbers = given.mostly_numbers
        shows_numbers = numbers
        if given.distinct is not None and pa.types.is_struct(kinds.field(name).type):
            shows_numbers = True
        elif given.distinct is not None:
            shows_numbers = numbers and name not in shown.labels and ways[name].numbers
        days = not numbers and given.days and given.there > 0
        largest = given.largest if numbers else None
        found[name] = TruthColumn(numbers, days, shows_numbers, largest, _below(original, policy, name))
    return found
