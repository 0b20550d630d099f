"""Parquet, whose footer says how many rows there are."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from shoal.table.files.file_endings import PARQUET
from shoal.table.files.limits import Limits
from shoal.table.files.parquet_file import (
    first_rows_of_parquet,
    parquet_batches,
    parquet_head,
    read_parquet,
)
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import TableFormat


def _batches_of(path: Path, _limits: Limits, _reading: Reading) -> Batches:
    schema, rows = parquet_head(path)

    def read(rows_at_once: int) -> Iterator[pa.Table]:
        return parquet_batches(path, rows_at_once)

    return Batches(schema.remove_metadata(), rows, read)


PARQUET_FORMAT = TableFormat(PARQUET, read_parquet, _batches_of, first_rows_of_parquet)
