"""Arrow's files and streams, whole or in batches; what is broken is refused."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.limits import Limits
from shoal.table.read import read_table

TABLE = pa.table({"age": [30, 41, 52], "town": pa.array(["Zaphod", None, "Zaphod"]).dictionary_encode()})


def stream(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as made:
        made.write_table(table)


@pytest.mark.parametrize("write", [stream, lambda path, table: feather.write_feather(table, path)])
@pytest.mark.parametrize("name", ["t.arrow", "t.feather", "t.ipc"])
def test_files_and_streams_are_read_whatever_they_are_called(write, name, tmp_path):
    write(tmp_path / name, TABLE)
    assert read_table(tmp_path / name).arrow.to_pydict() == TABLE.to_pydict()
    assert [len(part) for part in batches_of(tmp_path / name).read(2)] == [2, 1]


def test_what_is_said_of_a_table_besides_is_left_behind(tmp_path):
    stream(tmp_path / "t.arrow", TABLE.replace_schema_metadata({"who": "Zaphod"}))
    assert read_table(tmp_path / "t.arrow").arrow.schema.metadata is None


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.98])
def test_a_file_that_is_cut_off_is_refused(part, tmp_path):
    feather.write_feather(
        pa.table({"word": [f"Zaphod-{number}" for number in range(500)]}), tmp_path / "t.feather"
    )
    content = (tmp_path / "t.feather").read_bytes()
    (tmp_path / "t.feather").write_bytes(content[: int(part * len(content))])
    with pytest.raises(ShoalError, match="is not an Arrow or Feather file, or is cut off") as refused:
        read_table(tmp_path / "t.feather")
    assert "Zaphod" not in str(refused.value)


def test_cells_that_point_outside_of_their_text_are_refused(tmp_path):
    words = pa.array(["Zaphod"] * 9)
    offsets = words.buffers()[1].to_pybytes()[:40]
    stream(tmp_path / "t.arrow", pa.table({"word": words}))
    content = (tmp_path / "t.arrow").read_bytes()
    assert content.count(offsets) == 1
    wrong = content.replace(offsets, offsets[:-4] + (1 << 20).to_bytes(4, "little"))
    (tmp_path / "t.arrow").write_bytes(wrong)
    with pytest.raises(ShoalError, match="is not an Arrow or Feather file"):
        read_table(tmp_path / "t.arrow")


@pytest.mark.parametrize(
    ("content", "says"), [(b"FEA1" + bytes(50), "old version 1"), (b"%PDF-1.7", "is a PDF document")]
)
def test_other_files_are_refused_by_what_they_are(content, says, tmp_path):
    (tmp_path / "t.feather").write_bytes(content)
    with pytest.raises(ShoalError, match=says):
        read_table(tmp_path / "t.feather")


def test_a_table_beyond_the_limits_is_refused(tmp_path):
    stream(tmp_path / "t.arrow", pa.table({"age": range(1000)}))
    with pytest.raises(ShoalError, match="more than 500 cells"):
        read_table(tmp_path / "t.arrow", limits=Limits(1 << 30, 500))
