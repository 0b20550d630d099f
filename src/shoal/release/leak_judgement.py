"""What columns of a release tell of protected ones: refused where they fill hidden cells, said where they
narrow them. It is judged on what was made and before anything is written, for every method alike."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import AnonymizedTable, ReleaseFigures
from shoal.arrays import Ints
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.output import INPUT, LINK
from shoal.errors import ShoalError
from shoal.leaks.evidence import published_cell_codes
from shoal.leaks.leak import Leak
from shoal.leaks.prediction import combined_codes
from shoal.leaks.sample import classes_by_first_row
from shoal.policy.model.policy import GROUP, Policy
from shoal.release.linked_leaks import linked_leaks
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.table import Table
from shoal.verify.hidden_cells import HIDDEN_CELLS
from shoal.verify.verdict import Verdict

Figures = TypeVar("Figures", bound=ReleaseFigures)


def judge_published_leaks(
    table: Table, policy: Policy, shown_rows: pa.Table, input_rows: Ints, class_of: Ints, different: int
) -> tuple[Leak, ...]:
    """What published rows tell of a table, each with the row of it that it was made from and its class, of
    which there are so many different ones."""
    classes = classes_by_first_row(class_of, input_rows)
    rows, given, of_class = map(arrow_from_numpy, (np.arange(len(classes)), input_rows, classes))
    link = pa.table([rows, given, of_class], schema=LINK)
    linked = MemoryRows(shown_rows.append_column(INPUT, given))
    original = MemoryRows.of(table, [name for name in table.names if policy.publishes(name)])
    return linked_leaks(lambda: iter([link]), linked, original, policy, len(classes), different)


def figures_with_leaks(figures: Figures, policy: Policy, leaks: tuple[Leak, ...]) -> Figures:
    """The figures with what is to be said of leaks; refused where one of them is a fault that the policy does
    not accept."""
    if refused := _refused(leaks, policy):
        raise ShoalError([leak.fault(policy) for leak in refused])
    notes = [leak.note(is_accepted(leak, policy)) for leak in leaks]
    return replace(figures, leaks=leaks, notes=(*figures.notes, *notes))


def refuse_leaks(table: Table, policy: Policy, made: AnonymizedTable) -> AnonymizedTable:
    """What was made, if nothing in it gives a protected column away unsaid."""
    leaks = judge_published_leaks(table, policy, made.table, made.input_rows, made.class_of, made.classes)
    return figures_with_leaks(made, policy, leaks)


def is_accepted(leak: Leak, policy: Policy) -> bool:
    """Does the policy accept all columns that tell it?"""
    return set(policy.leaks.accept).issuperset(leak.columns)


def _refused(leaks: Sequence[Leak], policy: Policy) -> list[Leak]:
    return [leak for leak in leaks if leak.fills and not is_accepted(leak, policy)]


def linked_leak_verdicts(table: Table, original: Table, policy: Policy, input_rows: Ints) -> list[Verdict]:
    """A verdict on what was written, with the owner's link: none where no column tells hidden cells."""
    quasi = policy.having("quasi")
    keys = [table.column(GROUP)] if policy.permutes else [table.column(name) for name in quasi]
    classes = combined_codes(*(published_cell_codes(column)[0] for column in keys))
    return leak_verdicts(
        judge_published_leaks(original, policy, table.arrow, input_rows, classes, int(classes.max()) + 1),
        policy,
    )


def leak_verdicts(leaks: Sequence[Leak], policy: Policy) -> list[Verdict]:
    """A verdict on leaks that were found; none where there are none."""
    refused = _refused(leaks, policy)
    notes = tuple(leak.counted(is_accepted(leak, policy)) for leak in leaks)
    less = "tell something of hidden cells; none fills them but those that the policy accepts"
    sentence = f"Columns that are published as they are {'fill hidden cells' if refused else less}."
    found = Verdict(HIDDEN_CELLS, not refused, {}, {"leaks": len(leaks)}, sentence, notes=notes)
    return [found] if leaks else []
