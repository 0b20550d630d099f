"""Tables of a DuckDB file, opened for reading alone: no other file, extension or setting can be reached."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.databases.table_choice import select_of
from shoal.table.files.header import refuse_column_names
from shoal.table.files.limits import Limits
from shoal.table.files.long_cells import refuse_long_cells
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches

SETTINGS: dict[str, Any] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
    "threads": 1,  # with more, rows of a query come in another order each time
    "lock_configuration": "true",
}
LIST = (
    "select table_schema, table_name, table_type = 'BASE TABLE' from information_schema.tables "
    "where table_catalog = current_database() order by all"
)


def duckdb_batches(path: Path, _limits: Limits, reading: Reading) -> Batches:
    """The rows of the table that is meant."""
    with _opened(path) as connection:
        select = select_of(path.name, connection.execute(LIST).fetchall(), reading, "duckdb")
        empty = connection.sql(f"select * from ({select}) limit 0").to_arrow_table()  # noqa: S608
    refuse_column_names(empty.column_names, path.name)
    schema = decode_columns(empty, empty.column_names).schema.remove_metadata()
    return Batches(schema, None, partial(_tables, path, select), repeats=False)


def _tables(path: Path, select: str, rows_at_once: int) -> Iterator[pa.Table]:
    with _opened(path) as connection:
        for batch in connection.sql(select).to_arrow_reader(rows_at_once):
            refuse_long_cells(path.name, batch)
            table = pa.Table.from_batches([batch])
            yield decode_columns(table, table.column_names).replace_schema_metadata()


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import duckdb

    try:
        with duckdb.connect(str(path), read_only=True, config=SETTINGS) as connection:
            yield connection
    except (duckdb.Error, pa.ArrowException) as error:
        raise _refused(path, type(error).__name__) from None


def _refused(path: Path, kind: str) -> ShoalError:
    """What DuckDB says may show a cell."""
    if kind in ("CatalogException", "BinderException", "ParserException"):
        hint = "check the names of tables, columns and functions in it, with duckdb for example."
        return ShoalError(f"the query cannot be answered by {path.name}", hint)
    if kind in ("PermissionException", "InvalidInputException"):
        hint = "give one SELECT of tables of the file; views of other files cannot be read."
        return ShoalError(f"the query reaches outside of {path.name}", hint)
    if kind == "ConnectionException":
        return ShoalError(f"{path.name} is open elsewhere in this program", "close it there, then try again.")
    what = f"{path.name} is broken, in use, or of another version of DuckDB"
    return ShoalError(what, "close the program that has it open, or export its table as Parquet.")
