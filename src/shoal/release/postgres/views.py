"""The views of a release, in the SQL of PostgreSQL."""

from dataclasses import dataclass
from graphlib import TopologicalSorter

import sqlglot
from duckdb import DuckDBPyConnection
from sqlglot import exp
from sqlglot.errors import SqlglotError

from shoal.errors import ShoalError
from shoal.release.postgres.columns import quoted

VIEWS = "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
COLUMNS = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
HINT = "ask for a release without such a view."


@dataclass(frozen=True)
class View:
    name: str
    columns: tuple[str, ...]
    query: str
    reads: frozenset[str]  # names of tables and views, in small letters


def views_of(connection: DuckDBPyConnection) -> list[View]:
    """Every view, each after those that it reads."""
    named = connection.execute(COLUMNS).fetchall()
    spellings: dict[str, str] = {}
    for table, column in named:
        spellings.setdefault(table.lower(), table)
        spellings.setdefault(column.lower(), column)
    views = {}
    for name, text in connection.execute(VIEWS).fetchall():
        columns = tuple(connection.view(quoted(name)).columns)
        views[name.lower()] = View(name, columns, *translated(name, text, spellings))
    if any(view.reads - {table.lower() for table, _ in named} for view in views.values()):
        raise ShoalError("a view of the release reads a table that is not in it", HINT)
    order = TopologicalSorter({name: view.reads & set(views) for name, view in views.items()})
    return [views[name] for name in order.static_order()]


def translated(name: str, text: str, spellings: dict[str, str]) -> tuple[str, frozenset[str]]:
    """The query of a view, and what it reads.

    The embedded engine takes capitals for small letters, PostgreSQL does not: every name is spelled as
    the table spells it, and quoted.

    >>> translated("v", "CREATE VIEW v AS SELECT AGE FROM main.data", {"age": "Age"})
    ('SELECT "Age" FROM "data"', frozenset({'data'}))
    """
    try:
        tree = sqlglot.parse_one(text, read="duckdb").expression
    except SqlglotError:
        tree = None
    if not isinstance(tree, exp.Query):
        raise ShoalError(f"view {name!r} of the release cannot be translated", HINT)
    tree = tree.transform(_portable)
    tables = [table for table in tree.find_all(exp.Table) if isinstance(table.this, exp.Identifier)]
    for table in tables:
        table.set("db", None)
        table.set("catalog", None)
    spelled = dict(spellings)
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("this", spelled.setdefault(identifier.name.lower(), identifier.name))
        identifier.set("quoted", True)
    inner = {made.alias.lower() for made in tree.find_all(exp.CTE)}
    reads = frozenset(table.name.lower() for table in tables) - inner
    return str(tree.sql("postgres", comments=False)), reads


def _portable(node: exp.Expression) -> exp.Expression:
    """The engine's own spelling of ``count(*)``; and a series, which is a table in PostgreSQL, not a list."""
    if isinstance(node, exp.Anonymous) and node.name.lower() == "count_star":
        return exp.Count(this=exp.Star())
    if isinstance(node, exp.Explode) and isinstance(node.this, exp.GenerateSeries):
        return node.this
    return node
