"""Text in zip archives: one file of it is read as if it lay there unpacked."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.files.limits import Limits
from shoal.table.profile.preview import preview
from shoal.table.read import read_table

TEXT = "who;age\n" + "".join(f"Zaphod-{row};{row}\n" for row in range(500))


def zipped(path: Path, members: dict[str, str]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def refusal(path: Path, **asked: object) -> str:
    with pytest.raises(ShoalError) as refused:
        read_table(path, **asked)
    assert "Zaphod" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", ["t.zip", "t.csv.zip", "T.ZIP"])
def test_the_only_file_of_an_archive_is_read(name, tmp_path):
    path = zipped(tmp_path / name, {"a/t.csv": TEXT, "__MACOSX/a/t.csv": "x", "a/.DS_Store": "x"})
    assert len(read_table(path)) == 500
    assert sum(map(len, batches_of(path).read(100))) == 500
    assert preview(path, rows=1).rows == (("Zaphod-0", "0"),)


def test_the_file_inside_says_what_it_is(tmp_path):
    assert read_table(zipped(tmp_path / "t.zip", {"t.jsonl": '{"age": 1}\n'})).arrow.to_pydict() == {
        "age": [1]
    }


def test_an_archive_of_several_files_or_of_no_text_is_refused(tmp_path):
    assert "holds 2 files, and one table is needed" in refusal(
        zipped(tmp_path / "t.zip", {"a.csv": TEXT, "b.csv": TEXT})
    )
    assert "holds 0 files" in refusal(zipped(tmp_path / "e.zip", {}))
    assert "no table that is text" in refusal(zipped(tmp_path / "p.zip", {"t.parquet": "PAR1"}))


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_an_archive_that_is_cut_off_is_refused(part, tmp_path):
    content = zipped(tmp_path / "t.zip", {"t.csv": TEXT}).read_bytes()
    (tmp_path / "t.zip").write_bytes(content[: int(part * len(content))])
    assert "is cut off or damaged" in refusal(tmp_path / "t.zip")


def test_an_archive_whose_content_is_damaged_is_refused(tmp_path):
    content = bytearray(zipped(tmp_path / "t.zip", {"t.csv": TEXT}).read_bytes())
    content[100:110] = bytes(10)
    (tmp_path / "t.zip").write_bytes(content)
    refusal(tmp_path / "t.zip")


def test_an_encrypted_archive_is_refused(tmp_path):
    content = bytearray(zipped(tmp_path / "t.zip", {"t.csv": TEXT}).read_bytes())
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(sign) + place] |= 1
    (tmp_path / "t.zip").write_bytes(content)
    assert "is encrypted" in refusal(tmp_path / "t.zip")


def test_what_only_calls_itself_an_archive_is_refused(tmp_path):
    (tmp_path / "t.csv.zip").write_text(TEXT)
    assert "ends in .zip but is not a zip archive" in refusal(tmp_path / "t.csv.zip")


def test_an_archive_that_unpacks_without_end_is_refused(tmp_path):
    path = zipped(tmp_path / "t.zip", {"t.csv": "a,b\n" + "1,2\n" * 200_000})
    assert path.stat().st_size < 20_000
    assert "holds more than 100 KB" in refusal(path, limits=Limits(100_000, 1 << 40))
