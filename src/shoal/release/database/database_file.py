"""What a permuted release has beside its data: the help table, and all of it as one database.

Both are made from the data as it was written, so they tell nothing that it does not tell.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.progress import Step, unwatched
from shoal.release.database.questions import refuse_wide_decimals
from shoal.table.files.spreadsheet import escape_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Batches = Callable[[], Iterator[pa.Table]]

DATABASE = "release.duckdb"
LEAST_MEGABYTES = 500
LARGE_MEGABYTES = 500  # for data that comes in batches; what the engine does not count comes on top
MOST_THREADS = 4
GIVEN_BACK = {"allocator_flush_threshold": 16, "allocator_bulk_deallocation_flush_threshold": 32}
BYTES_PER_VALUE = 100  # its place in a list, while the lists are made


def write_database_files(
    batches: Batches, whole: bool, policy: Policy, folder: Path, format: str, on_step: Step = unwatched
) -> list[Path]:
    """``release.duckdb`` and ``help.csv`` or ``help.parquet``, seen safely onto the disk. The data comes in
    batches, from the first row on whenever it is asked for; if it is ``whole``, in one. What does not fit
    into memory is put aside inside the folder, and removed."""
    import duckdb

    database, help_file, aside = folder / DATABASE, folder / f"help.{format}", folder / ".aside"
    sensitive = policy.having("sensitive")
    on_step("writing the database")
    try:
        with duckdb.connect(str(database)) as connection:
            if whole:
                help_rows = _write_whole(connection, next(batches()), sensitive)
            else:
                help_rows = _write_by_batches(connection, batches, sensitive, aside)
            on_step("writing the help table")
            _write_batches(help_rows, help_file)
            connection.execute("CHECKPOINT")
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        raise _write_error(error) from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    _sync(database, help_file)
    return [database, help_file]


def _write_whole(
    connection: "DuckDBPyConnection", data: pa.Table, sensitive: list[str]
) -> Iterable[pa.RecordBatch]:
    """The database of data in memory; given is its help table."""
    from shoal.query.permuted.column_types import typed_table
    from shoal.query.permuted.database import help_batches, write_database

    refuse_wide_decimals(data.schema)
    connection.execute(f"SET memory_limit = '{_megabytes(data.num_rows, len(sensitive))}MB'")
    write_database(connection, typed_table(data), sensitive)
    found: Iterable[pa.RecordBatch] = help_batches(connection)
    return found


def _write_by_batches(
    connection: "DuckDBPyConnection", batches: Batches, sensitive: list[str], aside: Path
) -> Iterable[pa.RecordBatch]:
    """The same of data that comes in batches, in little memory."""
    from shoal.query.permuted.large_database import help_by_ranges, write_large_database

    pa.default_memory_pool().release_unused()  # what was held while the table was anonymized and verified
    connection.execute(f"SET memory_limit = '{LARGE_MEGABYTES}MB'")
    connection.execute(f"SET threads = {min(os.cpu_count() or 1, MOST_THREADS)}")
    connection.execute("SET temp_directory = $folder", {"folder": str(aside)})
    for kind, megabytes in GIVEN_BACK.items():
        connection.execute(f"SET {kind} = '{megabytes}MB'")
    return help_by_ranges(connection, write_large_database(connection, batches, sensitive))


def _write_error(error: Exception) -> ShoalError:
    """What the engine says may hold values."""
    import duckdb

    if any(sign in str(error) for sign in ("No space left", "max_temp_directory_size")):
        return ShoalError(
            "there is no room on the disk for the database of the release",
            "make room there, or write the release elsewhere.",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return ShoalError(
            "groups of so many records need more memory than the database may take while it is written",
            "ask for smaller groups (a lower e or k), or publish with --engine memory.",
        )
    return ShoalError(
        "the database of the release cannot be written", "check the disk and the folder, or choose another."
    )


def _sync(*files: Path) -> None:
    for file in files:
        with file.open("rb") as written:
            os.fsync(written.fileno())


def _megabytes(rows: int, columns: int) -> int:
    """What the engine may take; beyond that it works on the disk, inside the folder."""
    return LEAST_MEGABYTES + rows * columns * BYTES_PER_VALUE // 10**6


def _guarded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch with names that no spreadsheet runs; the cells are numbers and dates."""
    return batch.rename_columns([escape_name(name) for name in batch.schema.names])


def _write_batches(batches: Iterable[pa.RecordBatch], file: Path) -> None:
    """A part at a time: the help table has as many rows as the data."""
    from pyarrow import csv, parquet

    every = iter(batches) if file.suffix == ".parquet" else map(_guarded, batches)
    first = next(every)
    with (
        parquet.ParquetWriter(
            file, first.schema, compression="zstd", use_dictionary=False, write_page_index=False
        )
        if file.suffix == ".parquet"
        else csv.CSVWriter(file, first.schema, write_options=csv.WriteOptions(quoting_style="needed"))
    ) as written:
        for batch in chain([first], every):
            written.write_batch(batch)
