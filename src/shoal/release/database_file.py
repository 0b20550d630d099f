"""What a permuted release has beside its data: the help table, and all of it as one database.

Both are made from the data as it was written, so they tell nothing that it does not tell.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.policy.policy import Policy

if TYPE_CHECKING:
    import duckdb

DATABASE = "release.duckdb"


def write_database_files(data: pa.Table, policy: Policy, folder: Path, format: str) -> list[Path]:
    """``release.duckdb`` and ``help.csv`` or ``help.parquet``, seen safely onto the disk."""
    import duckdb

    from shoal.query.database import write_database
    from shoal.query.typed import typed

    database, help_file = folder / DATABASE, folder / f"help.{format}"
    with duckdb.connect(str(database)) as connection:
        write_database(connection, typed(data), policy.having("sensitive"))
        _write_help(connection, help_file)
        connection.execute("CHECKPOINT")
    for file in (database, help_file):
        with file.open("rb") as written:
            os.fsync(written.fileno())
    return [database, help_file]


def _write_help(connection: "duckdb.DuckDBPyConnection", file: Path) -> None:
    """A part at a time: it has as many rows as the data."""
    from shoal.query.database import help_batches

    batches = help_batches(connection)
    if file.suffix == ".parquet":
        from pyarrow import parquet

        with parquet.ParquetWriter(file, batches.schema, compression="zstd") as parts:
            for batch in batches:
                parts.write_batch(batch)
        return
    from pyarrow import csv

    with csv.CSVWriter(file, batches.schema, write_options=csv.WriteOptions(quoting_style="needed")) as lines:
        for batch in batches:
            lines.write_batch(batch)
