"""A first look at a table of any size: all of it if it fits into memory, else the rows it begins with."""

from collections.abc import Iterator

import pyarrow as pa

from shoal.engines.table_size import fits_in_memory
from shoal.table.batches import batches_of
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.read import read_table
from shoal.table.source import Source
from shoal.table.table import Table

LOOKED_AT = 500_000  # rows of a table that does not fit
BEGINNING = (
    "The table is larger than the memory there is: counts and guesses are of its first {rows:,} rows. "
    "A run reads all of it."
)


def first_look(source: Source, reading: Reading = AS_IT_LOOKS) -> tuple[Table, bool]:
    """The table, and whether that is all of it."""
    if fits_in_memory(source):
        return read_table(source, reading=reading), True
    batches = batches_of(source, reading=reading)
    rows = list(_beginning(batches.read(LOOKED_AT)))
    beginning = pa.concat_tables(rows) if rows else batches.schema.empty_table()
    return Table(beginning, batches.lines, rules=reading.rules), False


def _beginning(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    left = LOOKED_AT
    for table in tables:
        yield table.slice(0, left)
        left -= len(table)
        if left <= 0:
            return
