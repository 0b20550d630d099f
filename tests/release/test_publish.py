"""Publishing into a real PostgreSQL server: every cell arrives, or nothing does."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import psycopg
import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import FILE_NAME, Manifest, file_hash
from shoal.release.postgres.connect import connection_to
from shoal.release.postgres.load import load
from shoal.release.postgres.source import source_of
from shoal.release.publish import publish
from shoal.release.release import anonymize_in_memory
from tests.postgres import PASSWORD, Server

from .conftest import Write, Written

ODD = """
    CREATE TYPE mood AS ENUM ('sad', 'it''s "ok"', 'tab	here');
    CREATE TABLE data (
        shoal_group BIGINT, "Net ""pay"", 50%" DECIMAL(12, 2), "select" VARCHAR, "{naïve} 名" VARCHAR,
        feeling mood, born DATE, seen TIMESTAMP, share DOUBLE, single FLOAT, yes BOOLEAN, tiny TINYINT,
        small USMALLINT, huge HUGEINT, band STRUCT(lo BIGINT, hi BIGINT), words VARCHAR[], days DATE[],
        times TIMESTAMP[], cents DECIMAL(9, 3)[], huges HUGEINT[], doubles DOUBLE[], three INTEGER[3],
        flags BOOLEAN[]
    );
    INSERT INTO data VALUES
        (1, -12.50, 'a\\b\\N\\.', e'line\\nend\\r\\ttab', 'it''s "ok"', '2024-02-29',
         '2001-01-01 10:11:12.123456', 0.1, 0.25, true, -128, 65535, 170141183460469231731687303715884105727,
         {lo: -5, hi: 7}, ['a,b', NULL, '"q"', 'back\\slash', '', '{}', 'NULL', ' '], ['2024-02-29', NULL],
         ['2001-01-01 10:11:12.5'], [1.5, -0.125, NULL], [-170141183460469231731687303715884105727],
         [1e300, -0.1, 'inf'], [1, NULL, -3], [true, false]),
        (1, 0, '', '\\N', 'sad', '0001-01-01', '9999-12-31 23:59:59', 1e-300, -1.5, false, 127, 0, -1,
         {lo: 3, hi: 3}, [], [], [], [], [], [], [0, 0, 0], []),
        (2, 9999999999.99, '日本語 🐟', ';drop table data;--', 'tab	here', '1969-12-31',
         '1969-12-31 00:00:00', 'nan', 'inf', NULL, 0, 1, 0, NULL, [NULL], [NULL], [NULL],
         [NULL], [NULL], [NULL], NULL, [NULL]);
    INSERT INTO data (tiny) VALUES (NULL);
"""
GROUPS = """
    CREATE TABLE groups (shoal_group BIGINT, "Salary_values" BIGINT[], "Salary_sums" HUGEINT[], mean DOUBLE);
    INSERT INTO groups VALUES
        (1, [54, 55, 56], [54, 109, 165], 55.0), (2, [65, 70, 75], [65, 135, 210], 70.0);
