import gzip
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.engines import csv_pieces
from shoal.engines import file_pieces as pieces
from shoal.engines.spark.engine import SparkEngine
from shoal.engines.spark.part_files import write_parts
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Purpose, hash_rows, seeded_key
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.csv_file import read_csv
from shoal.table.files.limits import Limits
from shoal.table.files.reading import Reading
from tests.engines.test_csv_pieces import ANY_TEXT, drawn

ODD = ["shoal row", "a.b", "`", "Ü \n,;{}()=", "c0", "C0"]


@pytest.fixture
def engine(spark, tmp_path):
    (tmp_path / "work").mkdir()
    with SparkEngine(spark, tmp_path / "work", part_rows=50) as engine:
        yield engine
    assert not list((tmp_path / "work").iterdir())


def seen(table):
    assert len(table)
    return table.to_pylist()


def together(one, other):
    return one + other


def all_of(rows):
    """In the order of their numbers."""
    return sorted(rows.fold(seen, together) or [], key=lambda row: row[ROW])


def numbered(table):
    return pieces.with_row_numbers(table, 0).to_pylist()


def random_table(rows, seed=1):
    random = np.random.default_rng(seed)
    return pa.table({"part": random.integers(-3, 4, rows), "x": random.integers(-9, 9, rows)})


def test_rows_of_parquet_files_are_numbered_as_arrow_reads_them(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_ROWS", 100)
    tables = [random_table(rows, seed=rows) for rows in (250, 1, 130)]
    (tmp_path / "t").mkdir()
    for name, table in zip("bca", tables, strict=True):
        parquet.write_table(table, tmp_path / "t" / f"{name}.parquet", row_group_size=60)
    whole = pa.concat_tables([tables[2], tables[0], tables[1]])
    assert all_of(engine.read(tmp_path / "t")) == numbered(whole)


def test_rows_of_csv_files_are_numbered_as_they_are_read_in_memory(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 30)
    (tmp_path / "t").mkdir()
    paths = [tmp_path / "t" / f"{name}.csv" for name in "ab"]
    random, texts = Random(8), list[str]()
    while len(texts) < 2:
        text = drawn(random)
        texts += [text] if text.startswith("h0,h1\n") else []
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, newline="")
    whole = pa.concat_tables([read_csv(path, Limits.of_machine(), ANY_TEXT).arrow for path in paths])
    assert all_of(engine.read(tmp_path / "t", reading=ANY_TEXT)) == numbered(whole)


def test_rows_of_a_frame_keep_its_order_names_and_kinds(engine, spark):
    frame = spark.range(0, 40, 1, 4).selectExpr(
        "id", "cast(id as decimal(20,3)) d", "if(id % 3 = 0, null, cast(id as string)) s",
        "timestamp_seconds(id) t", "date_add(date'2020-01-01', cast(id as int)) e",
        "struct(id as lo, id + 1 as hi) r",
    ).toDF(*ODD)  # fmt: skip
    found = all_of(engine.read(frame))
    assert [row[ODD[0]] for row in found] == [row[ROW] for row in found] == list(range(40))
    assert found[7] == {
        ODD[0]: 7, ODD[1]: Decimal("7.000"), ODD[2]: "7", ODD[3]: datetime(1970, 1, 1, 0, 0, 7, tzinfo=UTC),
        ODD[4]: date(2020, 1, 8), ODD[5]: {"lo": 7, "hi": 8}, ROW: 7,
    }  # fmt: skip


