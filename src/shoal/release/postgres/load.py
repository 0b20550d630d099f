"""Tables and views of a release into one schema, inside the transaction of the caller."""

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
from duckdb import DuckDBPyConnection

from shoal.errors import ShoalError
from shoal.query.schema import GROUP
from shoal.release.postgres.source import Source, SourceTable
from shoal.release.postgres.views import PostgresView

RELEASE = "release"
GROUPS = "groups"
MARK = "part of a release, made by shoal publish"
MARK_TABLE = f"COMMENT ON TABLE {{}} IS '{MARK}'"
MARK_VIEW = f"COMMENT ON VIEW {{}} IS '{MARK}'"
ROWS_AT_ONCE = 2048  # a row of the groups may hold thousands of numbers
WAIT = "60s"
ALONE = "SELECT pg_advisory_xact_lock(hashtext(%s))"  # two of us take turns
SCHEMAS = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
EXISTING = """
    SELECT c.relname, c.relkind::text, coalesce(obj_description(c.oid, 'pg_class') = %s, false)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s ORDER BY c.relname
"""


def load(
    connection: Any,
    schema: str,
    source: Source,
    manifest: str,
    force: bool,
    on_step: Callable[..., None],
) -> None:
    """Make the schema if it is missing, and in it everything that the release consists of."""
    run = StatementRunner(connection, schema)
    run("SELECT set_config('lock_timeout', %s, true)", values=[WAIT])
    run(ALONE, values=[f"shoal publish {schema}"])
    make_room(run, source.names | {RELEASE}, force)
    run("SET LOCAL search_path TO {}", schema)
    for table in source.tables:
        _make_table(run, table)
        _copy(run, table, source.connection, on_step)
    on_step("indexing")
    for table in source.tables:
        _index(run, table)
    _make_release(run, manifest)
    for view in source.views:
        _make_view(run, view)
    for name in (RELEASE, *(table.name for table in source.tables)):
        run("ANALYZE {}", name)


class StatementRunner:
    """Runs statements whose names are always quoted."""

    def __init__(self, connection: Any, schema: str) -> None:
        from psycopg import sql

        self.connection, self.schema, self.sql = connection, schema, sql

    def __call__(self, statement: str, *names: Any, values: list[Any] | None = None) -> Any:
        return self.connection.execute(self.composed(statement, *names), values)

    def composed(self, statement: str, *names: Any) -> Any:
        """The statement with names in its places, each quoted; a part that is composed already stays."""
        parts = (self.sql.Identifier(name) if isinstance(name, str) else name for name in names)
        return self.sql.SQL(statement).format(*parts)

    def listed(self, names: Iterable[Any]) -> Any:
        return self.sql.SQL(", ").join([self.composed("{}", name) for name in names])


def make_room(run: StatementRunner, names: set[str], force: bool) -> None:
    """What is there is never touched without --force, and then only if it came from this command."""
    if not run(SCHEMAS, values=[run.schema]).fetchall():
        run("CREATE SCHEMA {}", run.schema)
    existing = run(EXISTING, values=[MARK, run.schema]).fetchall()
    if foreign := [name for name, _, ours in existing if name in names and not ours]:
        raise ShoalError(
            f"schema {run.schema!r} has {_listed(foreign)}, which did not come from a release",
            "choose another schema with --schema, or drop it yourself.",
        )
    earlier = {kind: [name for name, of, ours in existing if ours and of == kind] for kind in "vr"}
    if any(earlier.values()) and not force:
        raise ShoalError(
            f"schema {run.schema!r} holds a release", "choose another with --schema, or add --force."
        )
    for kind, word in (("v", "VIEW"), ("r", "TABLE")):
        if earlier[kind]:
            dropped = [run.sql.Identifier(run.schema, name) for name in earlier[kind]]
            run(f"DROP {word} {{}}", run.listed(dropped))


def _make_table(run: StatementRunner, table: SourceTable) -> None:
    columns = [run.composed("{} {}", column.name, run.sql.SQL(column.declared)) for column in table.columns]
    run("CREATE TABLE {} ({})", table.name, run.listed(columns))
    run(MARK_TABLE, table.name)


def _copy(
    run: StatementRunner, table: SourceTable, database: DuckDBPyConnection, on_step: Callable[..., None]
) -> None:
    """Line by line out of one engine into the other; only the lines under way are in memory."""
    done = 0
    with run.connection.cursor() as cursor:
        with cursor.copy(run.composed("COPY {} FROM STDIN WITH (FREEZE)", table.name)) as copy:
            for batch in database.sql(table.lines).to_arrow_reader(ROWS_AT_ONCE):
                copy.write(_bytes(batch.column(0)))
                done += batch.num_rows
                on_step(f"loading {table.name}", done / table.rows)
        if cursor.rowcount != table.rows:
            raise ShoalError(f"table {table.name!r} did not arrive whole", "nothing was kept; try again.")


def _bytes(lines: pa.Array) -> memoryview:
    """The text of all lines is one buffer already."""
    _, offsets, text = lines.buffers()
    ends = memoryview(offsets).cast("i" if pa.types.is_string(lines.type) else "q")
    return memoryview(text)[ends[lines.offset] : ends[lines.offset + len(lines)]]


def _index(run: StatementRunner, table: SourceTable) -> None:
    if GROUP not in [column.name for column in table.columns]:
        return
    if table.name == GROUPS:
        run("ALTER TABLE {} ADD PRIMARY KEY ({})", table.name, GROUP)
    else:
        run("CREATE INDEX ON {} ({})", table.name, GROUP)


def _make_release(run: StatementRunner, manifest: str) -> None:
    run("CREATE TABLE {} (manifest jsonb NOT NULL)", RELEASE)
    run("INSERT INTO {} VALUES (%s)", RELEASE, values=[manifest])
    run(MARK_TABLE, RELEASE)


def _make_view(run: StatementRunner, view: PostgresView) -> None:
    import psycopg

    try:
        run("CREATE VIEW {} ({}) AS {}", view.name, run.listed(view.columns), run.sql.SQL(view.query))
    except psycopg.Error as error:
        raise ShoalError(
            f"view {view.name!r} of the release does not work in PostgreSQL ({type(error).__name__})",
            "ask for a release without such a view.",
        ) from None
    run(MARK_VIEW, view.name)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
