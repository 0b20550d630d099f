"""Tables of a PostgreSQL server, read in one transaction that can change nothing.

All that is read of a table, as often as it is read, is of the moment of the first look at it. A cell becomes
text where it is, as the CSV of the table would have it; few rows at a time leave the server.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from weakref import finalize

import pyarrow as pa

from shoal.errors import ShoalError
from shoal.table.columns.cell_text import text_column
from shoal.table.databases.address import DatabaseAddress
from shoal.table.databases.postgres_connection import connected, driver
from shoal.table.databases.table_choice import quoted, select_of
from shoal.table.files.header import refuse_column_names
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading
from shoal.table.formats.row_batches import Batches
from shoal.table.formats.table_format import batched

READ_ONLY = (
    "-c default_transaction_read_only=on -c default_transaction_isolation=repeatable\\ read "
    "-c synchronize_seqscans=off -c max_parallel_workers_per_gather=0 "
    "-c idle_in_transaction_session_timeout=0 "
    "-c datestyle=ISO -c intervalstyle=iso_8601 -c timezone=UTC -c extra_float_digits=1 -c bytea_output=hex"
)
LIST = (
    "select table_schema, table_name, table_type <> 'VIEW' from information_schema.tables where table_schema "
    "not in ('pg_catalog', 'information_schema') and table_schema not like 'pg\\_%' order by 1, 2"
)
BYTES = 17  # the number of the type bytea
REFUSALS = {
    "42P01": (
        "there is no such table",
        "check its name, and that of its schema.",
    ),
    "42703": ("the query names a column that is not there", "check the columns of the table."),
    "42501": ("this user may not read the table", "ask its owner for the SELECT privilege."),
    "42601": ("the query cannot be read as SQL of PostgreSQL", "try it with psql."),
    "25006": ("the query changes something", "give one SELECT that only reads."),
    "57014": ("the server has cancelled the query", "raise its statement_timeout, or ask for less."),
    "57P01": ("the server has ended the connection", "try again."),
}


def _batches_of(address: DatabaseAddress, _limits: Limits, reading: Reading) -> Batches:
    connection = connected(address.url, READ_ONLY)
    with _refused_by(connection):
        select = select_of(address.name, connection.execute(LIST).fetchall(), reading, "postgres")
        columns = connection.execute(f"select * from ({select}) as chosen limit 0").description  # noqa: S608
        names = [column.name for column in columns]
        refuse_column_names(names, address.name)
        for column in columns:
            if column.type_code == BYTES:
                what = f"column {column.name!r} of {address.name} holds bytes, which are no values"
                raise ShoalError(what, "leave it out: --query with the columns that are needed.")
    texts = ", ".join(f"{quoted(name)}::text" for name in names)
    rows = ServerRows(connection, f"select {texts} from ({select}) as chosen", tuple(names))  # noqa: S608
    finalize(rows, connection.close)
    return Batches(rows.schema, None, rows, repeats=False)


@dataclass(frozen=True)
class ServerRows:
    """The rows of a SELECT, over a connection that is closed when nobody needs them any more."""

    connection: Any = field(repr=False)
    select: str = field(repr=False)
    names: tuple[str, ...]
    _numbers: Iterator[int] = field(default_factory=count, repr=False)

    @property
    def schema(self) -> pa.Schema:
        """Text: a server spells every cell."""
        return pa.schema([(name, pa.string()) for name in self.names])

    def __call__(self, rows_at_once: int) -> Iterator[pa.Table]:
        """Each reading has a cursor of its own on the server."""
        name = f"shoal_{next(self._numbers)}"
        with _refused_by(self.connection, close=False), self.connection.cursor(name=name) as cursor:
            cursor.execute(self.select)
            while rows := cursor.fetchmany(rows_at_once):
                columns = [text_column(column) for column in zip(*rows, strict=True)]
                yield pa.Table.from_arrays(columns, schema=self.schema)


@contextmanager
def _refused_by(connection: Any, close: bool = True) -> Iterator[None]:
    """What PostgreSQL says of an error may show a cell."""
    try:
        yield
    except BaseException as error:
        if close:
            connection.close()
        if not isinstance(error, driver().Error):
            raise
        if error.sqlstate is None:
            raise ShoalError("the connection to PostgreSQL was lost", "try again.") from None
        kind = f"PostgreSQL has refused to read the table ({type(error).__name__}, {error.sqlstate})"
        raise ShoalError(*REFUSALS.get(error.sqlstate, (kind, "its own log says more."))) from None


POSTGRES = batched((), _batches_of, choices=("table", "query"))