def test_maps_parts_and_folds_do_what_plain_python_does(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_ROWS", 200)
    table = random_table(900)
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=100)
    rows = engine.read(tmp_path / "t.parquet")
    some = rows.map(lambda batch: batch.filter(pa.compute.field("x") > 0), rows.schema).kept()
    counts = pa.schema({"number": pa.int64(), "sum": pa.int64(), ROW: pa.int64()})
    summed = some.parts("part").map(
        lambda part, batch: pa.table([[part], [sum(batch["x"].to_pylist())], [len(batch)]], schema=counts),
        counts,
    )
    expected = {
        part: (sum(xs), len(xs))
        for part in range(-3, 4)
        if (xs := [row["x"] for row in table.to_pylist() if row["part"] == part and row["x"] > 0])
    }
    assert {row["number"]: (row["sum"], row[ROW]) for row in all_of(summed)} == expected
    kept = some.parts("part").kept()
    for parts in (some.parts("part"), kept, kept):
        found = parts.fold(lambda part, batch: {part: len(batch)}, lambda one, other: one | other)
        assert found == {part: count for part, (_, count) in expected.items()}
    # Parts are written in the order of their numbers.
    written = write_parts(summed, tmp_path / "out")
    assert [path.name for path in written] == [f"part-{place:05}.parquet" for place in range(len(expected))]
    assert [row["number"] for path in written for row in parquet.read_table(path).to_pylist()] == [*expected]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "t.parquet", "work"]


def test_every_kind_of_column_is_exchanged_unchanged_under_any_name(engine, tmp_path):
    kinds = [pa.uint64(), pa.decimal128(38, 3), pa.timestamp("ns"), pa.bool_(), pa.large_binary()]
    kinds.append(pa.struct({"lo": pa.int64(), "hi": pa.float64()}))
    cells = [
        2**64 - 1,
        Decimal("12.500"),
        datetime(2020, 1, 2, tzinfo=None),
        True,
        b"\0\xff",
        {"lo": 1, "hi": 0.5},
    ]
    columns = [pa.array([None, cell, cell], kind) for cell, kind in zip(cells, kinds, strict=True)]
    table = pa.table(columns, ODD)
    parquet.write_table(table, tmp_path / "t.parquet")
    rows = engine.read(tmp_path / "t.parquet")
    parted = rows.parts(ROW).map(lambda _, batch: batch, rows.schema)
    write_parts(parted, tmp_path / "out")
    assert parquet.read_table(tmp_path / "out").drop([ROW]).equals(table)
    with pytest.raises(ShoalError, match="'shoal row' is uint64, which Spark does not have"):
        engine.frame(rows)
    rest = pa.schema([field for field in rows.schema if field.name not in (ODD[0], ODD[2])])
    frame = engine.frame(rows.map(lambda batch: batch.select(rest.names), rest))
    assert frame.columns == rest.names
    assert frame.collect()[1].asDict(recursive=True) == {**rows_of(table)[1], ROW: 1}


def rows_of(table):
    return table.drop([ODD[0], ODD[2]]).to_pylist()


def test_nothing_left_is_an_empty_file_and_no_finding(engine, tmp_path):
    parquet.write_table(random_table(20), tmp_path / "t.parquet")
    rows = engine.read(tmp_path / "t.parquet")
    none = rows.map(lambda batch: batch.slice(0, 0), rows.schema).map(seen, rows.schema)
    assert none.fold(seen, together) is None
    [path] = write_parts(none.parts("part").map(lambda *_: 1 / 0, rows.schema), tmp_path / "out")
    assert parquet.read_table(path).schema.equals(rows.schema)
    assert none.kept().fold(seen, together) is None


def test_what_is_no_parquet_file_is_refused_as_on_disk(engine, tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + bytes(40) + b"PAR1")
    with pytest.raises(ShoalError, match=r"t\.parquet is not a Parquet file"):
        engine.read(tmp_path / "t.parquet")


def test_a_task_that_fails_once_changes_nothing(engine, tmp_path):
    parquet.write_table(random_table(100), tmp_path / "t.parquet")
    marks = tmp_path / "marks"
    marks.mkdir()

    def failing(batch):
        if not any(marks.iterdir()):
            (marks / "failed").touch()
            raise OSError("the worker is gone")
        return batch

    rows = engine.read(tmp_path / "t.parquet")
    write_parts(rows.map(failing, rows.schema), tmp_path / "out")
    assert list(marks.iterdir())
    assert parquet.read_table(tmp_path / "out").to_pylist() == all_of(rows)


