"""Truth with the owner's link, part by part: a published row beside the original row it was made from.

1. ``original_traits`` every batch of the original, joined: how its columns are read, left-out rows included;
2. ``published_columns`` every batch of the release, joined: how its columns are read, and which of them show
labels; 3. ``measure_truth`` of every part, joined: published rows and their originals, in the same order; 4.
``verdict_from_truth_measure``.

Parts are those of ``truth_attacker``: groups or classes lie whole in them where these are compared with their
people. ``once`` marks the rows whose original was not published before: only who sees all rows of an original
together can tell.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import calendar_days
from shoal.table.columns.numbers import CODES, NotNumeric, Numbers, is_text, numbers_from_arrow
from shoal.table.table import Table
from shoal.verify.attackers import Attacker, attackers, classes_of
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.column_format import ColumnTraits
from shoal.verify.cells.column_traits import (
    TraitsByColumn,
    batch_traits,
    column_formats,
    column_traits,
    join_traits,
)
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.class_means import ClassMeans
from shoal.verify.truth.class_words import ClassWords
from shoal.verify.truth.containment import LeavesByLabel, WordContainment, leaves_by_label, on_one_scale
from shoal.verify.truth.mean_truth import ClassColumns, verdict_of_mean_truth, wrong_records
from shoal.verify.truth.originals import changed_columns, original_words
from shoal.verify.truth.permutation_truth import (
    columns_with_other_values,
    count_unlike_original,
    verdict_of_permutation_truth,
)
from shoal.verify.truth.truth import truth_of_records, verdict_of_truth
from shoal.verify.verdict import Verdict


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
        """As ``Table.mostly_numbers``: are more than half of the cells numbers?"""
        if self.words:
            return 2 * self.words < self.there
        return not self.codes and (self.there > 0 or not self.reading.text)

    @property
    def largest(self) -> int:
        """The largest number, in units."""
        unit = Fraction(1, 10 ** self.reading.way("").scale)
        return max(round(abs(end) / unit) for end in (self.reading.low, self.reading.high))


OriginalTraits = Mapping[str, OriginalColumn]


def original_traits(batch: Table, policy: Policy) -> OriginalTraits:
    return {name: _given(batch, policy, name) for name in policy.having("quasi")}


def join_original_traits(one: OriginalTraits, two: OriginalTraits) -> OriginalTraits:
    return {name: given.joined(two[name]) for name, given in one.items()}


def _given(batch: Table, policy: Policy, name: str) -> OriginalColumn:
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
    labels = []
    for name in policy.having("quasi"):
        below = _below(original, policy, name)
        if below is None or pa.types.is_struct(batch.column(name).type):
            continue
        if all(label in below for label in batch.words(name).words):
            labels.append(name)
    return PublishedColumns(batch_traits(batch, policy), frozenset(labels))


@dataclass(frozen=True)
class TruthMeasure:
    """Records that are untrue, columns that differ, and how far the totals of means are off and may be for
    each record; ``repeated`` are records whose original was published before."""

    records: int
    untrue: int
    repeated: int
    changed: frozenset[str]
    excess: Mapping[str, tuple[Fraction, Fraction]]

    def joined(self, other: "TruthMeasure") -> "TruthMeasure":
        return TruthMeasure(
            self.records + other.records,
            self.untrue + other.untrue,
            self.repeated + other.repeated,
            self.changed | other.changed,
            {name: (off + other.excess[name][0], may) for name, (off, may) in self.excess.items()},
        )


def truth_attacker(policy: Policy) -> Attacker | None:
    """Whose classes have to lie whole in a part; None if any parts will do."""
    if policy.permutes:
        return attackers(policy)[0]
    return KAnonymity(k=2) if policy.averages else None


def measure_truth(
    published: Table,
    original: Table,
    policy: Policy,
    given: OriginalTraits,
    shown: PublishedColumns,
    once: Bools,
) -> TruthMeasure:
    """Of published rows and, in the same order, the original rows they were made from."""
    told = PublishedTable(published, column_formats(shown.readings))
    true = PublishedTable(original, column_formats({name: one.reading for name, one in given.items()}))
    if policy.permutes:
        return _permuted(told, true, policy, once)
    changed = frozenset(changed_columns(told, true, policy, np.arange(len(told))))
    if policy.averages:
        return _averaged(told, true, policy, given, once, changed)
    return _contained(told, true, policy, given, shown, once, changed)


def _permuted(told: PublishedTable, true: PublishedTable, policy: Policy, once: Bools) -> TruthMeasure:
    rows, groups = np.arange(len(told)), permutation_groups(told)
    exact = [*policy.having("quasi"), *policy.having("other")]
    changed = frozenset(columns_with_other_values(told, true, policy, rows, groups, groups))
    return TruthMeasure(
        len(told), count_unlike_original(told, true, exact, rows), int((~once).sum()), changed, {}
    )


def _contained(
    told: PublishedTable,
    true: PublishedTable,
    policy: Policy,
    given: OriginalTraits,
    shown: PublishedColumns,
    once: Bools,
    changed: frozenset[str],
) -> TruthMeasure:
    below = {name: _below(given, policy, name) for name in policy.having("quasi")}
    numbers = [name for name in below if _shows_numbers(told, given, shown, name)]
    sides = [on_one_scale(told, true, name) for name in numbers]
    labels = [
        WordContainment.of(told, true, policy, name, labels or {})
        for name, labels in below.items()
        if name not in numbers
    ]
    untrue = ~truth_of_records(sides, labels, np.arange(len(told))) | ~once
    return TruthMeasure(len(told), int(untrue.sum()), 0, changed, {})


def _shows_numbers(told: PublishedTable, given: OriginalTraits, shown: PublishedColumns, name: str) -> bool:
    """As ``containment.shows_numbers``, of the whole table."""
    if given[name].distinct is None:
        return given[name].mostly_numbers
    if pa.types.is_struct(told.table.column(name).type):
        return True
    return name not in shown.labels and told.ways[name].numbers and given[name].mostly_numbers


def _averaged(
    told: PublishedTable,
    true: PublishedTable,
    policy: Policy,
    given: OriginalTraits,
    once: Bools,
    changed: frozenset[str],
) -> TruthMeasure:
    rows = np.arange(len(told))
    columns: ClassColumns = {name: _column(told, true, policy, given[name], name) for name in given}
    wrong = wrong_records(columns, classes_of(told, KAnonymity(k=2), policy), rows)
    means = {name: column for name, column in columns.items() if isinstance(column, ClassMeans)}
    excess = {name: (column.excess(rows), column.allowed) for name, column in means.items()}
    return TruthMeasure(len(told), int((wrong | ~once).sum()), 0, changed, excess)


def _column(
    told: PublishedTable, true: PublishedTable, policy: Policy, given: OriginalColumn, name: str
) -> ClassMeans | ClassWords:
    """As in ``averaged_truth``, of the whole table."""
    if name in policy.method.options.get("order", {}):
        return ClassWords.of(told, true, policy, name)
    if given.mostly_numbers:
        return ClassMeans.of_numbers(told, true, policy, name, given.largest)
    if given.days and given.there:
        nothing = np.zeros(len(true), np.int64), 0, np.ones(len(true), bool)
        days = calendar_days(true.table.column(name)) or Numbers(*nothing)
        return ClassMeans.of_dates(told, days, policy, name)
    return ClassWords.of(told, true, policy, name)


def verdict_from_truth_measure(policy: Policy, found: TruthMeasure) -> Verdict:
    named = [*policy.having("sensitive"), *policy.having("other")]
    changed = [name for name in named if name in found.changed]
    if policy.permutes:
        return verdict_of_permutation_truth(found.untrue or found.repeated, changed)
    if policy.averages:
        totals = [name for name, (off, may) in found.excess.items() if abs(off) > found.records * may]
        return verdict_of_mean_truth(found.untrue, totals, changed, linked=True)
    return verdict_of_truth(found.untrue, changed, policy.hidden_labels())
