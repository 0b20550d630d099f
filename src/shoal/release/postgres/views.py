"""The views of a release, in the SQL of PostgreSQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from duckdb import DuckDBPyConnection
from sqlglot import exp
from sqlglot.errors import SqlglotError

from shoal.errors import ShoalError
from shoal.query.sql_text import sql_text
from shoal.release.postgres.columns import quote_name

HINT = "ask for a release without such a view."


@dataclass(frozen=True)
class PostgresView:
    """A view in PostgreSQL: its name, columns and query."""

    name: str
    columns: tuple[str, ...]
    query: str


def postgres_views(
    connection: DuckDBPyConnection, tables: Sequence[str], statements: Mapping[str, str]
) -> list[PostgresView]:
    """The views of these statements, which read these tables and nothing else."""
    described = {name: connection.table(quote_name(name)).columns for name in tables}
    names = (*described, *(column for columns in described.values() for column in columns))
    spellings = {name.lower(): name for name in reversed(names)}  # the first of several counts
    return [
        PostgresView(name, tuple(connection.sql(text).columns), postgres_statement(name, text, spellings))
        for name, text in statements.items()
    ]


def postgres_statement(name: str, text: str, spellings: dict[str, str]) -> str:
    """The statement of a view in the SQL of PostgreSQL.

    The embedded engine takes capitals for small letters, PostgreSQL does not: every name is spelled as
    the table spells it, and quoted.

    >>> postgres_statement("v", "SELECT AGE FROM main.data", {"age": "Age"})
    'SELECT "Age" FROM "data"'
    """
    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Query):
        raise ShoalError(f"view {name!r} of the release cannot be translated", HINT)
    tree = tree.transform(_portable)
    for table in tree.find_all(exp.Table):
        table.set("db", None)
        table.set("catalog", None)
    spelled = dict(spellings)
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("this", spelled.setdefault(identifier.name.lower(), identifier.name))
        identifier.set("quoted", True)
    return sql_text(tree, "postgres")


def _portable(node: exp.Expression) -> exp.Expression:
    """The engine's own spelling of ``count(*)``; and a series, which is a table in PostgreSQL, not a list."""
    if isinstance(node, exp.Anonymous) and node.name.lower() == "count_star":
        return exp.Count(this=exp.Star())
    if isinstance(node, exp.Explode) and isinstance(node.this, exp.GenerateSeries):
        return node.this
    return node
