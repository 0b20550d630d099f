"""What columns of a release tell of protected ones, judged on some of its rows.

The rows are drawn from the owner's link, classes whole; what was published of them and what they were are
gathered, and where a column's values repeat rarely, so are other rows with the same values.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.fit import smallest_class
from shoal.arrays import Bools, Ints
from shoal.engines.output import INPUT
from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import CLASS
from shoal.leaks.evidence import (
    columns_with_few_hidden,
    hiding_cells,
    leaks_in,
    open_columns,
    protected_columns,
)
from shoal.leaks.leak import Leak
from shoal.leaks.sample import ENOUGH, hidden_sample_size, judged_rows, limited_rows, lowest_hashes
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ints_of

Link = Callable[[], Iterator[pa.Table]]  # INPUT and CLASS of every published row


def linked_leaks(
    link: Link, linked: Rows, original: Rows, policy: Policy, records: int, classes: int
) -> tuple[Leak, ...]:
    """``linked`` are so many published rows, in so many classes, with their INPUT row."""
    names, protected = open_columns(policy), protected_columns(policy)
    if not names:
        return ()
    shown = [] if policy.permutes else protected
    rows, class_of = _judged_sample(link, records, classes)
    published = _numbered_rows(linked, [*shown, INPUT], INPUT, rows)
    if shown and len(rows) < records and (few := columns_with_few_hidden(published)):
        rows = np.union1d(rows, _hiding(linked, few))
        class_of = _classes_of(link, rows) if classes < records else np.zeros(len(rows), np.int64)
        published = _numbered_rows(linked, [*shown, INPUT], INPUT, rows)
    given = _numbered_rows(original, [*dict.fromkeys([*names, *protected]), ROW], ROW, rows)

    def others(name: str, cells: pa.Array) -> pa.Table | None:
        if len(rows) == records:
            return None
        wanted = [name, *protected]
        more = original.fold(partial(_others, wanted, cells, rows), _lowest_of_both)
        return None if more is None else _in_order(more, ROW)

    k = smallest_class(policy)
    leaks = leaks_in(given, published, class_of, policy, k, others)
    return tuple(replace(leak, some=len(rows) < records) for leak in leaks)


def classes_in(link: Link) -> int:
    """How many different classes the owner's link names."""
    found = np.zeros(0, np.int64)
    for table in link():
        found = np.union1d(found, ints_of(table, CLASS))
    return len(found)


def _judged_sample(link: Link, records: int, classes: int) -> tuple[Ints, Ints]:
    """The input rows that are judged, in their order, and the class of each."""
    several = classes < records
    rows, class_of = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for table in link():
        numbers = ints_of(table, INPUT)
        own = ints_of(table, CLASS) if several else np.zeros(len(numbers), np.int64)
        drawn = judged_rows(numbers, own, records, classes)
        rows.append(numbers[drawn])
        class_of.append(own[drawn])
    found, own = np.concatenate(rows), np.concatenate(class_of)
    places = limited_rows(found)
    places = places[np.argsort(found[places])]
    return found[places], own[places]


def _hiding(linked: Rows, names: list[str]) -> Ints:
    """Input rows that hide a cell of these columns."""
    found = linked.fold(partial(_hiding_rows, names), partial(_lowest_rows, hidden_sample_size(len(names))))
    return np.unique(np.concatenate(found or [np.zeros(0, np.int64)]))


def _hiding_rows(names: list[str], table: pa.Table) -> list[Ints]:
    numbers, most = ints_of(table, INPUT), hidden_sample_size(len(names))
    found = [numbers[hiding_cells(table.column(name))] for name in names]
    return [rows[lowest_hashes(rows, most)] for rows in found]


def _lowest_rows(most: int, one: list[Ints], other: list[Ints]) -> list[Ints]:
    both = [np.concatenate(pair) for pair in zip(one, other, strict=True)]
    return [rows[lowest_hashes(rows, most)] for rows in both]


def _classes_of(link: Link, wanted: Ints) -> Ints:
    """The class of each of these input rows."""
    found = np.zeros(len(wanted), np.int64)
    for table in link():
        numbers = ints_of(table, INPUT)
        own = _among(numbers, wanted)
        found[np.searchsorted(wanted, numbers[own])] = ints_of(table, CLASS)[own]
    return found


def _numbered_rows(rows: Rows, names: list[str], number: str, wanted: Ints) -> pa.Table:
    found = rows.fold(partial(_with_numbers, names, number, wanted), _concatenate)
    assert found is not None  # noqa: S101 - something was published
    return _in_order(found, number)


def _in_order(found: pa.Table, number: str) -> pa.Table:
    order = np.argsort(ints_of(found, number))
    return found.combine_chunks().take(arrow_from_numpy(order)).drop_columns([number])


def _with_numbers(names: list[str], number: str, wanted: Ints, table: pa.Table) -> pa.Table:
    return table.select(names).filter(arrow_from_numpy(_among(ints_of(table, number), wanted)))


def _among(numbers: Ints, wanted: Ints) -> Bools:
    return np.isin(numbers, wanted)


def _concatenate(one: pa.Table, other: pa.Table) -> pa.Table:
    return pa.concat_tables([one, other])


def _others(names: list[str], cells: pa.Array, judged: Ints, table: pa.Table) -> pa.Table:
    """Rows that are not judged and hold one of these cells in the first column."""
    found = pc.is_in(table.column(names[0]), value_set=cells)
    free = arrow_from_numpy(~_among(ints_of(table, ROW), judged))
    return _lowest(table.select([*names, ROW]).filter(pc.and_(found, pa.chunked_array([free]))))


def _lowest_of_both(one: pa.Table, other: pa.Table) -> pa.Table:
    return _lowest(_concatenate(one, other))


def _lowest(table: pa.Table) -> pa.Table:
    return table.take(arrow_from_numpy(lowest_hashes(ints_of(table, ROW), ENOUGH)))
