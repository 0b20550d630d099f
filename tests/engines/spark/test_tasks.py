"""What a task does with its rows; no session is needed for that."""

import shutil
import traceback
from errno import ENOSPC

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.engines.file_pieces import ParquetPiece, plain_schema
from shoal.engines.spark import part_files as spark_files
from shoal.engines.spark.tasks import FaultGuard, Pack, unpickle_finding


def test_rows_that_are_all_filtered_out_are_not_sent():
    table = pa.table({"part": [3, 1, 3], "x": ["a", "b", "c"]})
    for tables, parts in (([table.slice(0, 0)], []), ([table.slice(0, 0), table, table.slice(0, 0)], [1, 3])):
        pack = Pack(lambda _, tables=tables: enumerate(tables), "part")
        sent = [batch.column(0)[0].as_py() for batch in pack(iter(()))]
        assert sent == parts


def failed(error, faults):
    """What Spark would log of a task in which this went wrong."""

    def task(_):
        raise error
        yield

    with pytest.raises(RuntimeError, match="a task of shoal failed") as told:
        list(FaultGuard(task, faults)(iter(())))
    return "".join(traceback.format_exception(told.value))


def test_no_cell_is_logged_where_the_fault_cannot_be_written(tmp_path):
    assert "12345" not in failed(ValueError("cell 12345"), tmp_path / "nowhere")


def test_a_full_disk_is_told_as_such(tmp_path):
    log = failed(OSError(ENOSPC, "Error writing 12345. Detail: No space left on device"), tmp_path)
    (fault,) = tmp_path.iterdir()
    ((what, hint),) = unpickle_finding(fault.read_bytes())
    assert what == "a task could not read or write a file: No space left on device"
    assert hint.startswith("make room")
    assert "12345" not in log


def test_what_was_said_of_columns_of_the_input_goes_no_further(tmp_path):
    said = {"source": "a private register"}
    kinds = [pa.field("age", pa.int64(), metadata=said), pa.field("town", pa.string(), metadata=said)]
    table = pa.table([[30, 41], ["Ulm", "Kiel"]], schema=pa.schema(kinds, metadata=said))
    parquet.write_table(table, tmp_path / "t.parquet")
    (read,) = ParquetPiece(tmp_path / "t.parquet", (0,), 2, 0).tables()
    for schema in (plain_schema(table.schema), read.schema):
        assert schema.metadata is None
        assert {field.metadata for field in schema} == {None}


def test_a_folder_that_a_task_still_writes_into_is_waited_for(tmp_path, monkeypatch):
    waits, rmtree = list[float](), shutil.rmtree
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("time.sleep", waits.append)
    monkeypatch.setattr(shutil, "rmtree", lambda *how, **more: len(waits) == 2 and rmtree(*how, **more))
    spark_files.remove_folder(tmp_path / "folder")
    assert waits == [spark_files.PAUSE] * 2
