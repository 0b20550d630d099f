"""DuckDB files: what is read of them, and that nothing else can be reached."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from shoal.engines.disk.engine import DiskEngine
from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.read import read_table
from shoal.table.source import ChosenTable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "other.csv").write_text("town\nZaphod\n")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("create table people as select unnest([30, 41, 52]) as age, 'Zaphod' as town")
        connection.execute(f"create view outside as select * from '{tmp_path / 'other.csv'}'")
    return tmp_path / "t.duckdb"


def refusal(source: object) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(source)
    assert "\nHint: " in str(refused.value)
    assert "Zaphod" not in str(refused.value)
    return str(refused.value)


def test_the_only_table_is_taken_whatever_the_file_is_called(path):
    again = path.rename(path.with_suffix(".db"))
    assert read_table(again).arrow.to_pydict() == {"age": [30, 41, 52], "town": ["Zaphod"] * 3}
    assert [len(part) for part in batches_of(again).read(2)] in ([2, 1], [3])


def test_a_query_is_read(path):
    query = "select age, count(*) as n from main.people where age > 30 group by age order by age"
    assert read_table(ChosenTable(path, query=query)).arrow.to_pydict() == {"age": [41, 52], "n": [1, 1]}


@pytest.mark.parametrize(
    "query",
    [
        "select town, age, count(*) as n from many group by town, age",
        "select age, name from many join towns using (town)",
        "select distinct town, age from many",
    ],
)
def test_a_query_without_order_gives_the_same_rows_in_the_same_order_again(query, path):
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table many as select i % 97 as age, hash(i) % 5000 as town from range(400000) as t(i)"
        )
        connection.execute(
            "create table towns as select i as town, 'n' || i as name from range(5000) as t(i)"
        )
    batches = batches_of(ChosenTable(path, query=query))
    first, *others = (pa.concat_tables(batches.read(50_000)) for _ in range(3))
    assert all(other.equals(first) for other in others)


def test_the_engine_on_disk_reads_a_view_that_is_another_each_time_once(path, tmp_path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("create view drawn as select age, random() as x from people")
    rows = DiskEngine.with_memory(10**9, tmp_path).read(ChosenTable(path, table="drawn"))
    first, second = (pa.concat_tables(rows.batches()) for _ in range(2))
    assert first.equals(second)


@pytest.mark.parametrize(
    "query",
    [
        "copy people to 'made.csv'",
        "select * from read_csv('other.csv')",
        "select * from 'other.csv'",
        "attach 'new.duckdb'",
        "set enable_external_access = true",
        "install httpfs",
        "insert into people values (1, 'x') returning age",
        "select cast(town as integer) as x from people",
        "select random() as x from people",
    ],
)
def test_nothing_but_reading_can_be_asked_for(query, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    refusal(ChosenTable(path, query=query))
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_a_view_of_another_file_is_refused(path):
    refusal(ChosenTable(path, table="outside"))


def test_what_lies_beside_the_file_is_read_behind_a_link_too(path, tmp_path):
    script = (
        f"import duckdb, os; connection = duckdb.connect({str(path)!r}); "
        "connection.execute(\"insert into people values (63, 'Zaphod')\"); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert path.with_name("t.duckdb.wal").exists()
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.duckdb"
    link.symlink_to(path)
    assert len(read_table(link)) == 4


@pytest.mark.parametrize("part", [0.01, 0.5])
def test_a_file_that_is_cut_off_is_refused(part, path):
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    assert "is broken, in use, or of another version" in refusal(path)
