"""A release is read as it was written, never guessed at."""

from random import Random

import pyarrow as pa
import pytest

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.engines.spark.engine import SparkEngine
from shoal.release.data.published_rows import published_batches, published_rows
from shoal.release.large_release import release_large
from shoal.release.opened_release import open_release, verify_large

DRAW = Random(7)
TABLE = pa.table(
    {
        "=sum": [row * 7 % 30 for row in range(60)],
        " age": DRAW.choices("01234", k=60),
        "a;b": DRAW.choices(["'x'", "y;y;y", "=z"], k=60),
    }
)
POLICY = shoal.Policy(
    columns={"=sum": "quasi", " age": "other", "a;b": "other"},
    guarantees=[{"kind": "k-anonymity", "k": 3}],
    method={"name": "mondrian"},
)


def disk(folder):
    return DiskEngine(1 << 30, folder, RowProgress(), most=20)


def test_names_and_cells_that_look_like_another_dialect_are_kept(tmp_path):
    made = release_large(disk(tmp_path), TABLE, POLICY, tmp_path / "out", "csv", seed=5)
    assert all(verdict.holds for verdict in made.verdicts)
    assert all(verdict.holds for verdict in verify_large(disk(tmp_path), tmp_path / "out"))
    opened = open_release(tmp_path / "out")
    expected = opened.read().arrow
    assert expected.column_names == TABLE.column_names
    assert pa.concat_tables(published_batches(opened.data)).equals(expected)


def test_spark_reads_what_memory_reads(spark, tmp_path):
    shoal.anonymize(TABLE, POLICY, seed=5).write(tmp_path / "out", "csv")
    expected = open_release(tmp_path / "out").read().arrow
    (tmp_path / "work").mkdir()
    with SparkEngine(spark, tmp_path / "work", part_rows=50) as engine:
        rows = published_rows(engine, tmp_path / "out" / "data.csv")
        found = rows.fold(lambda table: table.to_pylist(), lambda one, other: one + other)
    rows = [{name: row[name] for name in expected.column_names} for row in found]
    assert rows == expected.to_pylist()


def test_what_is_not_utf8_is_not_guessed(tmp_path):
    (tmp_path / "data.csv").write_bytes("näme\n1\n2\n".encode("cp1252"))
    with pytest.raises(shoal.ShoalError, match=r"data\.csv is not text"):
        published_rows(disk(tmp_path), tmp_path / "data.csv")
