"""A release in a file answers like one in memory, and nothing else can be done with it."""

from pathlib import Path

import duckdb
import pytest

from shoal.errors import ShoalError
from shoal.query.answer import answer
from shoal.query.database import open_file, write_database
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
