"""SQLite files: what is read of them, and that nothing else can happen."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.read import read_table
from shoal.table.source import ChosenTable

MADE = "create table people (age integer, pay real, town text); create view old as select age from people"
ROWS = [(30, 1.5, "Zaphod"), (41, 2.0, None), (52, None, "007")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.executescript(MADE)
        connection.executemany("insert into people values (?, ?, ?)", ROWS)
        connection.commit()
    return tmp_path / "t.db"


def refusal(source: object) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(source)
    assert "\nHint: " in str(refused.value)
    assert "Zaphod" not in str(refused.value)
    return str(refused.value)


def test_the_only_table_is_taken_and_read_as_its_csv_would_be(path):
    found = read_table(path).arrow
    assert found.to_pydict() == {
        "age": ["30", "41", "52"],
        "pay": ["1.5", "2", None],
        "town": ["Zaphod", None, "007"],
    }
    assert [len(part) for part in batches_of(path).read(2)] == [2, 1]


def test_a_view_or_a_query_is_read_if_it_is_asked_for(path):
    assert read_table(ChosenTable(path, table="old")).names == ["age"]
    query = (
        "with x as (select * from people where age > 35) select town, sum(pay) as pay from x group by town"
    )
    assert len(read_table(ChosenTable(path, query=query))) == 2


def test_of_several_tables_one_has_to_be_chosen(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table second (x)")
    assert "t.db holds 2 tables: 'people', 'second'\nHint: choose one: --table NAME" in refusal(path)
    assert "no table 'peple'\nHint: the database has 'people'." in refusal(ChosenTable(path, table="peple"))


@pytest.mark.parametrize(
    "query",
    [
        "drop table people",
        "delete from people returning age",
        "with x as (delete from people returning age) select * from x",
        "select age from people; drop table people",
        "attach 'other.db' as other",
        "pragma user_version = 7",
        "select load_extension('x')",
        "select writefile('x', town) from people",
        "select name from pragma_table_info('people')",
        "select age from nothing where town = 'Zaphod'",
        "select age from people where (",
        "vacuum into 'other.db'",
        "",
    ],
)
def test_nothing_but_reading_can_be_asked_for(query, path):
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    refusal(ChosenTable(path, query=query))
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_reading_leaves_no_file_behind_where_the_table_lies(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
    read_table(path)
    assert [file.name for file in path.parent.iterdir()] == ["t.db"]


def test_a_file_that_is_being_written_is_refused(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("insert into people values (1, 2, 3)")
        connection.commit()
        assert "still being written" in refusal(path)


def test_a_file_that_is_being_written_is_refused_behind_a_link_too(path, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(path)
    assert len(read_table(link)) == 3
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("insert into people values (1, 2, 3)")
        connection.commit()
        assert "still being written" in refusal(link)


def test_bytes_and_text_of_other_encodings_are_no_values(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table bytes as select x'00ff' as x")
        connection.execute("create table odd as select cast(x'ff41' as text) as x")
    assert "column 'x' of t.db holds bytes" in refusal(ChosenTable(path, table="bytes"))
    assert "is broken" in refusal(ChosenTable(path, table="odd"))


@pytest.mark.parametrize("part", [0.3, 0.6, 0.99])
def test_a_file_that_is_cut_off_is_refused(part, path):
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    assert "is broken" in refusal(path)


def test_a_file_without_tables_and_no_database_at_all_are_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "empty.db")) as connection:
        connection.execute("vacuum")
    (tmp_path / "none.db").write_bytes(b"Zaphod" * 500)
    assert "no tables" in refusal(tmp_path / "empty.db")
    assert "is no database of SQLite or DuckDB, or is encrypted" in refusal(tmp_path / "none.db")
