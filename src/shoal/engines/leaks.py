"""What columns of a release beyond memory tell of protected ones, judged as in memory on some of its rows.

The rows are drawn from the owner's link, classes whole; what was published of them and what they were are
gathered from the files, and where a column's values repeat rarely, so are other rows with the same values.
"""

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.fit import smallest_class
from shoal.engines.distinct import column_of
from shoal.engines.rows import ROW, Rows
from shoal.engines.told import CLASS
from shoal.engines.written import INPUT, Written
from shoal.leaks.column import Ints
from shoal.leaks.evidence import leaks_in, open_columns, protected_columns
from shoal.leaks.leak import Leak
from shoal.leaks.prediction import Bools
from shoal.leaks.sample import ENOUGH, judged_rows, not_too_many
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy


def large_leaks(
    written: Written, linked: Rows, original: Rows, policy: Policy, classes: int
) -> tuple[Leak, ...]:
    """``linked`` are published rows, in so many classes, with their INPUT row."""
    names, protected = open_columns(policy), protected_columns(policy)
    if not names:
        return ()
    rows, class_of = _drawn(written, classes)
    shown = [] if policy.permutes else protected
    published = _gathered(linked, [*shown, INPUT], INPUT, rows)
    given = _gathered(original, [*dict.fromkeys([*names, *protected]), ROW], ROW, rows)

    def others(name: str, cells: pa.Array) -> pa.Table | None:
        if len(rows) == written.records:
            return None
        wanted = [name, *protected]
        return original.fold(partial(_others, wanted, cells, rows), _some_of_both)

    k = smallest_class(policy)
    return tuple(leaks_in(given, published, class_of, policy, k, others))


def _drawn(written: Written, classes: int) -> tuple[Ints, Ints]:
    """The input rows that are judged, in their order, and the class of each."""
    several = classes < written.records
    rows, class_of = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for table in written.link():
        numbers = column_of(table, INPUT)
        own = column_of(table, CLASS) if several else np.zeros(len(numbers), np.int64)
        drawn = judged_rows(numbers, own, written.records, classes)
        rows.append(numbers[drawn])
        class_of.append(own[drawn])
    found, own = np.concatenate(rows), np.concatenate(class_of)
    places = not_too_many(found)
    places = places[np.argsort(found[places])]
    return found[places], own[places]


def _gathered(rows: Rows, names: list[str], number: str, wanted: Ints) -> pa.Table:
    found = rows.fold(partial(_with_numbers, names, number, wanted), _both)
    assert found is not None  # noqa: S101 - something was published
    order = np.argsort(column_of(found, number))
    return found.combine_chunks().take(arrow_from_numpy(order)).drop_columns([number])


def _with_numbers(names: list[str], number: str, wanted: Ints, table: pa.Table) -> pa.Table:
    return table.select(names).filter(arrow_from_numpy(_among(column_of(table, number), wanted)))


def _among(numbers: Ints, wanted: Ints) -> Bools:
    at = np.minimum(np.searchsorted(wanted, numbers), len(wanted) - 1)
    return np.asarray(wanted[at] == numbers)


def _both(one: pa.Table, other: pa.Table) -> pa.Table:
    return pa.concat_tables([one, other])


def _others(names: list[str], cells: pa.Array, judged: Ints, table: pa.Table) -> pa.Table:
    """Rows that are not judged and hold one of these cells in the first column."""
    found = pc.is_in(table.column(names[0]), value_set=cells)
    free = arrow_from_numpy(~_among(column_of(table, ROW), judged))
    return table.select(names).filter(pc.and_(found, pa.chunked_array([free]))).slice(0, ENOUGH)


def _some_of_both(one: pa.Table, other: pa.Table) -> pa.Table:
    return pa.concat_tables([one, other]).slice(0, ENOUGH)
