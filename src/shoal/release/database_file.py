"""What a permuted release has beside its data: the help table, and all of it as one database.

Both are made from the data as it was written, so they tell nothing that it does not tell.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.policy.policy import Policy

if TYPE_CHECKING:
    import duckdb

DATABASE = "release.duckdb"
LEAST_MEGABYTES = 500
BYTES_PER_VALUE = 100  # its place in a list, while the lists are made


def write_database_files(
    data: pa.Table, policy: Policy, folder: Path, format: str, on_step: Callable[[str], None]
) -> list[Path]:
    """``release.duckdb`` and ``help.csv`` or ``help.parquet``, seen safely onto the disk."""
    import duckdb

    from shoal.query.database import write_database
    from shoal.query.typed import typed

    database, help_file = folder / DATABASE, folder / f"help.{format}"
    sensitive = policy.having("sensitive")
    on_step("writing the database")
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"SET memory_limit = '{_megabytes(data.num_rows, len(sensitive))}MB'")
        write_database(connection, typed(data), sensitive)
        on_step("writing the help table")
        _write_help(connection, help_file)
        connection.execute("CHECKPOINT")
    for file in (database, help_file):
        with file.open("rb") as written:
            os.fsync(written.fileno())
    return [database, help_file]


def _megabytes(rows: int, columns: int) -> int:
    """What the engine may take; beyond that it works on the disk, inside the folder."""
    return LEAST_MEGABYTES + rows * columns * BYTES_PER_VALUE // 10**6


def _write_help(connection: "duckdb.DuckDBPyConnection", file: Path) -> None:
    """A part at a time: it has as many rows as the data."""
    from shoal.query.database import help_batches

    batches = help_batches(connection)
    if file.suffix == ".parquet":
        from pyarrow import parquet

        with parquet.ParquetWriter(file, batches.schema, compression="zstd", use_dictionary=False) as parts:
            for batch in batches:
                parts.write_batch(batch)
        return
    from pyarrow import csv

    with csv.CSVWriter(file, batches.schema, write_options=csv.WriteOptions(quoting_style="needed")) as lines:
        for batch in batches:
            lines.write_batch(batch)
