"""A file that somebody writes to while it is read is said to have changed, and nothing else."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files import csv_file
from shoal.table.read import read_table

ROWS = "".join(f"{row},{row}\n" for row in range(50))


@pytest.mark.parametrize("more", ["1,2\n", "1,2,3\n"])
def test_a_file_that_grows_while_it_is_read_is_refused(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + ROWS)
    load = csv_file._load

    def loaded(*given):
        with path.open("a") as file:
            file.write(more)
        return load(*given)

    monkeypatch.setattr(csv_file, "_load", loaded)
    with pytest.raises(ShoalError, match=r"t\.csv was changed while it was read"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_file_that_changes_between_two_looks_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name

    def write(rows: int) -> None:
        if name == "t.csv":
            path.write_text("a,b\n" + ROWS * rows)
        else:
            parquet.write_table(pa.table({"a": list(range(rows))}), path)

    write(1)
    batches = batches_of(path)
    assert list(batches.read(10))
    write(2)
    with pytest.raises(ShoalError, match="was changed while it was read"):
        list(batches.read(10))
