"""On Spark as in memory: a file that somebody writes to while it is read is said to have changed."""

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import shoal
import shoal.engines.spark.engine as of_engine
from shoal.engines.spark.engine import SparkEngine, local_files
from shoal.errors import ShoalError
from shoal.release.large_release import release_large
from shoal.table.columns.numbered_rows import ROW

CHANGED = r"t\.\w+ was changed while it was read"
POLICY = shoal.Policy(
    columns={"age": "quasi"}, guarantees=[shoal.KAnonymity(k=2)], method={"name": "mondrian"}
)


@pytest.fixture
def engine(spark, tmp_path):
    (tmp_path / "work").mkdir()
    with SparkEngine(spark, tmp_path / "work", part_rows=50) as engine:
        yield engine


def write(path, rows):
    table = pa.table({"age": [20 + row % 9 for row in range(rows)]})
    (csv.write_csv if path.suffix == ".csv" else parquet.write_table)(table, path)
    return path


def count(rows):
    return rows.fold(len, lambda one, other: one + other)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_file_that_changes_between_two_passes_is_refused(engine, tmp_path, name):
    rows = engine.read(write(tmp_path / name, 40))
    changed = rows.map(lambda table: table, rows.schema)
    assert count(rows) == count(changed) == 40
    kept = rows.kept()
    write(tmp_path / name, 50)
    for again in (rows, changed, kept.union(rows)):
        with pytest.raises(ShoalError, match=CHANGED):
            count(again)
    with pytest.raises(ShoalError, match=CHANGED):
        changed.parts(ROW).fold(lambda _, table: len(table), lambda one, other: one + other)
    assert count(kept) == 40


def test_a_file_that_changes_between_the_look_at_it_and_the_first_pass_is_refused(
    engine, tmp_path, monkeypatch
):
    path, blocks_of = write(tmp_path / "t.csv", 40), of_engine.blocks_of

    def grown(*given):
        found = blocks_of(*given)
        with path.open("a") as file:
            file.write("17\n")
        return found

    monkeypatch.setattr(of_engine, "blocks_of", grown)
    with pytest.raises(ShoalError, match=CHANGED):
        engine.read(path)


def test_the_file_of_a_frame_that_changes_while_the_frame_is_stored_is_refused(
    engine, spark, tmp_path, monkeypatch
):
    path, write_parts = write(tmp_path / "t.csv", 40), of_engine.write_parts
    frame = spark.read.csv(str(path), header=True)

    def grown(*given):
        with path.open("a") as file:
            file.write("17\n")
        return write_parts(*given)

    monkeypatch.setattr(of_engine, "write_parts", grown)
    with pytest.raises(ShoalError, match=CHANGED):
        engine.read(frame)


def test_nothing_is_published_of_a_table_that_changes_before_it_is_verified(engine, tmp_path):
    path = write(tmp_path / "t.parquet", 40)

    def step(told):
        if told == "verifying":
            write(path, 40)

    with pytest.raises(ShoalError, match=CHANGED):
        release_large(engine, path, POLICY, tmp_path / "release", on_step=step)
    assert not (tmp_path / "release").exists()


def test_files_that_this_machine_sees_are_known_by_the_addresses_of_spark(tmp_path):
    path = write(tmp_path / "a b#ü.csv", 2)
    assert local_files([path.as_uri(), f"hdfs://there{path}", "file:///no/such.csv"]) == [path]
