"""A permuted release as a database: written once, asked often, closed to everything but itself."""

import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from shoal.errors import ShoalError
from shoal.query.permuted.column_types import exact_column
from shoal.query.permuted.group_tables import build_group_tables
from shoal.query.schema import COUNTED, GROUP, GROUPS, HELP, TABLE, Schema
from shoal.query.sql_text import sql_text
from shoal.query.syntax import select
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.columns.spelling import table_in_one_spelling, words_by_value
from shoal.table.files.limits import available_memory

TUNING = (
    "SET perfect_ht_threshold = 22",  # a group is a small whole number: count in an array
    "SET disabled_optimizers = 'join_order,build_side_probe_side'",  # lists are probed, never built
)
LOCKS = (
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
EXTENSIONS = ("autoinstall_known_extensions", "autoload_known_extensions")  # nothing is fetched or loaded
RELEASE = "release"
WHOLE = ("INTEGER[]", "BIGINT[]", "HUGEINT[]")
BATCH = 100_000
LEAST_MEGABYTES = 500


def write_database(
    connection: duckdb.DuckDBPyConnection, table: pa.Table, sensitive: Sequence[str]
) -> Schema:
    """The tables ``data`` and ``groups`` and the views ``mapping`` and ``help`` of a permuted table.

    Sensitive columns become dates, or whole numbers or decimals wherever these are exact, so that bounds
    are exact. Words are spelled by their value, as those of questions are. Rows are put in the order of their
    groups, and keep inside a group whatever order they came in.
    """
    schema = Schema(tuple(table.column_names), tuple(sensitive))
    table = table_in_one_spelling(table)
    exact = {name: exact_column(table[name]) for name in schema.sensitive}
    for at, name in enumerate(table.column_names):
        cells = exact.get(name)
        table = table.set_column(at, name, words_by_value(table[name]) if cells is None else cells)
    words = tuple(name for name, cells in exact.items() if cells is None)
    kinds = {name: cells.type for name, cells in exact.items() if cells is not None}
    dates = tuple(name for name, kind in kinds.items() if pa.types.is_date(kind))
    whole = tuple(name for name, kind in kinds.items() if name in dates or pa.types.is_integer(kind))
    schema = replace(schema, dates=dates, words=words, whole=whole)
    connection.register("given", _in_group_order(with_whole_groups(table)))
    connection.execute(f"CREATE TABLE {TABLE} AS {sql_text(select('*').from_('given'))}")
    connection.unregister("given")
    build_group_tables(connection, schema)
    return schema


def open_database(table: pa.Table, sensitive: Sequence[str]) -> tuple[duckdb.DuckDBPyConnection, Schema]:
    """A permuted table in memory, ready for ``answer``."""
    connection = duckdb.connect()
    schema = write_database(connection, table, sensitive)
    lock(connection)
    return connection, schema


def open_file(path: Path | str, sensitive: Sequence[str]) -> tuple[duckdb.DuckDBPyConnection, Schema]:
    """A database that was written to a file, read-only, ready for ``answer``."""
    try:
        connection = read_only(path)
        refuse_foreign(connection)
        return connection, schema_of(connection, sensitive)
    except duckdb.Error as error:
        raise ShoalError(
            f"the database of the release cannot be read ({type(error).__name__})",
            "ask for the original release.",
        ) from None


def read_only(path: Path | str) -> duckdb.DuckDBPyConnection:
    """The tables of a file in an engine of its own: whoever opens a file twice shares settings, and locks.

    It is locked before anything in the file is looked at: a view may be called ``data`` and read other files.
    """
    connection = closed_engine()
    attach(connection, path, RELEASE)
    connection.execute(f"USE {RELEASE}")
    lock(connection)
    return connection


def closed_engine() -> duckdb.DuckDBPyConnection:
    """An engine with nothing in it, which fetches and loads no extension, whatever a file asks for."""
    connection = duckdb.connect(config=dict.fromkeys(EXTENSIONS, False))
    limit_memory(connection)
    return connection


def attach(connection: duckdb.DuckDBPyConnection, path: Path | str, name: str) -> None:
    """A file under a name, to be read as a database of DuckDB and as nothing else."""
    place = sql_text(exp.Literal.string(str(path)))
    connection.execute(f"ATTACH {place} AS {name} (READ_ONLY, TYPE DUCKDB)")


def refuse_foreign(connection: duckdb.DuckDBPyConnection) -> None:
    """What questions read are tables, and functions are those of the engine: nothing runs that a file brought
    along."""
    named = f"WHERE database_name = '{RELEASE}'"
    tables = connection.execute(f"SELECT table_name FROM duckdb_tables() {named}").fetchall()
    functions = connection.execute(f"SELECT function_name FROM duckdb_functions() {named}").fetchall()
    if functions or {TABLE, GROUPS} - {table for (table,) in tables}:
        raise ShoalError(
            "the database of the release is not one that shoal has written", "ask for the original release."
        )


def limit_memory(connection: duckdb.DuckDBPyConnection) -> None:
    """Half of what is free; beyond that a question is worked on in the system's folder for such files, from
    which the engine removes what it has put there."""
    megabytes = max(available_memory() // 2 // 10**6, LEAST_MEGABYTES)
    connection.execute(f"SET memory_limit = '{megabytes}MB'")
    aside = Path(tempfile.gettempdir()) / f"shoal-query-{secrets.token_hex(8)}"
    connection.execute("SET temp_directory = $folder", {"folder": str(aside)})


def lock(connection: duckdb.DuckDBPyConnection) -> None:
    """Tuned for our statements; no files, no network, no settings from here on."""
    for setting in (*TUNING, *LOCKS):
        connection.execute(setting)


def schema_of(connection: duckdb.DuckDBPyConnection, sensitive: Sequence[str]) -> Schema:
    """What the tables tell of the permuted columns: groups list the values of those that have an order."""
    kinds = {name: str(kind) for name, kind, *_ in connection.execute(f"DESCRIBE {TABLE}").fetchall()}
    listed = {name: str(kind) for name, kind, *_ in connection.execute(f"DESCRIBE {GROUPS}").fetchall()}
    words = tuple(name for name in sensitive if f"{name}_values" not in listed)
    dates = tuple(name for name in sensitive if name not in words and kinds.get(name) == "DATE")
    whole = tuple(name for name in sensitive if listed.get(f"{name}_values") in WHOLE)
    return Schema(tuple(kinds), tuple(sensitive), dates, words, whole, _counted_columns(connection, whole))


def _counted_columns(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of which the file has every value of a group once."""
    if COUNTED not in {name for (name,) in connection.execute("SHOW TABLES").fetchall()}:
        return ()
    found = {name for name, *_ in connection.execute(f"DESCRIBE {COUNTED}").fetchall()}
    return tuple(name for name in names if f"{name}_ends" in found)


def help_batches(connection: duckdb.DuckDBPyConnection) -> pa.RecordBatchReader:
    """The help table in the order of groups and hits, a part at a time."""
    rows = select("*").from_(HELP).order_by(GROUP, "hits")
    return connection.sql(sql_text(rows)).to_arrow_reader(BATCH)


def with_whole_groups(table: pa.Table) -> pa.Table:
    """Group numbers in 32 bits, where they fit: the engine counts them fastest."""
    groups = table[GROUP]
    if not pa.types.is_integer(groups.type):
        return table
    try:
        return table.set_column(table.column_names.index(GROUP), GROUP, groups.cast(pa.int32()))
    except pa.ArrowInvalid:
        return table


def _in_group_order(table: pa.Table) -> pa.Table:
    order = pc.sort_indices(table[GROUP].combine_chunks())
    return pa.table({name: take_rows(table[name], order) for name in table.column_names})
