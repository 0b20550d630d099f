"""What a permuted release loses: nothing is blurred, but how wrong an answer may be grows with the ranges of
the groups."""

from dataclasses import dataclass

import numpy as np

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.permutation.permutation_facts import PermutationFacts
from shoal.arrays import Ints
from shoal.policy.model.policy import Policy


@dataclass(frozen=True)
class GroupShape:
    """The shape of groups: how many, the sum of their ranges, the widest, and the rows of the largest."""

    groups: int
    total: int
    widest: int
    largest: int

    @classmethod
    def of(cls, spans: Ints, largest: int) -> "GroupShape":
        """``spans`` are the ranges of the groups."""
        return cls(len(spans), int(spans.sum()), int(spans.max()), largest)

    def joined(self, other: "GroupShape") -> "GroupShape":
        return GroupShape(
            self.groups + other.groups,
            self.total + other.total,
            max(self.widest, other.widest),
            max(self.largest, other.largest),
        )

    def errors(self, scale: int, records: int) -> dict[str, float]:
        unit = 10.0**-scale
        return {
            "sum_of_error": float(self.total) * unit,
            "max_of_error": float(self.widest) * unit,
            "average_class": records / self.groups,
        }


def group_spans(values: Ints, groups: Ints) -> Ints:
    """The range of the values of every group.

    >>> group_spans(np.array([5, 1, 9, 7]), np.array([0, 1, 0, 1])).tolist()
    [4, 6]
    """
    count = int(groups.max()) + 1
    least, most = np.full(count, values.max()), np.full(count, values.min())
    np.minimum.at(least, groups, values)
    np.maximum.at(most, groups, values)
    return np.asarray(most - least)


def permutation_notes(policy: Policy, records: int, formed: int, shape: GroupShape) -> list[str]:
    """What a recipient should know of groups, of which so many were ``formed`` at first."""
    notes = []
    if 2 * shape.largest > records:
        notes.append(
            f"the largest group has {shape.largest:,} of {records:,} records, and questions about part of it "
            "get wide bounds: a smaller k or e may help, or groups by quasi values; `shoal compare` tries"
        )
    if merged := formed - shape.groups:
        notes.append(f"{merged:,} of {formed:,} groups were merged with a neighbour to keep every guarantee")
    if len(policy.having("sensitive")) > 1:
        notes.append(
            "the sensitive values of a record were permuted together: they belong to one person of the "
            "group, and who knows one of them may find the others beside it"
            if policy.permutes_together
            else "every sensitive column was permuted on its own: sensitive values beside each other are "
            "those of different people, and what ties them is lost inside a group"
        )
    return notes


def permuted_figures(
    choice: Choice,
    lines: PermutationFacts,
    records: int,
    shape: GroupShape | None = None,
    notes: tuple[str, ...] = (),
) -> ReleaseFigures:
    """The figures of a release; without groups every record is a class of its own."""
    scale = lines.of[lines.asked[0].sensitive].scale
    errors = {} if shape is None else shape.errors(scale, records)
    return ReleaseFigures(
        classes=records if shape is None else shape.groups,
        suppressed=lines.rows - records,
        method=choice.method.name,
        why=choice.why,
        loss={"ncp": 0.0, "ncp_range": 0.0} | errors,
        exact_cells=1.0,
        paid={},
        fallen=0.0,
        notes=notes,
    )
