"""The tables of a release in the embedded engine, whatever files it consists of."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
from duckdb import DuckDBPyConnection

from shoal.errors import Fault, ShoalError
from shoal.query.database import lock, read_only
from shoal.query.schema import COUNTED, TABLE
from shoal.release.opened import OpenedRelease
from shoal.release.postgres.columns import Column, quoted, spelled_columns, typed_columns
from shoal.release.postgres.connect import name_fault
from shoal.release.postgres.views import View, views_of

DATABASE = "release.duckdb"
TABLES = f"""
    SELECT table_name FROM duckdb_tables() WHERE NOT internal AND table_name <> '{COUNTED}' ORDER BY table_oid
"""  # counts of values are for the embedded engine alone
MOST_COLUMNS = 1600
TAKEN = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})


@dataclass(frozen=True)
class SourceTable:
    name: str
    columns: tuple[Column, ...]
    rows: int

    @property
    def lines(self) -> str:
        """The statement that gives the table line by line, as COPY reads it."""
        cells = ", ".join(rf"coalesce({column.cell}, '\N')" for column in self.columns)
        return f"SELECT concat_ws(chr(9), {cells}) || chr(10) AS line FROM {quoted(self.name)}"


@dataclass(frozen=True)
class Source:
    connection: DuckDBPyConnection
    tables: tuple[SourceTable, ...]
    views: tuple[View, ...]

    @property
    def names(self) -> set[str]:
        return {table.name for table in self.tables} | {view.name for view in self.views}


@contextmanager
def opened_source(opened: OpenedRelease) -> Iterator[Source]:
    """All tables and views of ``release.duckdb``, or the published table alone."""
    stored = DATABASE in opened.manifest.files
    try:
        with _database(opened) if stored else _published(opened) as connection:
            lock(connection)
            yield source_of(connection, spelled="data.csv" in opened.manifest.files and not stored)
    except duckdb.Error as error:
        raise ShoalError(
            f"the tables of the release cannot be read ({type(error).__name__})",
            "ask for the original release.",
        ) from None


def source_of(connection: DuckDBPyConnection, spelled: bool = False) -> Source:
    """Everything in a database; ``spelled`` says that its cells are texts that came from a CSV file."""
    tables, faults = [], []
    for (name,) in connection.execute(TABLES).fetchall():
        columns, unknown = (
            (spelled_columns(connection, name), []) if spelled else typed_columns(connection, name)
        )
        faults += unknown + _faults(name, columns)
        (rows,) = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone() or (0,)
        tables.append(SourceTable(name, tuple(columns), rows))
    if faults:
        raise ShoalError(faults)
    return Source(connection, tuple(tables), tuple(views_of(connection)))


def _database(opened: OpenedRelease) -> DuckDBPyConnection:
    return read_only(opened.folder / DATABASE)


def _published(opened: OpenedRelease) -> DuckDBPyConnection:
    table = opened.read()
    if len({name.lower() for name in table.names}) < len(table.names):
        raise ShoalError("two columns of the release differ in capitals only", "rename one of them.")
    connection = duckdb.connect()
    connection.register("published", table.arrow)
    connection.execute(f"CREATE TABLE {TABLE} AS FROM published")
    connection.unregister("published")
    return connection


def _faults(table: str, columns: list[Column]) -> list[Fault]:
    names = [column.name for column in columns]
    faults = [name_fault("table", table), *(name_fault("column", name) for name in names)]
    if len(names) > MOST_COLUMNS:
        what = f"table {table!r} has {len(names)} columns, and PostgreSQL takes {MOST_COLUMNS}"
        faults.append(Fault(what, "publish fewer columns."))
    twice = sorted({name for name in names if names.count(name) > 1})
    faults += [Fault(f"two columns would be called {name!r}", "rename one of them.") for name in twice]
    taken = sorted(TAKEN.intersection(names))
    faults += [Fault(f"PostgreSQL keeps the column name {name!r} to itself", "rename it.") for name in taken]
    return [fault for fault in faults if fault is not None]
