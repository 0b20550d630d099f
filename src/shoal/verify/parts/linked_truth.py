"""Truth of what an engine has written: every published row beside the original row it was made from.

Published rows carry the number of their original, so both meet in parts by that number; classes or groups
that have to be compared as a whole are brought together once more.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.engines.output import INPUT, another_link
from shoal.engines.protocol import PART, Rows
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.numbered_rows import ROW, ints_of
from shoal.table.files.header import no_rows
from shoal.table.table import Table
from shoal.verify.attackers import Attacker
from shoal.verify.cells.column_traits import FormatsByColumn, column_formats
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.parts.original_traits import (
    OriginalTraits,
    PublishedColumns,
    join_original_traits,
    original_traits,
    published_columns,
    truth_columns,
)
from shoal.verify.parts.part_keys import part_of_rows
from shoal.verify.truth.truth_measures import (
    TruthColumn,
    TruthMeasure,
    measure_truth,
    truth_attacker,
    verdict_from_truth_measure,
)
from shoal.verify.verdict import Verdict

ONCE = "shoal:once"
PUBLISHED, GIVEN = "published:", "original:"


def verify_linked_truth(linked: Rows, original: Rows, policy: Policy, count: int) -> Verdict:
    """``linked`` are published rows with their INPUT row."""
    given, last = _traits_and_last_row(original, policy)
    columns_read = _columns_of_release(linked, policy, given, last)
    paired = _side_by_side(linked, original)
    attacker = truth_attacker(policy)
    ways = column_formats(columns_read.readings)
    ways_given = column_formats({name: one.reading for name, one in given.items()})
    columns = truth_columns(given, columns_read, ways, linked.schema, policy)
    measure = partial(_measured, policy, columns, ways, ways_given)
    if attacker is None:
        found = paired.fold(measure, TruthMeasure.joined)
    else:
        parts = 2 * -(-count // linked.part_rows)
        dealt = partial(_with_part_numbers, policy, ways, attacker, parts)
        whole = paired.map(dealt, paired.schema.append(pa.field(PART, pa.int64()))).parts(PART)
        found = whole.fold(lambda _, table: measure(table.drop_columns([PART])), TruthMeasure.joined)
    assert found is not None  # noqa: S101
    return verdict_from_truth_measure(policy, found)


def _traits_and_last_row(original: Rows, policy: Policy) -> tuple[OriginalTraits, int]:
    """How the table is read, and the number of its last row."""
    found = original.fold(
        lambda table: (original_traits(_without(table, ROW), policy), int(ints_of(table, ROW).max())),
        lambda one, other: (join_original_traits(one[0], other[0]), max(one[1], other[1])),
    )
    if found is None:
        raise no_rows("the table")
    return found


def _columns_of_release(linked: Rows, policy: Policy, given: OriginalTraits, last: int) -> PublishedColumns:
    """How the release is read; refused if a row was made from one that the table does not have."""

    def columns_of_part(table: pa.Table) -> PublishedColumns:
        numbers = ints_of(table, INPUT)
        if numbers.min() < 0 or numbers.max() > last:
            raise another_link()
        return published_columns(_without(table, ROW, INPUT), policy, given)

    found = linked.fold(columns_of_part, PublishedColumns.joined)
    assert found is not None  # noqa: S101 - something was published
    return found


def _side_by_side(linked: Rows, original: Rows) -> Rows:
    """Each published row and its original in one row, whose columns say which is which."""
    shown = [kind for kind in linked.schema if kind.name not in (ROW, INPUT)]
    given = [kind for kind in original.schema if kind.name != ROW]
    columns = [(PUBLISHED + kind.name, kind.type) for kind in shown]
    columns += [(GIVEN + kind.name, kind.type) for kind in given]
    schema = pa.schema([*columns, (ONCE, pa.bool_())])
    ours, theirs = (
        rows.map(partial(_numbered, number, linked.part_rows), rows.schema.append(pa.field(PART, pa.int64())))
        for rows, number in ((linked, INPUT), (original, ROW))
    )
    return ours.parts(PART).cogroup(theirs.parts(PART), partial(_paired, schema), schema)


def _numbered(number: str, part_rows: int, table: pa.Table) -> pa.Table:
    return table.append_column(PART, arrow_from_numpy(ints_of(table, number) // part_rows))


def _paired(schema: pa.Schema, _number: int, linked: pa.Table, original: pa.Table) -> pa.Table:
    """The original beside each published row; ``ONCE`` where it was not published before."""
    if not len(linked):
        return schema.empty_table()
    wanted, numbers = ints_of(linked, INPUT), ints_of(original, ROW)
    order = np.argsort(numbers)
    at = np.minimum(np.searchsorted(numbers[order], wanted), len(numbers) - 1)
    beside = original.combine_chunks().take(arrow_from_numpy(order[at]))
    once = np.zeros(len(wanted), bool)
    once[np.unique(wanted, return_index=True)[1]] = True
    once &= numbers[order[at]] == wanted  # a row that nobody has is nobody's
    columns = [*linked.drop_columns([ROW, INPUT, PART]).columns, *beside.drop_columns([ROW, PART]).columns]
    return pa.table([*columns, arrow_from_numpy(once)], schema=schema)


def _with_part_numbers(
    policy: Policy, ways: FormatsByColumn, attacker: Attacker, parts: int, table: pa.Table
) -> pa.Table:
    numbers = part_of_rows(PublishedTable(_side(table, PUBLISHED), ways), attacker, policy, parts)
    return table.append_column(PART, arrow_from_numpy(numbers))


def _measured(
    policy: Policy,
    columns: Mapping[str, TruthColumn],
    ways: FormatsByColumn,
    ways_given: FormatsByColumn,
    table: pa.Table,
) -> TruthMeasure:
    once = np.asarray(numpy_from_arrow(table.column(ONCE).combine_chunks()))
    published = PublishedTable(_side(table, PUBLISHED), ways)
    original = PublishedTable(_side(table, GIVEN), ways_given)
    return measure_truth(published, original, policy, columns, np.arange(len(published)), once)


def _side(table: pa.Table, side: str) -> Table:
    names = [name for name in table.column_names if name.startswith(side)]
    return Table(table.select(names).rename_columns([name.removeprefix(side) for name in names]))


def _without(table: pa.Table, *names: str) -> Table:
    return Table(table.drop_columns(list(names)))
