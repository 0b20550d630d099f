"""Tables of an SQLite file. Nothing is written: not to it, not beside it, and no lock is taken.

SQLite knows a kind of every cell, not of columns, so a table is read as the CSV of it would be.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.cell_text import text_column
from shoal.table.databases.table_choice import select_of
from shoal.table.files.header import refuse_column_names
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches

LONGEST_ROW = 1 << 26  # bytes
ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
LIST = (
    "select 'main', name, type = 'table' from sqlite_schema where type in ('table', 'view') "
    "and name not like 'sqlite\\_%' escape '\\' order by name"
)


def sqlite_batches(path: Path, _limits: Limits, reading: Reading) -> Batches:
    """The rows of the table that is meant."""
    with _opened(path, check=True) as connection:
        select = select_of(path.name, connection.execute(LIST).fetchall(), reading, "sqlite")
        columns = connection.execute(f"select * from ({select}) limit 0").description  # noqa: S608
        names = [column[0] for column in columns]
    refuse_column_names(names, path.name)
    schema = pa.schema([(name, pa.string()) for name in names])
    return Batches(schema, None, partial(_tables, path, select, schema), repeats=False)


def _tables(path: Path, select: str, schema: pa.Schema, rows_at_once: int) -> Iterator[pa.Table]:
    with _opened(path) as connection:
        cursor = connection.execute(select)
        while rows := cursor.fetchmany(rows_at_once):
            columns = zip(schema.names, zip(*rows, strict=True), strict=True)
            yield pa.Table.from_arrays([_column(path, *column) for column in columns], schema=schema)


def _column(path: Path, name: str, cells: tuple[object, ...]) -> pa.Array:
    if any(type(cell) is bytes for cell in cells):
        what = f"column {name!r} of {path.name} holds bytes, which are no values"
        raise ShoalError(what, "leave it out: --query with the columns that are needed.")
    return text_column(cells)


@contextmanager
def _opened(path: Path, check: bool = False) -> Iterator[sqlite3.Connection]:
    _refuse_unfinished(path)
    address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ROW)
            connection.execute("pragma query_only = on")
            connection.execute("pragma trusted_schema = off")
            if check and connection.execute("pragma quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError
            connection.set_authorizer(_only_reading)
            yield connection
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeError) as error:
        raise _refused(path, error) from None


def _only_reading(action: int, *names: str | None) -> int:
    loads = action == sqlite3.SQLITE_FUNCTION and "load_extension" in names
    return sqlite3.SQLITE_OK if action in ALLOWED and not loads else sqlite3.SQLITE_DENY


def _refuse_unfinished(path: Path) -> None:
    """What another program has not yet put into the file would be missing."""
    for ending in ("-wal", "-journal"):
        beside = path.with_name(path.name + ending)
        if beside.exists() and beside.stat().st_size:
            what = f"{path.name} is still being written: there is {beside.name!r} beside it"
            raise ShoalError(what, "close the program that has it open, then try again.")


def _refused(path: Path, error: Exception) -> ShoalError:
    """What SQLite says may show a cell."""
    code = getattr(error, "sqlite_errorname", "")
    if code == "SQLITE_AUTH":
        return ShoalError("the query does something else than to read", "give one SELECT.")
    if code == "SQLITE_ERROR":
        hint = "check the names of tables, columns and functions in it, with sqlite3 for example."
        return ShoalError(f"the query cannot be answered by {path.name}", hint)
    if code == "SQLITE_TOOBIG":
        return ShoalError(f"{path.name} has a row that is too long", "leave out its longest column: --query.")
    what = f"{path.name} is broken, encrypted or no SQLite database"
    return ShoalError(what, "check it with 'pragma integrity_check', or export its table as CSV.")
