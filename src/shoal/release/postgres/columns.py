"""Columns of the embedded engine as columns of PostgreSQL: a type, and the text of a cell for COPY.

The engine itself spells the cells, in the form that COPY reads, so that no cell becomes a Python object.
"""

from dataclasses import dataclass
from typing import Any

from duckdb import DuckDBPyConnection

from shoal.errors import Fault

SAME = {
    "boolean": "boolean",
    "tinyint": "smallint",
    "smallint": "smallint",
    "integer": "integer",
    "bigint": "bigint",
    "utinyint": "smallint",
    "usmallint": "integer",
    "uinteger": "bigint",
    "ubigint": "numeric",
    "hugeint": "numeric",
    "uhugeint": "numeric",
    "float": "real",
    "double": "double precision",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "timestamp_s": "timestamp",
    "timestamp_ms": "timestamp",
    "timestamp_ns": "text",  # finer than PostgreSQL's
    "timestamp with time zone": "timestamp with time zone",
    "uuid": "uuid",
    "varchar": "text",
    "enum": "text",
}
DATED = ("date", "timestamp", "timestamp with time zone")
ENDS = ["lo", "hi"]
WHOLE = "-?(0|[1-9][0-9]{0,17})"
NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?"


@dataclass(frozen=True)
class PostgresColumn:
    """A column in PostgreSQL: its name, its type, and the expression that fills it."""

    name: str
    type: str
    cell: str  # an expression of the engine; NULL where the cell is missing

    @property
    def declared(self) -> str:
        """The type; words are compared byte by byte, as in the embedded engine, in every database."""
        return f'{self.type} COLLATE "C"' if self.type.startswith("text") else self.type


class UnknownType(Exception):
    """A type that has no counterpart."""


def typed_columns(connection: DuckDBPyConnection, table: str) -> tuple[list[PostgresColumn], list[Fault]]:
    """The columns of a table by their types; a range ``lo``, ``hi`` becomes two."""
    found = connection.table(quote_name(table))
    columns: list[PostgresColumn] = []
    faults: list[Fault] = []
    for name, kind in zip(found.columns, found.types, strict=True):
        try:
            columns.extend(_columns(name, kind))
        except UnknownType:
            faults.append(
                Fault(
                    f"column {name!r} of table {table!r} has type {kind.id.upper()}, unknown to PostgreSQL",
                    "publish numbers, words, dates, ranges, or lists of these.",
                )
            )
    return columns, faults


def text_columns(connection: DuckDBPyConnection, table: str) -> list[PostgresColumn]:
    """The columns of a table in which every cell is text: numbers where all cells are spelled like one.

    What has zeros in front stays a text: 007 is no 7.
    """
    names = connection.table(quote_name(table)).columns
    return [column for name in names for column in _spelled(connection, table, name)]


def quote_name(name: str) -> str:
    """
    >>> quote_name('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A quoted SQL string."""
    return "'" + text.replace("'", "''") + "'"


def _columns(name: str, kind: Any) -> list[PostgresColumn]:
    cell = quote_name(name)
    if kind.id != "struct":
        return [PostgresColumn(name, postgres_type(kind), _text(cell, kind))]
    if [part for part, _ in kind.children] != ENDS:
        raise UnknownType
    return [
        PostgresColumn(f"{name}_{end}", postgres_type(inner), _text(f"{cell}.{end}", inner))
        for end, inner in kind.children
    ]


def postgres_type(kind: Any) -> str:
    """
    >>> import duckdb
    >>> postgres_type(duckdb.sqltype("DECIMAL(9, 2)[]"))
    'numeric(9,2)[]'
    """
    if kind.id in SAME:
        return SAME[kind.id]
    if kind.id == "decimal":
        parts = dict(kind.children)
        return f"numeric({parts['precision']},{parts['scale']})"
    if kind.id in ("list", "array"):
        inner = dict(kind.children)["child"]
        if inner.id not in ("list", "array"):
            return f"{postgres_type(inner)}[]"
    raise UnknownType


def _text(cell: str, kind: Any) -> str:
    if kind.id in ("list", "array"):
        return _list_text(cell, dict(kind.children)["child"])
    return _escaped(_plain(cell, kind)) if SAME.get(kind.id) == "text" else _plain(cell, kind)


def _plain(cell: str, kind: Any) -> str:
    spelled = f"CAST({cell} AS VARCHAR)"
    return f"replace({spelled}, '(BC)', 'BC')" if kind.id in DATED else spelled


def _list_text(cell: str, inner: Any) -> str:
    """``{1,2,NULL}``; whatever may hold a comma or a blank stands in quotes."""
    member = _plain("member", inner)
    if SAME.get(inner.id) == "text":
        member = f"""'"' || replace(replace({member}, '\\', '\\\\'), '"', '\\"') || '"'"""
    elif inner.id.startswith(("time", "date")):
        member = f"""'"' || {member} || '"'"""
    members = f"list_transform({cell}, lambda member: coalesce({member}, 'NULL'))"
    return _escaped(f"'{{' || array_to_string({members}, ',') || '}}'")


def _escaped(text: str) -> str:
    for character, mark in (("'\\'", "\\\\"), ("chr(9)", "\\t"), ("chr(10)", "\\n"), ("chr(13)", "\\r")):
        text = f"replace({text}, {character}, '{mark}')"
    return text


def _spelled(connection: DuckDBPyConnection, table: str, name: str) -> list[PostgresColumn]:
    cell = quote_name(name)
    for pattern, kind in ((WHOLE, "bigint"), (NUMBER, "numeric")):
        if _all_match(connection, table, cell, pattern):
            return [PostgresColumn(name, kind, cell)]
        if _all_match(connection, table, cell, rf"{pattern}|\[{pattern}, {pattern}\]"):
            low = rf"regexp_extract({cell}, '^\[?([^],]*)', 1)"
            high = rf"regexp_extract({cell}, '([^[ ]*?)\]?$', 1)"
            return [
                PostgresColumn(f"{name}_lo", kind, _some(low)),
                PostgresColumn(f"{name}_hi", kind, _some(high)),
            ]
    return [PostgresColumn(name, "text", _escaped(cell))]


def _some(text: str) -> str:
    return f"nullif({text}, '')"


def _all_match(connection: DuckDBPyConnection, table: str, cell: str, pattern: str) -> bool:
    """Every cell that is there; false where none is."""
    asked = f"SELECT bool_and(regexp_full_match({cell}, {quote_text(pattern)})) FROM {quote_name(table)}"
    (found,) = connection.execute(asked).fetchone() or (None,)
    return bool(found)
