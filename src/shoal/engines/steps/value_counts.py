"""The different values of columns, met in one place; not too many, as who holds them has little memory."""

from collections.abc import Hashable, Mapping, Sized
from functools import partial
from typing import TypeVar

import pyarrow as pa

from shoal.engines.protocol import Rows
from shoal.engines.steps.distinct import distinct_in_batch
from shoal.errors import Fault, refuse_faults

Name = TypeVar("Name", bound=Hashable)
ColumnSets = dict[Name, list[str]]  # columns that are looked at together
ValueTables = dict[Name, pa.Table]
MOST_VALUES = 1_000_000  # fit anywhere


def most_values(rows: Rows) -> int:
    """How many different values of a column may meet in one place."""
    return max(MOST_VALUES, rows.most_gathered)


def value_counts(rows: Rows, wanted: ColumnSets[Name], most: int) -> ValueTables[Name]:
    """How often each combination of columns occurs: ``most`` of them, and one more if there are more."""
    if not wanted:
        return {}
    return rows.fold(partial(_values, wanted), partial(_more_values, wanted, most)) or {}


def _values(wanted: ColumnSets[Name], table: pa.Table) -> ValueTables[Name]:
    return {name: distinct_in_batch(columns, table) for name, columns in wanted.items()}


def _more_values(
    wanted: ColumnSets[Name], most: int, one: ValueTables[Name], other: ValueTables[Name]
) -> ValueTables[Name]:
    return {
        name: distinct_in_batch(columns, pa.concat_tables([one[name], other[name]])).slice(0, most + 1)
        for name, columns in wanted.items()
    }


def refuse_many_values(values: Mapping[str, Sized], most: int) -> None:
    """All columns with more than so many; one more was gathered than may be, so that it shows."""
    faults = [
        Fault(
            f"column {name!r} has more than {most:,} different values, which works in memory only",
            "group or round its values first, leave the column out, or choose a machine with more memory.",
        )
        for name, found in values.items()
        if len(found) > most
    ]
    refuse_faults(faults)
