"""A format of tables: how to read all of one, some rows at a time, or the first rows.

Every reader takes the same: where the table is, how large it may be, and what its owner says of it. Most
formats are read in batches, and all else follows from that (``batched``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import plain_types
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.long_cells import refuse_long_cells
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.table import Table

ROWS_AT_ONCE = 65_536
Place = Any  # a file, or the address of a database
ReadTable = Callable[[Any, Limits, Reading], Table]
ReadBatches = Callable[[Any, Limits, Reading], Batches]
ReadFirstRows = Callable[[Any, Limits, int, Reading], pa.Table]  # as many rows, or more
CHOICES = {
    "sheet": "leave --sheet out, or give a workbook.",
    "table": "leave --table out, or give a database.",
    "query": "leave --query out, or give a database.",
}


@dataclass(frozen=True)
class TableFormat:
    """``choices`` are the words of a reading that say which table of a file is meant. ``text_per_byte`` is
    how many bytes of text there are in a byte of a file, as tables go."""

    endings: tuple[str, ...]
    read: ReadTable
    batches: ReadBatches
    first_rows: ReadFirstRows
    choices: tuple[str, ...] = ()
    text_per_byte: int = 1

    def refuse_choices(self, name: str, chosen: Reading) -> None:
        """Refuse what was chosen with a source among tables of which there is but one. What a policy chooses
        is left aside there: it may be asked about another form of its table."""
        for choice, hint in CHOICES.items():
            if getattr(chosen, choice) is not None and choice not in self.choices:
                raise ShoalError(f"a {choice} was chosen, but {name} has none to choose from", hint)


def batched(
    endings: tuple[str, ...], batches: ReadBatches, choices: tuple[str, ...] = (), text_per_byte: int = 1
) -> TableFormat:
    """A format whose tables are read in batches, also where all of one is wanted."""
    read, first_rows = partial(_read_whole, batches), partial(_first_rows, batches)
    return TableFormat(endings, read, batches, first_rows, choices, text_per_byte)


def whole(endings: tuple[str, ...], read: ReadTable, first_rows: ReadFirstRows) -> TableFormat:
    """A format whose tables are read whole, also where batches are wanted."""
    return TableFormat(endings, read, partial(batches_of_whole, read), first_rows)


def _read_whole(batches: ReadBatches, place: Place, limits: Limits, reading: Reading) -> Table:
    found = batches(place, limits, reading)
    tables, rows, content = [found.schema.empty_table()], 0, 0
    for table in found.read(ROWS_AT_ONCE):
        refuse_long_cells(place.name, table)
        rows, content = rows + len(table), content + table.nbytes
        limits.refuse_cells(place.name, rows, table.num_columns)
        limits.refuse_bytes(place.name, content)
        tables.append(table)
    return Table(plain_types(pa.concat_tables(tables)), found.lines)


def _first_rows(batches: ReadBatches, place: Place, limits: Limits, count: int, reading: Reading) -> pa.Table:
    found = batches(place, limits, reading)
    limits.refuse_cells(place.name, 1, len(found.schema))
    first = list(islice(filter(len, found.read(count)), 1))
    for table in first:
        refuse_long_cells(place.name, table)
    return pa.concat_tables([found.schema.empty_table(), *first])


def batches_of_whole(read: ReadTable, place: Path, limits: Limits, reading: Reading) -> Batches:
    """A table that is read whole, in batches: within the memory there is, where all of it goes."""
    return Batches.of_table(read(place, Limits.of_machine() if limits == UNLIMITED else limits, reading))
