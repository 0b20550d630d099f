"""What a policy says of the size of a table and of its missing cells, and quasi columns in whole numbers."""

from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Ints
from shoal.errors import Fault, Infeasible
from shoal.policy.model.guarantee import ON_SENSITIVE
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.numbers import Numbers
from shoal.table.table import Table


@dataclass(frozen=True)
class QuasiMatrix:
    """The quasi columns as a matrix of whole numbers, one row per record that stays.

    A column of words is a column of codes; ``categories`` has its words.
    """

    names: list[str]
    scales: list[int]
    values: Ints
    input_rows: Ints  # which input row each row of ``values`` is
    categories: dict[int, Categories] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)


def missing_faults(table: Table, policy: Policy, name: str, column: Numbers | Categories) -> list[Fault]:
    """What is wrong with a column that has missing cells, unless the policy says what to do with them."""
    rows = np.flatnonzero(column.missing)
    wrong = missing_cell_fault(policy, name, of_words=isinstance(column, Categories)) if len(rows) else None
    return [] if wrong is None else [table.fault(name, rows, *wrong)]


def missing_cell_fault(policy: Policy, name: str, of_words: bool) -> tuple[str, str] | None:
    """What is wrong with cells that are missing in this column, and what to do; None if nothing is."""
    rule = policy.missing_counts.get(name, "value" if of_words else "error")
    if rule == "suppress" or rule == ("value" if of_words else "zero"):
        return None
    if of_words:
        hint = f"count them as a value of their own: {policy.missing_line(name, 'value')} in [missing]."
        return "missing in a column of words", hint
    hint = f'say in [missing] how they count: {policy.missing_line(name, "zero")} or "suppress".'
    if rule == "value":
        hint = "a missing number cannot be a value of its own inside a range; " + hint
    return "missing", hint


def declared_ends(policy: Policy, name: str, smallest: float, largest: float) -> tuple[float, float]:
    """The limits of a column that the policy declares, else the smallest and the largest value."""
    low, high = policy.domains.get(name, (smallest, largest))
    return float(low), float(high)


def smallest_class(policy: Policy) -> int:
    """The fewest records that a class must have."""
    return max(2, *(asked.records for asked in policy.guarantees))


def size_faults(policy: Policy, rows: int) -> list[Fault]:
    """A table that has fewer rows than a class needs."""
    faults = [
        Fault(
            f"guarantee {place} asks for k = {guarantee.k}, but the table has only {rows:,} rows",
            f"ask for a k of at most {rows:,}, or give more rows.",
        )
        for place, guarantee in enumerate(policy.guarantees, 1)
        if not isinstance(guarantee, ON_SENSITIVE) and guarantee.k > rows
    ]
    if not faults and rows < 2:
        faults.append(Fault("a class has at least 2 records, but the table has only 1", "give more rows."))
    return faults


def refuse_leaving(policy: Policy, rows: int, staying: int) -> None:
    """Too many records would leave because of a missing cell."""
    suppressed = rows - staying
    if suppressed > policy.method.most_suppressed(rows):
        needed = -(-suppressed * 10_000 // rows) / 10_000
        raise Infeasible(
            f"{suppressed:,} of {rows:,} records have missing cells and would be suppressed, "
            f"more than the policy allows ({100 * policy.method.suppression:g} %)",
            f'set suppression = {needed:g} in [method], or count missing cells as "zero" in [missing].',
        )
    k = smallest_class(policy)
    if suppressed and staying < k:
        raise Infeasible(
            f"only {staying:,} records are left without the suppressed ones; a class needs {k:,}",
            'count missing cells as "zero" in [missing], or ask for a smaller k or l.',
        )
