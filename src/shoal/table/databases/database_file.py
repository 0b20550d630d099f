"""A database in one file, of the kind that its first bytes say: endings such as .db say nothing."""

from pathlib import Path

from shoal.errors import ShoalError
from shoal.table.files.file_endings import DATABASES
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import batched

SQLITE, DUCKDB = b"SQLite format 3\0", b"DUCK"


def _batches_of(path: Path, limits: Limits, reading: Reading) -> Batches:
    path = path.resolve()  # what is not yet in the file lies beside it, not beside a link to it
    with path.open("rb") as file:
        start = file.read(START)
    if start.startswith(SQLITE):
        from shoal.table.databases.sqlite_file import sqlite_batches  # which loads SQLite

        return sqlite_batches(path, limits, reading)
    if start[8:12] == DUCKDB:
        from shoal.table.databases.duckdb_file import duckdb_batches

        return duckdb_batches(path, limits, reading)
    refuse_disguised(path, start, expected="a database")
    what = f"{path.name} is no database of SQLite or DuckDB, or is encrypted"
    raise ShoalError(what, "decrypt it with its own program, or export its table as CSV.")


DATABASE_FILE = batched(DATABASES, _batches_of, choices=("table", "query"), text_per_byte=2)
