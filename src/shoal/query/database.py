"""A permuted table in the embedded engine, closed to everything but itself."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from shoal.errors import ShoalError
from shoal.query.help_table import build
from shoal.query.schema import TABLE, Schema
from shoal.table.numbers import NotNumeric, numbers_from_arrow

LOCKS = (
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


def open_database(table: pa.Table, sensitive: Sequence[str]) -> tuple[duckdb.DuckDBPyConnection, Schema]:
    """A permuted table and its help table, ready for ``answer``.

    Sensitive columns become whole numbers or decimals wherever these are exact, so that bounds are exact.
    """
    schema = Schema(tuple(table.column_names), tuple(sensitive))
    for name in schema.sensitive:
        table = table.set_column(table.column_names.index(name), name, _exact(table[name], name))
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute(f"CREATE TABLE {TABLE} AS FROM given")
    connection.unregister("given")
    build(connection, schema)
    lock(connection)
    return connection, schema


def lock(connection: duckdb.DuckDBPyConnection) -> None:
    """No files, no network, no settings from here on."""
    for setting in LOCKS:
        connection.execute(setting)


def _exact(cells: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    try:
        numbers = numbers_from_arrow(cells)
    except NotNumeric as odd:
        raise ShoalError(
            f"sensitive column {name!r} is not numeric in {len(odd.rows)} cells: {odd.reason}",
            "permute numeric columns only.",
        ) from None
    if numbers.any_missing or not numbers.exact:
        return cells
    return pa.chunked_array([numbers.to_arrow(numbers.units)])
