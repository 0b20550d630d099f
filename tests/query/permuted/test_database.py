"""A release in a file answers like one in memory, and nothing else can be done with it."""

from pathlib import Path

import duckdb
import pytest

from shoal.errors import ShoalError
from shoal.query.answer import answer
from shoal.query.permuted import database
from shoal.query.permuted.database import open_file, write_database
from shoal.query.schema import Schema
from tests.query.releases import NINE, ask

SQL = "select gender, avg(salary), min(salary), median(salary) from data where age > 36 group by gender"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "release.duckdb"
    with duckdb.connect(str(path)) as connection:
        write_database(connection, NINE, ["salary"])
    return path


def test_a_file_answers_as_memory_does(file: Path) -> None:
    connection, schema = open_file(file, ["salary"])
    with connection:
        assert answer(connection, schema, SQL) == ask(SQL)


def test_the_tables_tell_their_schema(file: Path) -> None:
    connection, schema = open_file(file, ["salary"])
    with connection:
        assert schema == Schema(tuple(NINE.column_names), ("salary",), whole=("salary",))


@pytest.mark.parametrize(
    "statement",
    ["drop table data", "insert into data from data", "attach '/tmp/shoal-no-such.db'", "set threads = 1"],
)
def test_a_file_is_closed(file: Path, statement: str) -> None:
    connection, _ = open_file(file, ["salary"])
    with connection, pytest.raises(duckdb.Error):
        connection.execute(statement)


def test_rows_are_in_the_order_of_their_groups() -> None:
    shuffled = NINE.take([8, 0, 4, 1, 7, 3, 2, 6, 5])
    with duckdb.connect() as connection:
        write_database(connection, shuffled, ["salary"])
        groups = [group for (group,) in connection.execute("select shoal_group from data").fetchall()]
    assert groups == sorted(groups)


def test_columns_that_the_engine_cannot_tell_apart_are_refused() -> None:
    """It would answer for one with the cells of the other."""
    with duckdb.connect() as connection, pytest.raises(ShoalError, match="differ in capitals only"):
        write_database(connection, NINE.append_column("AGE", NINE["age"]), ["salary"])


READS_A_FILE = {
    "data": "CREATE VIEW data AS SELECT * FROM read_text('{secret}'), groups",
    "groups": "CREATE VIEW groups AS SELECT 1 AS shoal_group, content FROM read_text('{secret}')",
}


@pytest.mark.parametrize("name", READS_A_FILE)
def test_a_view_that_reads_another_file_is_refused_before_it_reads(
    file: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of somebody else")
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"DROP TABLE {name} CASCADE")
        connection.execute(READS_A_FILE[name].format(secret=secret))
    asked: list[str] = []
    monkeypatch.setattr(database, "schema_of", lambda connection, _: asked.append(locked(connection)))
    with pytest.raises(ShoalError, match=r"not one that shoal has written|cannot be read"):
        open_file(file, ["salary"])
    assert not asked  # the tables were not described at all


def test_the_engine_is_locked_before_the_tables_of_a_file_are_looked_at(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(database, "schema_of", lambda connection, _: asked.append(locked(connection)))
    open_file(file, ["salary"])
    assert asked == [("false", "true", "false")]


def locked(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    names = ("enable_external_access", "lock_configuration", "autoload_known_extensions")
    return tuple(
        str(connection.execute(f"SELECT current_setting('{name}')").fetchone()[0]).lower() for name in names
    )


def test_a_function_that_a_file_brings_along_does_not_answer(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE MACRO coalesce_all(a) AS 7")
    with pytest.raises(ShoalError, match="not one that shoal has written"):
        open_file(file, ["salary"])


def test_a_file_of_another_engine_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "release.duckdb"
    path.write_bytes(b"SQLite format 3\0" + bytes(1000))
    with pytest.raises(ShoalError, match="cannot be read"):
        open_file(path, ["salary"])
