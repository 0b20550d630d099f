"""What columns of a release tell of protected ones: refused where they fill hidden cells, said where they
narrow them. It is judged on what was made and before anything is written, for every method alike."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.anonymized_table import AnonymizedTable, ReleaseFigures
from shoal.anonymizer.fit import smallest_class
from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.leaks.evidence import (
    columns_with_few_hidden,
    hiding_cells,
    leaks_in,
    open_columns,
    protected_columns,
    published_cell_codes,
)
from shoal.leaks.leak import Leak
from shoal.leaks.prediction import combined_codes
from shoal.leaks.sample import (
    ENOUGH,
    classes_by_first_row,
    hidden_sample_size,
    judged_rows,
    limited_rows,
    lowest_hashes,
)
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.table import Table
from shoal.verify.hidden_cells import HIDDEN_CELLS
from shoal.verify.verdict import Verdict


def judge_leaks(table: Table, policy: Policy, made: AnonymizedTable) -> tuple[Leak, ...]:
    """What was made of a table tells so much of it."""
    return judge_published_leaks(table, policy, made.table, made.input_rows, made.class_of, made.classes)


def judge_published_leaks(
    table: Table, policy: Policy, shown_rows: pa.Table, input_rows: Ints, class_of: Ints, different: int
) -> tuple[Leak, ...]:
    """The same of published rows, each with the row of the table that it was made from and its class, of
    which there are so many different ones."""
    names, protected = open_columns(policy), protected_columns(policy)
    if not names:
        return ()
    several = different < len(class_of)
    classes = classes_by_first_row(class_of, input_rows) if several else np.zeros_like(class_of)
    shown = shown_rows.select([] if policy.permutes else protected)
    places = _drawn(shown, input_rows, classes, different)
    rows = input_rows[places]
    original = _rows_of(table, [*names, *protected], rows)
    published = shown.take(arrow_from_numpy(places))

    def others(name: str, cells: pa.Array) -> pa.Table | None:
        return None if len(rows) == len(classes) else _others(table, [name, *protected], cells, rows)

    k = smallest_class(policy)
    leaks = leaks_in(original, published, classes[places], policy, k, others)
    return tuple(replace(leak, some=len(rows) < len(classes)) for leak in leaks)


def _drawn(shown: pa.Table, input_rows: Ints, classes: Ints, different: int) -> Ints:
    """The places of the rows that are judged, in the order of the table that they were made from."""
    drawn = np.flatnonzero(judged_rows(input_rows, classes, len(classes), different))
    places = drawn[limited_rows(input_rows[drawn])]
    few = columns_with_few_hidden(shown.take(arrow_from_numpy(places))) if len(places) < len(classes) else []
    for name in few:
        hidden = np.flatnonzero(hiding_cells(shown.column(name)))
        places = np.union1d(places, hidden[lowest_hashes(input_rows[hidden], hidden_sample_size(len(few)))])
    return places[np.argsort(input_rows[places])]


def figures_with_leaks(figures: ReleaseFigures, policy: Policy, leaks: tuple[Leak, ...]) -> ReleaseFigures:
    """The figures with what is to be said of leaks; refused where one of them is a fault that the policy does
    not accept."""
    accepted = set(policy.leaks.accept)
    refused = [leak for leak in leaks if leak.fills and not accepted.issuperset(leak.columns)]
    if refused:
        raise ShoalError([leak.fault(policy) for leak in refused])
    notes = [leak.note(accepted.issuperset(leak.columns)) for leak in leaks]
    return replace(figures, leaks=leaks, notes=(*figures.notes, *notes))


def refuse_leaks(table: Table, policy: Policy, made: AnonymizedTable) -> AnonymizedTable:
    """What was made, if nothing in it gives a protected column away unsaid."""
    found = figures_with_leaks(made, policy, judge_leaks(table, policy, made))
    assert isinstance(found, AnonymizedTable)  # noqa: S101
    return found


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
    accepted = set(policy.leaks.accept)
    refused = [leak for leak in leaks if leak.fills and not accepted.issuperset(leak.columns)]
    notes = tuple(leak.counted(accepted.issuperset(leak.columns)) for leak in leaks)
    less = "tell something of hidden cells; none fills them but those that the policy accepts"
    sentence = f"Columns that are published as they are {'fill hidden cells' if refused else less}."
    found = Verdict(HIDDEN_CELLS, not refused, {}, {"leaks": len(leaks)}, sentence, notes=notes)
    return [found] if leaks else []


def _rows_of(table: Table, names: list[str], rows: Ints) -> pa.Table:
    numbers = arrow_from_numpy(rows)
    return pa.table({name: take_rows(table.column(name), numbers) for name in dict.fromkeys(names)})


def _others(table: Table, names: list[str], cells: pa.Array, rows: Ints) -> pa.Table:
    """Rows that are not judged and hold one of these cells in the first column."""
    found = np.asarray(pc.is_in(table.column(names[0]), value_set=cells).combine_chunks().to_numpy(False))
    found[rows] = False
    more = np.flatnonzero(found)
    return _rows_of(table, names, more[lowest_hashes(more, ENOUGH)])
