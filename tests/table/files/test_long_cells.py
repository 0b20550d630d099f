"""A file of few bytes that unpacks to one endless cell is refused in every kind of file."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files import long_cells
from shoal.table.profile.preview import preview
from shoal.table.read import read_table

ENDLESS = "x" * (3 << 20)


def read_in_batches(path):
    return list(batches_of(path).read(10))


@pytest.mark.parametrize("read", [read_table, read_in_batches, preview])
@pytest.mark.parametrize("encoded", [False, True])
def test_an_endless_cell_of_a_parquet_file_is_refused_by_its_column(read, encoded, tmp_path):
    cells = pa.array(["a", ENDLESS, "b"])
    table = pa.table({"age": [1, 2, 3], "note": cells.dictionary_encode() if encoded else cells})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd")
    with pytest.raises(ShoalError, match=r"column 'note' of t\.parquet has a cell of more than 1\.05 MB"):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("read", [read_table, read_in_batches])
def test_an_endless_cell_of_json_lines_is_refused(read, tmp_path):
    lines = [json.dumps({"age": 1, "note": note}) for note in ("a", ENDLESS)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    with pytest.raises(ShoalError, match="longer than"):
        read(tmp_path / "t.jsonl")


def test_more_text_than_a_column_holds_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(long_cells, "MOST_LETTERS", 1000)
    (tmp_path / "t.csv").write_text("name,pay\n" + f"{'x' * 50},1\n" * 30)
    with pytest.raises(ShoalError, match=r"column 'name' of t\.csv holds more than 1 KB of text"):
        read_table(tmp_path / "t.csv")
