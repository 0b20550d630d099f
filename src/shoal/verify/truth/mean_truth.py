"""Truth of a release of class means: every class shows the mean, median or mode of its people.

A class is all records with the same published quasi cells. Numbers show their mean, up to the fourteenth
digit of the largest number of the column (half a unit of the last decimal with ``keep_decimals = true``);
dates their mean, up to half a day; words that the option ``order`` lists a middle one, others a most frequent
one. With ``totals = true`` a column adds up to what its people had, and a number may be anywhere between the
smallest and the largest of its class.

Without the owner's link, nobody knows who is in a class. Then every number must lie between the smallest and
the largest of the original, every word occur there, and totals agree where no record was left out.
"""

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.policy.model.policy import Policy
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.truth.class_means import ClassMeans
from shoal.verify.truth.class_words import ClassWords
from shoal.verify.truth.members import Members
from shoal.verify.truth.originals import changed_columns
from shoal.verify.verdict import Verdict

ClassColumns = dict[str, ClassMeans | ClassWords]


def verify_mean_truth(
    columns: ClassColumns, published: PublishedTable, original: PublishedTable, policy: Policy
) -> Verdict:
    """Verify means without the owner's link: what classes show must be possible, and add up where nobody
    left."""
    untrue = _impossible(columns, len(published), len(original))
    everybody = len(published) == len(original)
    totals = _other_totals(columns, np.arange(len(original))) if everybody else []
    changed = changed_columns(published, original, policy, None)
    return verdict_of_mean_truth(untrue, totals, changed, linked=False)


def verdict_of_mean_truth(untrue: int, totals: list[str], changed: list[str], linked: bool) -> Verdict:
    """Judge by untrue records, totals that are off, and columns with other values."""
    holds = not (untrue or totals or changed)
    sentence = _sentence(untrue, totals, changed, linked)
    return Verdict("truth", holds, {}, {"untrue_records": untrue, "decided": linked or not holds}, sentence)


def _sentence(untrue: int, totals: list[str], changed: list[str], linked: bool) -> str:
    if untrue and linked:
        return f"{untrue:,} published records do not show the mean, median or mode of people of their own."
    if untrue:
        return f"{untrue:,} published records show what no class of original records can."
    if totals:
        return f"Columns add up to something else than in the original: {', '.join(totals)}."
    if changed:
        return f"Columns published as they are differ from the original: {', '.join(changed)}."
    if linked:
        return "Every class shows the means, medians and modes of its people, and all else is as it was."
    return (
        "Nothing published contradicts the original; to check classes one by one takes the owner's link, "
        "which the audit file holds."
    )


def wrong_records(columns: ClassColumns, classes: Ints, input_rows: Ints) -> Bools:
    """Records of classes that show something else than their people."""
    members = Members.of(classes, input_rows)
    wrong = np.logical_or.reduce([column.wrong(members) for column in columns.values()])
    return np.asarray(wrong[classes])


def _impossible(columns: ClassColumns, rows: int, people: int) -> int:
    """Records that show what no class can, or that are more than there are people."""
    wrong = np.logical_or.reduce([column.impossible() for column in columns.values()])
    return max(int(wrong.sum()), rows - people)


def _other_totals(columns: ClassColumns, people: Ints) -> list[str]:
    means = {name: column for name, column in columns.items() if isinstance(column, ClassMeans)}
    return [
        name for name, column in means.items() if abs(column.excess(people)) > len(people) * column.allowed
    ]