"""
VIEWS = {
    "mapping": 'SELECT row_number() OVER (ORDER BY SHOAL_GROUP, "SELECT") AS "Row", shoal_group FROM data',
    "help": """
        SELECT g.shoal_group, n.hits, g.SALARY_sums[n.hits] AS "Lower ""sum"" of" FROM groups AS g
        JOIN (SELECT shoal_group, unnest(range(1, 4)) AS hits FROM groups) AS n USING (shoal_group)
    """,
    "counted": 'WITH c AS (SELECT count(*) AS n FROM data) SELECT n + 1 AS "N" FROM c',
}
EMPTY = 'CREATE TABLE "nothing; here" (a BIGINT, b VARCHAR[]);'
PARTS = {"data", "groups", "release", "mapping", "help", "counted"}
MANIFEST = json.dumps({"of": "tables of every kind"})
TABLES = "SELECT table_name FROM duckdb_tables() ORDER BY table_oid"


@pytest.fixture
def schema() -> str:
    return f"test_{uuid4().hex[:12]}"


@pytest.fixture
def database(postgres: Server) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        yield connection


def engine_with(*statements: str) -> duckdb.DuckDBPyConnection:
    """Tables of every kind, as no release has all of them."""
    connection = duckdb.connect()
    for statement in statements:
        connection.execute(statement)
    return connection


def load_all(
    engine: duckdb.DuckDBPyConnection,
    url: str,
    schema: str,
    views: dict[str, str] | None = None,
    force: bool = False,
    on_step: Callable[..., None] = lambda *_: None,
) -> None:
    """As `publish` loads a release that it has verified."""
    with connection_to(url) as connection:
        names = [name for (name,) in engine.execute(TABLES).fetchall()]
        source = source_of(engine, tables=names, views=views or {})
        load(connection, schema, source, MANIFEST, force, on_step)


def with_database(written: Written, *statements: str) -> Path:
    """The release with a database of somebody else, listed in the manifest."""
    path = written.folder / "release.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    manifest = Manifest.load(written.folder)
    files = {**manifest.files, path.name: file_hash(path)}
    (written.folder / FILE_NAME).write_text(replace(manifest, files=files).to_json(), encoding="utf-8")
    return written.folder


def rows_in(database: psycopg.Connection, schema: str, table: str) -> list[tuple[Any, ...]]:
    statement = psycopg.sql.SQL("SELECT * FROM {}").format(psycopg.sql.Identifier(schema, table))
    return database.execute(statement).fetchall()


def rows_of(engine: duckdb.DuckDBPyConnection, table: str) -> list[tuple[Any, ...]]:
    return engine.execute(f'SELECT * FROM "{table}"').fetchall()


def columns_in(database: psycopg.Connection, schema: str, table: str) -> dict[str, str]:
    asked = """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = format('%%I.%%I', %s::text, %s::text)::regclass AND attnum > 0 ORDER BY attnum"""
    return dict(database.execute(asked, [schema, table]).fetchall())


def names_in(database: psycopg.Connection, schema: str) -> set[str]:
    asked = (
        "SELECT relname FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = %s)"
    )
    return {name for (name,) in database.execute(asked, [schema]) if not name.endswith(("_idx", "_pkey"))}


def plain(cell: Any) -> Any:
    """A range as two cells, a tuple as a list, and NaN equal to itself."""
    if isinstance(cell, tuple | list):
        return [plain(part) for part in cell]
    return "NaN" if cell != cell else cell


def flat(row: tuple[Any, ...], band: int = 13) -> list[Any]:
    low, high = row[band].values() if row[band] else (None, None)
    return plain([*row[:band], low, high, *row[band + 1 :]])


def refused(folder: Path, url: str, **how: Any) -> str:
    with pytest.raises(ShoalError) as error:
        publish(folder, url, **how)
    assert PASSWORD not in str(error.value)
    assert "Hint: " in str(error.value)
    return str(error.value)


def test_every_cell_arrives(postgres: Server, schema: str, database: psycopg.Connection) -> None:
    engine = engine_with(ODD, GROUPS, EMPTY)
    load_all(engine, postgres.url(), schema, VIEWS)
    assert names_in(database, schema) == {*PARTS, "nothing; here"}
    assert [plain(row) for row in rows_in(database, schema, "data")] == [
        flat(row) for row in rows_of(engine, "data")
    ]
    for table in ("groups", "nothing; here"):
        assert rows_in(database, schema, table) == rows_of(engine, table)


def test_the_manifest_arrives(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    loaded = publish(written.folder, postgres.url(), schema)
    assert (loaded.tables, loaded.views) == ({"data": 60, "release": 1}, ())
    ((manifest,),) = rows_in(database, schema, "release")
    assert manifest == json.loads((written.folder / FILE_NAME).read_text())


def test_every_type_has_its_counterpart(postgres: Server, schema: str, database: psycopg.Connection) -> None:
    load_all(engine_with(ODD), postgres.url(), schema)
    assert columns_in(database, schema, "data") == {
        "shoal_group": "bigint",
        'Net "pay", 50%': "numeric(12,2)",
        "select": "text",
        "{naïve} 名": "text",
        "feeling": "text",
        "born": "date",
        "seen": "timestamp without time zone",
        "share": "double precision",
        "single": "real",
        "yes": "boolean",
        "tiny": "smallint",
        "small": "integer",
        "huge": "numeric",
        "band_lo": "bigint",
        "band_hi": "bigint",
        "words": "text[]",
        "days": "date[]",
        "times": "timestamp without time zone[]",
        "cents": "numeric(9,3)[]",
        "huges": "numeric[]",
        "doubles": "double precision[]",
        "three": "integer[]",
        "flags": "boolean[]",
    }


def test_dates_before_our_era_arrive(postgres: Server, schema: str, database: psycopg.Connection) -> None:
    engine = engine_with("CREATE TABLE data AS SELECT DATE '0044-03-15 (BC)' AS ides")
    load_all(engine, postgres.url(), schema)
    assert database.execute(f"SELECT ides::text FROM {schema}.data").fetchall() == [("0044-03-15 BC",)]


@pytest.mark.parametrize("view", ["mapping", "help", "counted"])
def test_views_give_the_same_rows_in_both_engines(
    view: str, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    engine = engine_with(ODD, GROUPS)
    load_all(engine, postgres.url(), schema, VIEWS)
    expected = engine.sql(VIEWS[view])
    assert sorted(rows_in(database, schema, view), key=str) == sorted(expected.fetchall(), key=str)
    assert list(columns_in(database, schema, view)) == expected.columns


def test_words_are_ordered_alike_whatever_the_database_does(
    postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    database.execute(
        f"CREATE DATABASE {schema} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'"
    )
    words = "CREATE TABLE data AS SELECT unnest(['b', 'A', 'a', 'B', 'é', 'z', '_', '-a']) AS word"
    ordered = "SELECT word, rank() OVER (ORDER BY word) AS place FROM data"
    engine = engine_with(words)
    load_all(engine, postgres.url(database=schema), "shoal", {"sorted": ordered})
    with psycopg.connect(postgres.url(database=schema)) as other:
        found = rows_in(other, "shoal", "sorted")
    assert sorted(found) == sorted(engine.execute(ordered).fetchall())


def test_groups_are_found_by_index(postgres: Server, schema: str, database: psycopg.Connection) -> None:
    load_all(engine_with(ODD, GROUPS), postgres.url(), schema)
    indexes = database.execute(
        "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = %s ORDER BY 1", [schema]
    ).fetchall()
    assert [table for table, _ in indexes] == ["data", "groups"]
    assert all(made.endswith("(shoal_group)") for _, made in indexes)
    assert "UNIQUE" in indexes[1][1]
    counted = "SELECT reltuples FROM pg_class WHERE oid = %s::regclass"
    assert database.execute(counted, [f"{schema}.data"]).fetchall() == [(4.0,)]  # ANALYZE has seen it


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_generalized_release_is_loaded_from_its_data_file(
    format: str, write: Write, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    made = write(format=format)
    loaded = publish(made.folder, postgres.url(), schema)
    assert loaded.tables == {"data": 60, "release": 1}
    whole, part = ("bigint", "numeric") if format == "csv" else ("bigint", "numeric(18,2)")
    assert columns_in(database, schema, "data") == {
        "region": "text",
        "salary_lo": whole,
        "salary_hi": whole,
        "bonus_lo": part,
        "bonus_hi": part,
        "illness": "text",
    }
    expected = [
        (row["region"], *row["salary"].values(), *row["bonus"].values(), row["illness"])
        for row in made.release.table.to_pylist()
    ]
    assert sorted(rows_in(database, schema, "data"), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["7", "-12", None], "bigint"),
        (["007", "012"], "text"),
        (["1.50", "2", "1e-05"], "numeric"),
        (["1", "*"], "text"),
        ([None, None], "text"),
        (["9999999999999999999", "1"], "numeric"),
    ],
)
def test_csv_columns_are_numbers_where_every_cell_is_spelled_like_one(
    cells: list[str | None], kind: str
) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE data (x VARCHAR)")
        connection.executemany("INSERT INTO data VALUES (?)", [[cell] for cell in cells])
        ((column,),) = [table.columns for table in source_of(connection, spelled=True).tables]
    assert (column.name, column.type) == ("x", kind)


def test_a_schema_may_be_called_anything(postgres: Server, schema: str, database: psycopg.Connection) -> None:
    database.execute("CREATE TABLE IF NOT EXISTS public.y (a int)")
    name = f'x"; drop table y; --{schema}'
    load_all(engine_with(ODD, GROUPS), postgres.url(), name, VIEWS)
    assert len(rows_in(database, name, "data")) == 4
    assert rows_in(database, name, "counted") == [(5,)]
    assert rows_in(database, "public", "y") == []


def test_a_release_is_replaced_only_with_force(
    write: Write, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    first, second = engine_with(ODD, GROUPS), write("second").folder
    load_all(first, postgres.url(), schema, VIEWS)
    database.execute(f"CREATE TABLE {schema}.mine (a int)")
    assert "holds a release" in refused(second, postgres.url(), schema=schema)
    assert names_in(database, schema) == {*PARTS, "mine"}
    publish(second, postgres.url(), schema, force=True)
    assert names_in(database, schema) == {"data", "release", "mine"}
    load_all(first, postgres.url(), schema, VIEWS, force=True)
    assert names_in(database, schema) == {*PARTS, "mine"}


def test_a_table_of_somebody_else_is_never_replaced(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    database.execute(f"CREATE SCHEMA {schema}")
    database.execute(f"CREATE TABLE {schema}.data AS SELECT 1 AS a")
    for force in (False, True):
        said = refused(written.folder, postgres.url(), schema=schema, force=force)
        assert "'data', which did not come from a release" in said
    assert rows_in(database, schema, "data") == [(1,)]
    assert names_in(database, schema) == {"data"}


def test_what_is_built_on_a_release_keeps_it(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    publish(written.folder, postgres.url(), schema)
    database.execute(f"CREATE VIEW {schema}.mine AS SELECT count(*) FROM {schema}.data")
    assert "built on" in refused(written.folder, postgres.url(), schema=schema, force=True)
    assert rows_in(database, schema, "mine") == [(60,)]


FAILING = {
    "a text with a character of code 0": "CREATE TABLE z AS SELECT 'a' || chr(0) AS a",
    "two groups of one number": "CREATE TABLE groups AS SELECT unnest([1, 1]) AS shoal_group",
    "a type without counterpart": "CREATE TABLE z (a MAP(INTEGER, INTEGER))",
    "lists of lists": "CREATE TABLE z (a BIGINT[][])",
    "two columns of one name": "CREATE TABLE z (a STRUCT(lo BIGINT, hi BIGINT), a_lo BIGINT)",
    "a name that is too long": f"CREATE TABLE z ({'x' * 64} BIGINT)",
    "a name that PostgreSQL uses": "CREATE TABLE z (xmin BIGINT)",
}


@pytest.mark.parametrize("statement", FAILING.values(), ids=FAILING.keys())
def test_nothing_is_left_after_a_failure(
    statement: str, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    with pytest.raises(ShoalError, match="Hint: "):
        load_all(engine_with(ODD, statement), postgres.url(), schema)
    asked = "SELECT count(*) FROM pg_namespace WHERE nspname = %s"
    assert database.execute(asked, [schema]).fetchall() == [(0,)]


def test_a_failure_keeps_the_earlier_release(
    write: Write, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    publish(write("first").folder, postgres.url(), schema)
    broken = engine_with(ODD, FAILING["two groups of one number"])
    with pytest.raises(ShoalError, match="Hint: "):
        load_all(broken, postgres.url(), schema, force=True)
    assert len(rows_in(database, schema, "data")) == 60


def test_a_lost_connection_leaves_nothing(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    def cut(text: str, _share: float | None = None) -> None:
        if text == "indexing":
            database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'shoal'"
            )

    with pytest.raises(ShoalError, match="nothing was kept"):
        publish(written.folder, postgres.url(), schema, on_step=cut)
    assert names_in(database, schema) == set()


def test_whoever_stops_it_leaves_nothing(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    def stop(text: str, _share: float | None = None) -> None:
        if text == "loading data":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(written.folder, postgres.url(), schema, on_step=stop)
    assert names_in(database, schema) == set()


def test_tables_in_use_are_waited_for_but_not_forever(
    written: Written, postgres: Server, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(written.folder, postgres.url(), schema)
    monkeypatch.setattr("shoal.release.postgres.load.WAIT", "200ms")
    with psycopg.connect(postgres.url()) as reader:
        assert len(rows_in(reader, schema, "data")) == 60  # and its transaction goes on
        assert "in use" in refused(written.folder, postgres.url(), schema=schema, force=True)


def test_columns_that_differ_in_capitals_only_are_refused(
    postgres: Server, schema: str, tmp_path: Path
) -> None:
    table = pa.table({"age": list(range(8)), "Age": ["x"] * 8})
    policy = Policy(columns={"age": "quasi", "Age": "other"}, guarantees=[{"kind": "k-anonymity", "k": 4}])
    anonymize_in_memory(table, policy).write(tmp_path / "release")
    assert "capitals" in refused(tmp_path / "release", postgres.url(), schema=schema)


def test_a_seeded_release_is_refused(write: Write, postgres: Server, schema: str) -> None:
    assert "seed" in refused(write(seed=1).folder, postgres.url(), schema=schema)


def test_a_changed_release_is_refused(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    folder = with_database(written, ODD)
    with duckdb.connect(str(folder / "release.duckdb")) as connection:
        connection.execute("DELETE FROM data")
    assert "release.duckdb differs" in refused(folder, postgres.url(), schema=schema)
    assert names_in(database, schema) == set()


def test_a_database_of_somebody_else_is_not_loaded(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    folder = with_database(written, "CREATE TABLE people AS SELECT 'Zaphod' AS name")
    assert "release.duckdb is no file of such a release" in refused(folder, postgres.url(), schema=schema)
    assert names_in(database, schema) == set()


def test_a_release_that_breaks_its_promise_is_refused(
    written: Written, postgres: Server, schema: str
) -> None:
    data = written.folder / "data.csv"
    data.write_text("".join(data.read_text().splitlines(keepends=True)[:-1]))
    manifest = Manifest.load(written.folder)
    sealed = replace(manifest, files={"data.csv": file_hash(data)}).to_json()
    (written.folder / FILE_NAME).write_text(sealed)
    assert "only 3 records" in refused(written.folder, postgres.url(), schema=schema)


def test_what_is_no_address_of_a_server_is_refused(written: Written, postgres: Server) -> None:
    right = postgres.url()
    for url, said in {
        right.replace("postgresql", "mysql"): "no address",
        PASSWORD: "no address",
        right.replace("ann:", "ann:%zz"): "cannot be read",
        right.replace("@", "@[", 1): "cannot be read",
        right.replace(f":{postgres.port}", ":1"): "no PostgreSQL server listens",
        right.replace("127.0.0.1", "no-such-host.invalid"): "host",
        postgres.url(password=f"{PASSWORD}x"): "does not take this user and password",
        postgres.url(user="nobody-here"): "does not take this user and password",
        postgres.url(database="nowhere"): "no such database",
        right.replace(f":{PASSWORD}", ""): "asks for a password",
        right + "?no_such_option=1": "cannot be read",
    }.items():
        assert said in refused(written.folder, url)


def test_a_user_without_rights_is_told_so(
    written: Written, postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    database.execute(f"CREATE ROLE {schema} LOGIN PASSWORD '{PASSWORD}'")
    assert "may not create" in refused(written.folder, postgres.url(user=schema), schema=schema)
    database.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {schema}")
    assert publish(written.folder, postgres.url(user=schema), schema).tables["data"] == 60


@pytest.mark.parametrize("name", ["", "pg_mine", "x" * 64, "information_schema"])
def test_schemas_that_cannot_be_are_refused(name: str, written: Written, postgres: Server) -> None:
    refused(written.folder, postgres.url(), schema=name)


def test_without_the_driver_the_command_to_install_it_is_named(
    written: Written, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'shoal[postgres]'" in refused(written.folder, postgres.url())


def test_long_tables_arrive_batch_by_batch(
    postgres: Server, schema: str, database: psycopg.Connection
) -> None:
    made = "CREATE TABLE data AS SELECT range AS a, 'é' || range AS b, [range, -range] AS c FROM range(50000)"
    told: list[float] = []
    load_all(
        engine_with(made),
        postgres.url(),
        schema,
        on_step=lambda text, share=None: told.append(share) if text == "loading data" else None,
    )
    assert told == sorted(told)
    assert (len(told) > 10, told[-1]) == (True, 1.0)
    asked = f"SELECT count(*), sum(a), sum(c[2]), count(*) FILTER (WHERE b = 'é' || a) FROM {schema}.data"
    total = 50_000 * 49_999 // 2
    assert database.execute(asked).fetchall() == [(50_000, total, -total, 50_000)]
