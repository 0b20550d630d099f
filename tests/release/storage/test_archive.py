"""A release as one zip file, made while it is sent."""

import os
import tracemalloc
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME, Manifest, file_hash
from shoal.release.opened_release import open_release
from shoal.release.storage.archive import CHUNK, zip_stream
from tests.release.conftest import Write, Written


def packed(folder: Path) -> ZipFile:
    return ZipFile(BytesIO(b"".join(zip_stream(folder))))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_unpacked_is_the_release(write: Write, format: str, tmp_path: Path) -> None:
    folder = write("pay 2024", format=format).folder
    packed(folder).extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked" / "pay 2024"
    assert [entry.name for entry in (tmp_path / "unpacked").iterdir()] == ["pay 2024"]
    assert all(verdict.holds for verdict in open_release(unpacked).verify())
    assert {file.name: file.read_bytes() for file in unpacked.iterdir()} == {
        file.name: file.read_bytes() for file in folder.iterdir()
    }


def test_what_lies_beside_the_files_stays_there(written: Written) -> None:
    (written.folder / "audit.csv").write_text("secret")
    assert packed(written.folder).namelist() == ["release/manifest.json", "release/data.csv"]


def test_the_same_release_gives_the_same_archive(written: Written) -> None:
    before = b"".join(zip_stream(written.folder))
    os.utime(written.folder / "data.csv", (0, 0))
    (written.folder / "data.csv").chmod(0o600)
    assert b"".join(zip_stream(written.folder)) == before


def test_a_changed_file_is_refused_before_the_first_byte(written: Written) -> None:
    with (written.folder / "data.csv").open("a") as file:
        file.write("\n")
    with pytest.raises(ShoalError, match=r"data.csv does not match the manifest"):
        zip_stream(written.folder)


def test_a_missing_file_is_refused(written: Written) -> None:
    (written.folder / "data.csv").unlink()
    with pytest.raises(ShoalError, match=r"data.csv does not match the manifest"):
        zip_stream(written.folder)


def with_file(folder: Path, name: str) -> Path:
    """A manifest that lists one more file, sealed as it should be."""
    manifest = Manifest.load(folder)
    files = {**manifest.files, name: file_hash(folder / name)}
    text = Manifest(**{**vars(manifest), "files": files}).to_json()
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def test_a_file_outside_of_the_folder_is_never_sent(written: Written) -> None:
    (written.folder.parent / "private.csv").write_text("secret")
    (written.folder / "link.csv").symlink_to(written.folder.parent / "private.csv")
    with pytest.raises(ShoalError, match="does not match the manifest"):
        zip_stream(with_file(written.folder, "link.csv"))
    with pytest.raises(ShoalError, match="names a file that is not in the release"):
        zip_stream(with_file(written.folder, "../private.csv"))


def test_a_file_that_changes_on_the_way_ends_the_archive(written: Written) -> None:
    stream = zip_stream(written.folder)
    path = written.folder / "data.csv"
    path.write_bytes(path.read_bytes()[::-1])
    with pytest.raises(ShoalError, match=r"data.csv does not match the manifest"):
        list(stream)


def test_memory_does_not_grow_with_the_files(written: Written) -> None:
    (written.folder / "noise.bin").write_bytes(os.urandom(CHUNK) * 24)
    stream = zip_stream(with_file(written.folder, "noise.bin"))
    tracemalloc.start()
    sent = sum(len(piece) for piece in stream)
    assert tracemalloc.get_traced_memory()[1] < 8 * CHUNK < sent
    tracemalloc.stop()
