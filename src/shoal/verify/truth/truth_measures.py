"""Truth with the owner's link: every published row beside the original row it was made from.

Rows may be those of a part. Groups or classes lie whole in it where these are compared with their people
(``truth_attacker``), and what the columns of the whole table hold is known (``TruthColumn``). A table in
memory is one part.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.policy.model.guarantee import KAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import calendar_days
from shoal.table.columns.numbers import Numbers
from shoal.verify.attackers import Attacker, attackers, classes_of
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.class_means import ClassMeans
from shoal.verify.truth.class_words import ClassWords
from shoal.verify.truth.containment import (
    LeavesByLabel,
    NumberContainment,
    WordContainment,
    leaves_below,
    on_one_scale,
    shows_numbers,
)
from shoal.verify.truth.mean_truth import ClassColumns, verdict_of_mean_truth, wrong_records
from shoal.verify.truth.originals import changed_columns, first_publications
from shoal.verify.truth.permutation_truth import (
    columns_with_other_values,
    count_unlike_original,
    verdict_of_permutation_truth,
)
from shoal.verify.verdict import Verdict

UNNAMED = "The release does not name the values under the labels of {columns}."
TAKEN = "Each label was taken for any value that is not shown; with --policy it is compared with its own."
MAY_BE = "No published record contradicts the original one it stands for, but labels were not compared."


@dataclass(frozen=True)
class TruthColumn:
    """What has to be known of a whole quasi column: does the original hold numbers, or days, mostly, and does
    the release show numbers; the largest number of a table of which only parts are there, in units; and what
    lies below the labels of its hierarchy."""

    numbers: bool
    days: bool
    shows_numbers: bool
    largest: int | None = None
    below: LeavesByLabel | None = None

    @classmethod
    def of(
        cls, published: PublishedTable, original: PublishedTable, policy: Policy, name: str
    ) -> "TruthColumn":
        """The column of tables that are there as a whole."""
        numbers = not policy.of_words(name) and original.table.mostly_numbers(name)
        below = leaves_below(original, policy, name) if name in policy.hierarchies else None
        may_be_days = policy.averages and not numbers  # which only means are read by
        days = may_be_days and calendar_days(original.table.column(name)) is not None
        return cls(numbers, days, shows_numbers(published, original, policy, name, below), None, below)


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
    """The attacker whose classes have to lie whole in a part; None if any parts will do."""
    if policy.permutes:
        return attackers(policy)[0]
    return KAnonymity(k=2) if policy.averages else None


def verify_linked_tables(
    published: PublishedTable, original: PublishedTable, policy: Policy, input_rows: Ints
) -> Verdict:
    """The truth of a whole table, each of whose rows was made from this row of the original."""
    columns = {name: TruthColumn.of(published, original, policy, name) for name in policy.having("quasi")}
    once = first_publications(input_rows)
    return verdict_from_truth_measure(
        policy, measure_truth(published, original, policy, columns, input_rows, once)
    )


def measure_truth(
    published: PublishedTable,
    original: PublishedTable,
    policy: Policy,
    columns: Mapping[str, TruthColumn],
    rows: Ints,
    once: Bools,
) -> TruthMeasure:
    """Measure published rows beside the original ``rows`` they were made from; ``once`` marks those whose
    original was not published before."""
    if policy.permutes:
        groups = permutation_groups(published)
        exact = [*policy.having("quasi"), *policy.having("other")]
        other = frozenset(columns_with_other_values(published, original, policy, rows, groups, groups))
        unlike = count_unlike_original(published, original, exact, rows)
        return TruthMeasure(len(published), unlike, int((~once).sum()), other, {})
    changed = frozenset(changed_columns(published, original, policy, rows))
    if policy.averages:
        means = {
            name: class_column(published, original, policy, column, name) for name, column in columns.items()
        }
        return _averaged(published, means, policy, rows, once, changed)
    sides = [
        on_one_scale(published, original, name) for name, column in columns.items() if column.shows_numbers
    ]
    labels = [
        WordContainment.of(published, original, policy, name, column.below or {})
        for name, column in columns.items()
        if not column.shows_numbers
    ]
    untrue = ~truth_of_records(sides, labels, rows) | ~once
    return TruthMeasure(len(published), int(untrue.sum()), 0, changed, {})


def _averaged(
    published: PublishedTable,
    columns: ClassColumns,
    policy: Policy,
    rows: Ints,
    once: Bools,
    changed: frozenset[str],
) -> TruthMeasure:
    wrong = wrong_records(columns, classes_of(published, KAnonymity(k=2), policy), rows)
    means = {name: column for name, column in columns.items() if isinstance(column, ClassMeans)}
    excess = {name: (column.excess(rows), column.allowed) for name, column in means.items()}
    return TruthMeasure(len(published), int((wrong | ~once).sum()), 0, changed, excess)


def class_column(
    published: PublishedTable, original: PublishedTable, policy: Policy, column: TruthColumn, name: str
) -> ClassMeans | ClassWords:
    """How classes show a quasi column, beside the original."""
    if policy.order_of_means(name):
        return ClassWords.of(published, original, policy, name)
    if column.numbers:
        return ClassMeans.of_numbers(published, original, policy, name, column.largest)
    if column.days:
        nothing = np.zeros(len(original), np.int64), 0, np.ones(len(original), bool)
        days = calendar_days(original.table.column(name)) or Numbers(*nothing)
        return ClassMeans.of_dates(published, days, policy, name)
    return ClassWords.of(published, original, policy, name)


def truth_of_records(
    sides: list[NumberContainment], labels: list[WordContainment], input_rows: Ints
) -> Bools:
    """Which published records contain the original record that they were made from."""
    true = np.ones(len(input_rows), bool)
    for one in labels:
        true &= one.admits[one.labels, one.words[input_rows]]
    for side in sides:
        value = side.points[input_rows]
        true &= (side.low <= value) & (value <= side.high)
    return true


def verdict_of_truth(untrue: int, changed: list[str], hidden: list[str]) -> Verdict:
    """Where labels of the ``hidden`` columns were taken for any value, truth can be refuted and not found."""
    if hidden and not untrue and not changed:
        note = f"{UNNAMED.format(columns=', '.join(map(repr, hidden)))} {TAKEN}"
        return Verdict("truth", True, {}, {"untrue_records": 0, "decided": False}, MAY_BE, notes=(note,))
    holds = untrue == 0 and not changed
    sentence = (
        "Every published record contains the original record it stands for."
        if holds
        else f"{untrue:,} published records contain no original record of their own."
        if untrue
        else f"Columns published as they are differ from the original: {', '.join(changed)}."
    )
    return Verdict("truth", holds, {}, {"untrue_records": untrue, "decided": True}, sentence)


def verdict_from_truth_measure(policy: Policy, found: TruthMeasure) -> Verdict:
    """Judge what all parts tell, as the kind of release demands."""
    named = [*policy.having("sensitive"), *policy.having("other")]
    changed = [name for name in named if name in found.changed]
    if policy.permutes:
        return verdict_of_permutation_truth(found.untrue or found.repeated, changed)
    if policy.averages:
        totals = [name for name, (off, may) in found.excess.items() if abs(off) > found.records * may]
        return verdict_of_mean_truth(found.untrue, totals, changed, linked=True)
    return verdict_of_truth(found.untrue, changed, policy.hidden_labels())
