"""A release whose table is in several files is checked, read and replaced like any other."""

import os
import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from pyarrow import parquet

from shoal.adversary.attacks import open_scene, run_attacks
from shoal.errors import ShoalError
from shoal.release.integrity.manifest import FILE_NAME, Manifest, file_hash
from shoal.release.opened_release import open_release
from shoal.release.storage.archive import zip_stream
from shoal.release.storage.atomic_folder import refuse_existing
from shoal.table.files.data_file import read_data

from .conftest import ROWS, Write, people

COUNT = "select count(*), sum(salary) from data where salary > 850000"


def sealed(folder: Path, *more: str) -> None:
    """A manifest that vouches for the data as it lies there, and for files of these names."""
    data = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != FILE_NAME)
    files = {path.relative_to(folder).as_posix(): file_hash(path) for path in data}
    manifest = Manifest.load(folder)
    files |= dict.fromkeys(more, "0" * 64)
    (folder / FILE_NAME).write_text(replace(manifest, files=files).to_json(), encoding="utf-8")


@pytest.fixture
def whole(write: Write) -> Path:
    return write(format="parquet", seed=3).folder


@pytest.fixture
def parted(whole: Path, tmp_path: Path) -> Path:
    """The same release with its table in three files."""
    folder = tmp_path / "parted"
    shutil.copytree(whole, folder)
    table = parquet.read_table(folder / "data.parquet")
    (folder / "data.parquet").unlink()
    (folder / "data.parquet").mkdir()
    for place, rows in enumerate((slice(0, 10), slice(10, 11), slice(11, ROWS))):
        part = table.slice(rows.start, rows.stop - rows.start)
        parquet.write_table(part, folder / "data.parquet" / f"part-{place:05}.parquet")
    sealed(folder)
    return folder


def faults(folder: Path) -> str:
    (integrity,) = open_release(folder).verify()
    assert not integrity.holds
    return integrity.sentence.removeprefix("The files do not match the manifest: ")


def test_it_is_verified_and_asked_like_one_file(whole: Path, parted: Path) -> None:
    one, many = open_release(whole), open_release(parted)
    assert many.read().arrow.equals(one.read().arrow)
    assert read_data(parted / "data.parquet").arrow.equals(one.read().arrow)
    verdicts = many.verify(against=people())
    assert [verdict.kind for verdict in verdicts] == ["integrity", "kf-anonymity", "truth"]
    assert all(verdict.holds for verdict in verdicts)
    assert verdicts[0].achieved == {"files": 3}
    assert many.query(COUNT) == one.query(COUNT)


def test_it_is_attacked_like_one_file(whole: Path, parted: Path) -> None:
    found = [run_attacks(open_scene(people(), folder, None), ("linkage",)) for folder in (whole, parted)]
    assert [one.as_dict() for one in found[0]] == [one.as_dict() for one in found[1]]


def test_it_is_packed_with_its_folder(parted: Path, tmp_path: Path) -> None:
    ZipFile(BytesIO(b"".join(zip_stream(parted)))).extractall(tmp_path / "unpacked")
    assert open_release(tmp_path / "unpacked" / "parted").verify()[0].holds


def test_a_changed_a_missing_and_an_extra_part_are_named(parted: Path) -> None:
    data = parted / "data.parquet"
    (data / "part-00000.parquet").write_bytes(b"")
    (data / "part-00001.parquet").unlink()
    shutil.copy(data / "part-00002.parquet", data / "part-00003.parquet")
    (data / "more").mkdir()
    (data / "more" / "cells").write_text("what is this?")
    assert faults(parted) == (
        "data.parquet/part-00000.parquet differs; data.parquet/part-00001.parquet is missing; "
        "data.parquet/more does not belong to it; data.parquet/part-00003.parquet does not belong to it."
    )


def test_a_part_that_the_manifest_does_not_name_is_not_read(parted: Path) -> None:
    before = open_release(parted).read().arrow
    data = parted / "data.parquet"
    shutil.copy(data / "part-00002.parquet", data / "part-00003.parquet")
    assert open_release(parted).read().arrow.equals(before)
    with pytest.raises(ShoalError, match=r"part-00003\.parquet does not belong to the release"):
        open_release(parted).read_as_written()


def test_a_link_is_no_part(parted: Path, tmp_path: Path) -> None:
    part = parted / "data.parquet" / "part-00001.parquet"
    part.rename(tmp_path / "elsewhere")
    part.symlink_to(tmp_path / "elsewhere")
    assert faults(parted) == "data.parquet/part-00001.parquet differs."
    with pytest.raises(ShoalError, match="does not match the manifest"):
        zip_stream(parted)
    with pytest.raises(ShoalError, match="is missing"):
        open_release(parted).read()


def test_a_linked_folder_is_none_of_the_release(parted: Path, tmp_path: Path) -> None:
    (parted / "data.parquet").rename(tmp_path / "elsewhere")
    (parted / "data.parquet").symlink_to(tmp_path / "elsewhere")
    assert "data.parquet does not belong to it" in faults(parted)
    for use in (zip_stream, lambda folder: open_release(folder).read()):
        with pytest.raises(ShoalError, match=r"missing|does not match the manifest"):
            use(parted)


@pytest.mark.parametrize(
    "name", ["../data.csv", "data.parquet/../../x", "/etc/hostname", "a//b", "a\\b", "C:x", "", ".", "a\0b"]
)
def test_a_name_that_leads_elsewhere_is_refused(parted: Path, name: str) -> None:
    sealed(parted, name)
    with pytest.raises(ShoalError, match="names a file that is not in the release"):
        open_release(parted)


def test_parts_of_different_tables_are_refused(parted: Path) -> None:
    part = parted / "data.parquet" / "part-00001.parquet"
    parquet.write_table(parquet.read_table(part).drop_columns(["region"]), part)
    sealed(parted)
    with pytest.raises(ShoalError, match=r"the files of data\.parquet are not parts of one table"):
        open_release(parted).verify()


def test_a_file_and_parts_together_are_no_table(parted: Path) -> None:
    (parted / "data.csv").write_text("age\n1\n")
    sealed(parted)
    with pytest.raises(ShoalError, match=r"the data file of .* is missing"):
        open_release(parted).read()


def test_only_a_release_and_nothing_else_is_replaced(parted: Path) -> None:
    refuse_existing(parted, force=True)
    (parted / "data.parquet" / "my notes").write_text("")
    with pytest.raises(ShoalError, match="is not a release, or not only that"):
        refuse_existing(parted, force=True)
    (parted / "data.parquet" / "my notes").unlink()
    os.symlink(parted, parted / "data.parquet" / "part-00009.parquet")
    with pytest.raises(ShoalError, match="is not a release, or not only that"):
        refuse_existing(parted, force=True)
