"""A release as Parquet for programs that know no ranges: these are text, and numbers and days are such."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from shoal.release.export.export_task import ExportTask
from shoal.table.files.parquet_file import parquet_batches

ROWS_AT_ONCE = 250_000


def write_parquet(task: ExportTask, path: Path) -> None:
    """All of the table in one file."""
    from pyarrow import parquet

    parquet.write_table(task.table, path, compression="zstd")


def read_parquet_back(_task: ExportTask, path: Path) -> Iterator[pa.Table]:
    """The rows of the file."""
    return parquet_batches(path, ROWS_AT_ONCE)
