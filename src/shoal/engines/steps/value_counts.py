"""The different values of columns, met in one place; not too many, as who holds them has little memory."""

from collections.abc import Hashable, Mapping, Sized
from functools import partial
from typing import TypeVar

import pyarrow as pa

from shoal.engines.protocol import Rows
from shoal.engines.steps.distinct import counted
from shoal.errors import Fault, ShoalError

Name = TypeVar("Name", bound=Hashable)
Wanted = dict[Name, list[str]]  # columns that are looked at together
Found = dict[Name, pa.Table]
MOST_VALUES = 1_000_000  # fit anywhere


def most_values(rows: Rows) -> int:
    return max(MOST_VALUES, rows.most_gathered)


def gathered(rows: Rows, wanted: Wanted[Name], most: int) -> Found[Name]:
    """How often each combination of columns occurs: ``most`` of them, and one more if there are more."""
    if not wanted:
        return {}
    return rows.fold(partial(_values, wanted), partial(_more_values, wanted, most)) or {}


def _values(wanted: Wanted[Name], table: pa.Table) -> Found[Name]:
    return {name: counted(columns, table) for name, columns in wanted.items()}


def _more_values(wanted: Wanted[Name], most: int, one: Found[Name], other: Found[Name]) -> Found[Name]:
    return {
        name: counted(columns, pa.concat_tables([one[name], other[name]])).slice(0, most + 1)
        for name, columns in wanted.items()
    }


def refuse_many(values: Mapping[str, Sized], most: int) -> None:
    """All columns with more than so many; one more was gathered than may be, so that it shows."""
    faults = [
        Fault(
            f"column {name!r} has more than {most:,} different values, which works in memory only",
            "group or round its values first, leave the column out, or choose a machine with more memory.",
        )
        for name, found in values.items()
        if len(found) > most
    ]
    if faults:
        raise ShoalError(faults)