def test_the_driver_never_holds_a_table(spark, tmp_path):
    """It refuses more than 1 MB, and these are 3."""
    rows, engine = 100_000, SparkEngine(spark, tmp_path, part_rows=50_000)
    table = random_table(rows).append_column("key", pa.array(hash_rows(seeded_key(3), Purpose.TIES, rows)))
    parquet.write_table(table, tmp_path / "t.parquet")
    read = engine.read(tmp_path / "t.parquet")
    moved = read.parts("part").map(lambda _, batch: batch, read.schema).kept()
    write_parts(moved, tmp_path / "out")
    assert parquet.read_table(tmp_path / "out").sort_by(ROW).drop([ROW]).equals(table)
    with pytest.raises(ShoalError, match="Spark could not finish"):
        read.fold(lambda batch: batch["key"].to_pylist(), together)


def test_kernels_run_in_workers(engine, tmp_path):
    parquet.write_table(random_table(30), tmp_path / "t.parquet")
    key = seeded_key(7)
    found = engine.read(tmp_path / "t.parquet").fold(
        lambda batch: hash_rows(key, Purpose.SHUFFLE, len(batch)).tolist(), together
    )
    assert found == hash_rows(key, Purpose.SHUFFLE, 30).tolist()


def test_what_goes_wrong_in_a_task_is_told_without_cells(engine, spark, tmp_path):
    parquet.write_table(random_table(30), tmp_path / "t.parquet")
    rows = engine.read(tmp_path / "t.parquet")

    def refusing(_):
        raise ShoalError("column 'x' is not a number", "say so.")

    def failing(_):
        raise ValueError(f"cell {12345}")

    with pytest.raises(ShoalError, match=r"column 'x' is not a number\nHint: say so\."):
        rows.fold(refusing, together)
    with pytest.raises(ShoalError, match=r"ValueError at test_engine\.py"):
        rows.fold(failing, together)
    log = spark.sparkContext.getConf().get("spark.local.dir") + "/spark.log"
    with open(log) as file:
        assert "12345" not in file.read()


def test_a_header_is_read_in_the_encoding_of_its_whole_file(engine, tmp_path, monkeypatch):
    """A byte that is not UTF-8 stands behind what the dialect is found from."""
    monkeypatch.setattr("shoal.table.files.csv_file.SAMPLE_BYTES", 40)
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 30)
    text = "größe,b\n".encode() + b"1,2\n" * 20 + "ä,2\n".encode("cp1252")
    (tmp_path / "t.csv").write_bytes(text)
    whole = read_csv(tmp_path / "t.csv", Limits.of_machine()).arrow
    assert whole.column_names[0] != "größe"
    rows = engine.read(tmp_path / "t.csv")
    assert rows.schema.names == [*whole.column_names, ROW]
    assert all_of(rows) == numbered(whole)


def test_names_that_shoal_gives_itself_are_refused(engine, spark, tmp_path):
    (tmp_path / "t.csv").write_text("shoal:part,age\n1,2\n")
    for source in (tmp_path / "t.csv", spark.range(3).toDF("shoal:part")):
        with pytest.raises(ShoalError, match="has a column 'shoal:part'"):
            engine.read(source)


QUOTED = [f"Zoe-{row},{row},town" for row in range(60)]


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_quote_that_takes_rows_into_a_cell_is_refused(engine, tmp_path, monkeypatch, closed, name):
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 100)
    rows = [row.replace(",", ',"', 1) if at == 20 else row for at, row in enumerate(QUOTED)]
    if closed:
        rows[40] = rows[40].replace(",town", '",town')
    text = "\n".join(["name,age,place", *rows, ""]).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    with pytest.raises(ShoalError, match="the quote that opens in line 22 of") as refused:
        all_of(engine.read(tmp_path / name))
    assert "Zoe" not in str(refused.value)


def test_a_file_without_names_is_read_by_those_that_are_given(engine, tmp_path):
    (tmp_path / "t.csv").write_text("\n".join([*QUOTED, ""]))
    with pytest.raises(ShoalError, match="looks like a row"):
        engine.read(tmp_path / "t.csv")
    rows = all_of(engine.read(tmp_path / "t.csv", reading=Reading(names=("name", "age", "place"))))
    assert [(row["name"], row["age"]) for row in rows] == [(f"Zoe-{row}", str(row)) for row in range(60)]
