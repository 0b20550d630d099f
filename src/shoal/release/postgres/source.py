"""The tables of a release in the embedded engine, whatever files it consists of."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

import duckdb
from duckdb import DuckDBPyConnection

from shoal.errors import Fault, ShoalError
from shoal.query.permuted.database import lock, read_only, schema_of
from shoal.query.permuted.group_tables import views_over
from shoal.query.schema import GROUPS, TABLE
from shoal.release.opened_release import OpenedRelease
from shoal.release.postgres.columns import PostgresColumn, quote_name, text_columns, typed_columns
from shoal.release.postgres.connect import name_fault
from shoal.release.postgres.views import PostgresView, postgres_views

DATABASE = "release.duckdb"
NONE: Mapping[str, str] = MappingProxyType({})
MOST_COLUMNS = 1600
TAKEN = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})


@dataclass(frozen=True)
class SourceTable:
    """A table that is copied to PostgreSQL."""

    name: str
    columns: tuple[PostgresColumn, ...]
    rows: int

    @property
    def lines(self) -> str:
        """The statement that gives the table line by line, as COPY reads it."""
        cells = ", ".join(rf"coalesce({column.cell}, '\N')" for column in self.columns)
        return f"SELECT concat_ws(chr(9), {cells}) || chr(10) AS line FROM {quote_name(self.name)}"


@dataclass(frozen=True)
class Source:
    """The open database whose tables and views are published."""

    connection: DuckDBPyConnection
    tables: tuple[SourceTable, ...]
    views: tuple[PostgresView, ...]

    @property
    def names(self) -> set[str]:
        return {table.name for table in self.tables} | {view.name for view in self.views}


@contextmanager
def open_source(opened: OpenedRelease) -> Iterator[Source]:
    """The tables of ``release.duckdb`` with our own views over them, or the published table alone."""
    stored = DATABASE in opened.manifest.files
    try:
        with _database(opened) if stored else _published(opened) as connection:
            if stored:
                own = views_over(schema_of(connection, opened.policy.having("sensitive")))
                yield source_of(connection, tables=(TABLE, GROUPS), views=own)
            else:
                yield source_of(connection, spelled="data.csv" in opened.manifest.files)
    except duckdb.Error as error:
        raise ShoalError(
            f"the tables of the release cannot be read ({type(error).__name__})",
            "ask for the original release.",
        ) from None


def source_of(
    connection: DuckDBPyConnection,
    spelled: bool = False,
    tables: Sequence[str] = (TABLE,),
    views: Mapping[str, str] = NONE,
) -> Source:
    """These tables of a database, and views by their statements; those in the file are not looked at.
    ``spelled`` says that its cells are texts that came from a CSV file."""
    found, faults = [], []
    for name in tables:
        columns, unknown = (
            (text_columns(connection, name), []) if spelled else typed_columns(connection, name)
        )
        faults += unknown + _faults(name, columns)
        ((rows,),) = connection.execute(f"SELECT count(*) FROM {quote_name(name)}").fetchall()
        found.append(SourceTable(name, tuple(columns), rows))
    if faults:
        raise ShoalError(faults)
    return Source(connection, tuple(found), tuple(postgres_views(connection, tables, views)))


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
    lock(connection)
    return connection


def _faults(table: str, columns: list[PostgresColumn]) -> list[Fault]:
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
