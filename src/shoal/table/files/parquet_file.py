"""Parquet files, whose few bytes may stand for billions of cells.

The footer says how many cells there are, so most is refused before anything is read. It does not say how
long texts are that are stored once and repeated, so they are counted while they are read, few rows at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import decode_columns, plain_types
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.long_cells import refuse_long_cells
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.table import Table

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

ROWS_AT_ONCE = 4096
BUFFER_BYTES = 1 << 20  # of a column: neither a large row group nor the file is held whole


def read_parquet(path: Path, limits: Limits, _reading: Reading = AS_IT_LOOKS) -> Table:
    """Read a Parquet file within the limits; its rows must be as many as its footer says."""
    with _opened(path, limits) as file:
        rows = file.metadata.num_rows
        limits.refuse_cells(path.name, rows, file.metadata.num_columns)
        arrow = _read(path, file, limits)
    if arrow.num_rows != rows:
        what = f"{path.name} does not have the rows that its footer says"
        raise ShoalError(what, "export the table again.")
    return Table(plain_types(arrow))


def first_rows_of_parquet(path: Path, limits: Limits, count: int, _reading: Reading) -> pa.Table:
    """The first rows, without a look at the rest of it."""
    with _opened(path, limits) as file:
        first = list(islice(file.iter_batches(batch_size=count), 1))
        for batch in first:
            refuse_long_cells(path.name, batch)
        return pa.Table.from_batches(first, file.schema_arrow)


def parquet_batches(path: Path, rows_at_once: int) -> Iterator[pa.Table]:
    """The rows of a file of any length, some at a time; what is stored once and repeated is written out."""
    with _opened(path, UNLIMITED) as file:
        for batch in file.iter_batches(batch_size=rows_at_once):
            refuse_long_cells(path.name, batch)
            yield decode_columns(pa.Table.from_batches([batch]), batch.schema.names)


def parquet_head(path: Path) -> tuple[pa.Schema, int]:
    """The columns of a file, and how many rows it has."""
    with _opened(path, UNLIMITED) as file:
        schema = decode_columns(file.schema_arrow.empty_table(), file.schema_arrow.names).schema
        return schema, int(file.metadata.num_rows)


@contextmanager
def _opened(path: Path, limits: Limits) -> "Iterator[ParquetFile]":
    from pyarrow import parquet

    with path.open("rb") as content:
        refuse_disguised(path, content.read(START), expected="Parquet")
        content.seek(0)
        try:
            with parquet.ParquetFile(content, buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
                limits.refuse_cells(path.name, 1, file.metadata.num_columns)
                yield file
        except (pa.ArrowException, OSError):
            raise ShoalError(f"{path.name} is not a Parquet file", "export the table again.") from None


def _read(path: Path, file: "ParquetFile", limits: Limits) -> pa.Table:
    batches, content = [], 0
    for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
        refuse_long_cells(path.name, batch)
        content += batch.nbytes
        limits.refuse_bytes(path.name, content)
        batches.append(batch)
    return pa.Table.from_batches(batches, file.schema_arrow)
