"""What columns of a release tell of protected ones: refused where they fill hidden cells, said where they
narrow them. It is judged on what was made and before anything is written, for every method alike."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.anonymized import Anonymized, Figures
from shoal.anonymizer.fit import smallest_class
from shoal.errors import ShoalError
from shoal.leaks.column import Ints
from shoal.leaks.evidence import leaks_in, open_columns, protected_columns
from shoal.leaks.leak import Leak
from shoal.leaks.sample import ENOUGH, judged_rows, not_too_many
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy
from shoal.table.encoded import taken
from shoal.table.table import Table


def judge_leaks(table: Table, policy: Policy, made: Anonymized) -> tuple[Leak, ...]:
    """What was made of a table tells so much of it."""
    names, protected = open_columns(policy), protected_columns(policy)
    if not names:
        return ()
    classes = made.class_of if made.classes < made.table.num_rows else np.zeros_like(made.class_of)
    drawn = np.flatnonzero(judged_rows(made.input_rows, classes, len(classes), made.classes))
    places = drawn[not_too_many(made.input_rows[drawn])]
    rows = made.input_rows[places]
    original = _rows_of(table, [*names, *protected], rows)
    shown = [name for name in protected if not policy.permutes]
    published = made.table.select(shown).take(arrow_from_numpy(places))

    def others(name: str, cells: pa.Array) -> pa.Table | None:
        return None if len(rows) == len(classes) else _others(table, [name, *protected], cells, rows)

    k = smallest_class(policy)
    return tuple(leaks_in(original, published, classes[places], policy, k, others))


def settled(figures: Figures, policy: Policy, leaks: tuple[Leak, ...]) -> Figures:
    """The figures with what is to be said of leaks; refused where one of them is a fault that the policy does
    not accept."""
    accepted = set(policy.leaks.accept)
    refused = [leak for leak in leaks if leak.fills and not accepted.issuperset(leak.columns)]
    if refused:
        raise ShoalError([leak.fault(policy) for leak in refused])
    notes = [leak.note(accepted.issuperset(leak.columns)) for leak in leaks]
    return replace(figures, leaks=leaks, notes=(*figures.notes, *notes))


def without_leaks(table: Table, policy: Policy, made: Anonymized) -> Anonymized:
    """What was made, if nothing in it gives a protected column away unsaid."""
    found = settled(made, policy, judge_leaks(table, policy, made))
    assert isinstance(found, Anonymized)  # noqa: S101
    return found


def _rows_of(table: Table, names: list[str], rows: Ints) -> pa.Table:
    numbers = arrow_from_numpy(rows)
    return pa.table({name: taken(table.column(name), numbers) for name in dict.fromkeys(names)})


def _others(table: Table, names: list[str], cells: pa.Array, rows: Ints) -> pa.Table:
    """Rows that are not judged and hold one of these cells in the first column."""
    found = np.asarray(pc.is_in(table.column(names[0]), value_set=cells).combine_chunks().to_numpy(False))
    found[rows] = False
    more = np.flatnonzero(found)
    return _rows_of(table, names, more[not_too_many(more)][:ENOUGH])
