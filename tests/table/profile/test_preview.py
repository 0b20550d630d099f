"""The first rows of a file, as text, and the faults that show in them."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import ShoalError
from shoal.table.profile.preview import LONGEST_TEXT, preview
from shoal.table.read import read_table

TEXT = {
    "t.csv": 'name,pay\n"Jo, Ann",007\nZoë,\n',
    "t.tsv": "name\tpay\nJo, Ann\t007\nZoë\t\n",
    "t.txt": "\n\nname;pay\n\nJo, Ann;007\nZoë;\n",
    "t.jsonl": '{"name": "Jo, Ann", "pay": "007"}\n{"name": "Zoë"}\n',
}


def written(path: Path, text: str | bytes) -> Path:
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("name", TEXT)
def test_every_kind_of_text_gives_the_same_cells(name: str, packed: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"{name}{packed}", TEXT[name])
    seen = preview(path)
    assert (seen.names, seen.rows) == (("name", "pay"), (("Jo, Ann", "007"), ("Zoë", "")))
    assert seen.whole
    assert seen.bytes == path.stat().st_size


def test_parquet_shows_numbers_and_ranges(tmp_path: Path) -> None:
    ages = [{"lo": 10, "hi": 15}, {"lo": 7, "hi": 7}, None]
    parquet.write_table(pa.table({"age": ages, "pay": [1.5, None, 2.0]}), tmp_path / "t.parquet")
    assert preview(tmp_path / "t.parquet").rows == (("[10, 15]", "1.5"), ("7", ""), ("", "2.0"))


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_encodings_are_those_of_the_reader(encoding: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "name,pay\nZoë,1\n".encode(encoding))
    assert preview(path).rows == (("Zoë", "1"),)


@pytest.mark.parametrize(("count", "whole"), [(20, True), (21, False), (5000, False)])
def test_it_says_whether_there_are_more_rows(count: int, whole: bool, tmp_path: Path) -> None:
    table = pa.table({"a": np.arange(count)})
    parquet.write_table(table, tmp_path / "t.parquet")
    written(tmp_path / "t.csv", "a\n" + "".join(f"{row}\n" for row in range(count)))
    written(tmp_path / "t.jsonl", "".join(f'{{"a": {row}}}\n' for row in range(count)))
    for name in ("t.parquet", "t.csv", "t.jsonl"):
        seen = preview(tmp_path / name)
        assert seen.rows == tuple((str(row),) for row in range(20))
        assert seen.whole == whole


def test_hostile_names_are_kept_as_they_are(tmp_path: Path) -> None:
    names = ("<script>alert(1)</script>", "=cmd()", "a\nb", "'; drop table", "\u202eevil")
    header = ",".join(f'"{name}"' for name in names)
    assert preview(written(tmp_path / "t.csv", f"{header}\n1,2,3,4,5\n")).names == names


def test_a_long_cell_is_cut(tmp_path: Path) -> None:
    (cell,) = preview(written(tmp_path / "t.csv", "a\n" + "x" * 5000 + "\n")).rows[0]
    assert cell == "x" * LONGEST_TEXT + "…"


FAULTY = [
    "",
    "a,a\n1,2\n",
    "a,,b\n1,2,3\n",
    "a,b\n",
    "a,b\n1\n",
    '\na,b\n"x\ny",1\n1,2,3\n',
    b"a,b\n1,\x81\x8d\n",
]


@pytest.mark.parametrize("text", FAULTY)
def test_faults_are_those_of_the_reader(text: str | bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", text)
    with pytest.raises(ShoalError) as of_reader:
        read_table(path)
    with pytest.raises(ShoalError) as of_preview:
        preview(path)
    assert str(of_preview.value) == str(of_reader.value)


@pytest.mark.parametrize("name", ["none.csv", "t.xlsx", "t.parquet", "t.jsonl"])
def test_what_cannot_be_read_cannot_be_previewed(name: str, tmp_path: Path) -> None:
    if name != "none.csv":
        written(tmp_path / name, "no table")
    with pytest.raises(ShoalError) as of_reader:
        read_table(tmp_path / name)
    with pytest.raises(ShoalError) as of_preview:
        preview(tmp_path / name)
    assert str(of_preview.value) == str(of_reader.value)
