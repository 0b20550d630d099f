"""A release folder appears whole or not at all, and never in place of anything else."""

import os
import shutil
from errno import EACCES, ENOSPC
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.release.storage.atomic_folder import atomic_folder, refuse_existing
from shoal.release.storage.hidden_folder import hidden_folder
from tests.release.conftest import Write, Written


def fill(target: Path, text: str = "new", force: bool = False) -> None:
    with atomic_folder(target, force) as temporary:
        (temporary / "data.csv").write_text(text)


def test_the_folder_appears_with_everything_in_it(tmp_path: Path) -> None:
    fill(tmp_path / "release")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert (tmp_path / "release" / "data.csv").read_text() == "new"


def test_nothing_is_visible_before_the_end(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "release") as temporary:
        assert temporary.parent == tmp_path
        assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, MemoryError, SystemExit])
def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, failure: type[BaseException]) -> None:
    def fail() -> None:
        with atomic_folder(tmp_path / "release") as temporary:
            (temporary / "data.csv").write_text("half")
            raise failure

    with pytest.raises(failure):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "step",
    [
        "release.storage.atomic_folder._take_place",
        "release.stored_release.file_hash",
        "engines.memory.engine.write_data",
    ],
)
def test_a_full_disk_leaves_neither_release_nor_audit(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(f"shoal.{step}", fail)
    with pytest.raises(ShoalError, match="cannot be written: No space left on device\nHint: make room"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_a_failing_write_keeps_the_release_it_would_replace(
    written: Written, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in written.folder.iterdir()}
    monkeypatch.setattr("shoal.release.stored_release.file_hash", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write(force=True)
    assert {path.name: path.read_bytes() for path in written.folder.iterdir()} == before


def test_a_failing_exchange_brings_the_old_release_back(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def fail_for_the_new_one(source: Path, target: Path) -> Path:
        if target == written.folder and not source.name.endswith(".old"):
            raise PermissionError(EACCES, "Permission denied")
        return rename(source, target)

    before = {path.name: path.read_bytes() for path in written.folder.iterdir()}
    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(ShoalError, match="cannot be written: Permission denied"):
        fill(written.folder, force=True)
    assert {path.name: path.read_bytes() for path in written.folder.iterdir()} == before
    assert {path.name for path in written.folder.parent.iterdir()} == {"release", "release-audit.csv"}


def test_an_old_release_that_cannot_be_taken_away_is_left_for_the_next_run(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise PermissionError(EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", fail)
        fill(written.folder, force=True)
    assert [path.name for path in written.folder.iterdir()] == ["data.csv"]
    assert len(list(written.folder.parent.iterdir())) == 3
    fill(written.folder.with_name("release.2"))
    with hidden_folder(written.folder.parent, "release"):
        pass
    assert {path.name for path in written.folder.parent.iterdir()} == {
        "release",
        "release-audit.csv",
        "release.2",
    }


def test_stopped_between_two_names_the_old_release_comes_back(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def stopped(source: Path, target: Path) -> Path:
        if target == written.folder and not source.name.endswith(".old"):
            raise KeyboardInterrupt
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        fill(written.folder, force=True)
    assert (written.folder / "manifest.json").is_file()
    assert {path.name for path in written.folder.parent.iterdir()} == {"release", "release-audit.csv"}


def test_every_file_is_on_the_disk_before_the_folder_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, target = list[str](), tmp_path / "release"
    fsync = os.fsync

    def noted(handle: int) -> None:
        if not target.exists():
            synced.append(Path(os.readlink(f"/proc/self/fd/{handle}")).name)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    with atomic_folder(target) as temporary:
        (temporary / "data.parquet").mkdir()
        (temporary / "data.parquet" / "part").write_text("rows")
        (temporary / "manifest.json").write_text("{}")
    assert {"data.parquet", "part", "manifest.json"} < set(synced)


def test_what_is_wrong_with_another_file_is_not_said_of_the_folder(tmp_path: Path) -> None:
    def read_no_input() -> None:
        with atomic_folder(tmp_path / "release"):
            (tmp_path / "input.csv").open()

    with pytest.raises(ShoalError, match=r"input\.csv' cannot be used: No such file") as told:
        read_no_input()
    assert "make room" not in str(told.value)


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    with pytest.raises(ShoalError, match="exists\nHint: choose another folder, or add --force"):
        fill(tmp_path / "release")


def test_whoever_was_faster_wins(tmp_path: Path) -> None:
    def come_too_late() -> None:
        with atomic_folder(tmp_path / "release"):
            fill(tmp_path / "release", "fast")

    with pytest.raises(ShoalError, match="exists"):
        come_too_late()
    assert (tmp_path / "release" / "data.csv").read_text() == "fast"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_force_replaces_a_release(written: Written) -> None:
    fill(written.folder, force=True)
    assert [path.name for path in written.folder.iterdir()] == ["data.csv"]
    assert {path.name for path in written.folder.parent.iterdir()} == {"release", "release-audit.csv"}


def test_force_takes_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    fill(tmp_path / "release", force=True)
    assert (tmp_path / "release" / "data.csv").read_text() == "new"


def test_force_never_replaces_what_is_not_a_release(tmp_path: Path) -> None:
    target = tmp_path / "thesis"
    target.mkdir()
    (target / "chapter.tex").write_text("years of work")
    refused(target)
    (target / "manifest.json").write_text('{"name": "a web application has one too"}')
    refused(target)
    assert (target / "chapter.tex").read_text() == "years of work"


def test_force_never_deletes_a_file_beside_the_release(written: Written) -> None:
    (written.folder / "notes.txt").write_text("mine")
    refused(written.folder)
    assert (written.folder / "notes.txt").exists()


def test_a_file_or_a_link_is_never_replaced(written: Written) -> None:
    place = written.folder.parent
    (place / "file").write_text("mine")
    (place / "link").symlink_to(written.folder)
    (place / "dangling").symlink_to(place / "nowhere")
    for name in ("file", "link", "dangling"):
        refused(place / name)
    assert (place / "link").is_symlink()
    assert (written.folder / "data.csv").is_file()


def refused(target: Path) -> None:
    with pytest.raises(ShoalError, match="exists"):
        refuse_existing(target, force=False)
    with pytest.raises(ShoalError, match="exists and is not a release, or not only that"):
        fill(target, force=True)


def test_a_place_that_is_no_folder_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path / "file" / "release", tmp_path / "nowhere" / "release"):
        with pytest.raises(ShoalError, match="cannot write into"):
            fill(target)


def test_the_folder_can_be_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    fill(tmp_path / "release")
    assert (tmp_path / "release").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_release_can_be_moved(written: Written, tmp_path: Path) -> None:
    from shoal.release.opened_release import open_release

    moved = Path(shutil.move(written.folder, tmp_path / "elsewhere"))
    assert all(verdict.holds for verdict in open_release(moved).verify())
