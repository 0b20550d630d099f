"""A release as Parquet for programs that know no ranges: these are text, and numbers and days are such."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from shoal.release.export.export_form import ExportForm
from shoal.table.files.labels import ColumnLabels
from shoal.table.files.parquet_file import parquet_batches

ROWS_AT_ONCE = 250_000


def write_parquet(
    table: pa.Table, path: Path, _form: ExportForm, _labels: Mapping[str, ColumnLabels]
) -> None:
    """All of the table in one file."""
    from pyarrow import parquet

    parquet.write_table(table, path, compression="zstd")


def read_parquet_back(path: Path, _table: pa.Table, _form: ExportForm) -> Iterator[pa.Table]:
    """The rows of the file."""
    return parquet_batches(path, ROWS_AT_ONCE)
