"""The confidential columns of (k,p,q,r)-anonymity as a method needs them, and whether any release can do."""

from fractions import Fraction

import numpy as np

from shoal.anonymizer.sensitive.value_order import leaves_of_words, ranks
from shoal.arrays import Ints
from shoal.errors import Infeasible, ShoalError
from shoal.methods.means.rare_values import ConfidentialColumn
from shoal.policy.model.guarantee import KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import days_from_arrow
from shoal.table.table import Table


def confidential_columns(table: Table, input_rows: Ints, policy: Policy) -> list[ConfidentialColumn]:
    """Every column of every such guarantee; infeasible if even the whole table as one class falls short."""
    asked_of = [
        (asked, name)
        for asked in policy.guarantees
        if isinstance(asked, KpqrAnonymity)
        for name in asked.columns
    ]
    together = np.zeros(len(input_rows), np.int64)
    found = []
    for asked, name in asked_of:
        column = _confidential(table, policy, asked, name, input_rows)
        if len(column.short_groups(together)):
            raise _impossible(asked, name, column)
        found.append(column)
    return found


def rarity_notes(policy: Policy, columns: list[ConfidentialColumn]) -> list[str]:
    """Where everything is rare, q says nothing."""
    names = [
        name for asked in policy.guarantees if isinstance(asked, KpqrAnonymity) for name in asked.columns
    ]
    rare = [repr(name) for name, column in zip(names, columns, strict=True) if column.is_rare.all()]
    if not rare:
        return []
    return [
        f"all values of {', '.join(dict.fromkeys(rare))} are rare, so p and r are asked of every class: "
        "group the values first, or ask for a smaller q or r"
    ]


def _confidential(
    table: Table, policy: Policy, asked: KpqrAnonymity, name: str, rows: Ints
) -> ConfidentialColumn:
    demand = Fraction(asked.q), asked.p, Fraction(asked.r)
    distance = asked.distance or ("ordered" if asked.order else None)
    if distance is None:
        is_number = table.mostly_numbers(name) or days_from_arrow(table.column(name)) is not None
        distance = "number" if is_number else "equal"
    if distance == "number":
        points = table.points(name)
        if points.missing[rows].any():
            raise _missing(table, policy, name, rows[points.missing[rows]])
        numbers, codes = np.unique(points.units[rows], return_inverse=True)
        return ConfidentialColumn.of_numbers(codes, numbers, *demand)
    words = table.words(name)
    if distance == "ordered":
        places, codes = np.unique(
            ranks(words.words, name, asked.order)[words.codes[rows]], return_inverse=True
        )
        return ConfidentialColumn.of_numbers(codes, places, *demand)
    if distance == "equal":
        codes = np.unique(words.codes[rows], return_inverse=True)[1]
        return ConfidentialColumn.of_labels(codes, np.arange(int(codes.max()) + 1)[:, np.newaxis], *demand)
    hierarchy = policy.hierarchies[name].over(words, name)
    leaves, codes = np.unique(leaves_of_words(hierarchy, words, name)[words.codes[rows]], return_inverse=True)
    levels = [np.unique(level.group_of[leaves], return_inverse=True)[1] for level in hierarchy.levels[:-1]]
    firsts = np.cumsum([0, *(int(level.max()) + 1 for level in levels[:-1])])
    return ConfidentialColumn.of_labels(codes, np.column_stack(levels) + firsts, *demand)


def _missing(table: Table, policy: Policy, name: str, rows: Ints) -> ShoalError:
    """How far a missing number lies from the others nobody knows."""
    hint = f"leave these records out: {policy.missing_line(name, 'suppress')} in [missing]."
    return ShoalError([table.fault(name, rows, "missing", hint)])


def _impossible(asked: KpqrAnonymity, name: str, column: ConfidentialColumn) -> Infeasible:
    different = int(column.codes.max()) + 1
    hint = f"{name!r} has {different:,} different values: ask for a p of at most {different:,}."
    if different >= asked.p:
        hint = "ask for an r of at most 1: groups that vary more than the whole table are not searched for."
    return Infeasible(
        f"the policy asks that {asked.sentence()}; even the whole table as one class fails", hint
    )
