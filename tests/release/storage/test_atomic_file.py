from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.release.storage.atomic_file import atomic_file


def test_a_file_appears_when_the_block_ends_well(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    with atomic_file(target) as new:
        new.write_text("a")
        assert not target.exists()
    assert target.read_text() == "a"
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_is_left_when_it_does_not(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_file(tmp_path / "t.csv") as new:
            new.write_text("a")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_without_force(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    target.write_text("old")
    with pytest.raises(ShoalError, match="exists"), atomic_file(target):
        pass
    with atomic_file(target, force=True) as new:
        new.write_text("new")
    assert target.read_text() == "new"


def test_a_file_that_somebody_else_has_written_meanwhile_stays(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"

    def write() -> None:
        with atomic_file(target) as new:
            new.write_text("mine")
            target.write_text("theirs")

    with pytest.raises(ShoalError, match="exists"):
        write()
    assert target.read_text() == "theirs"


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    def fail() -> None:
        with atomic_file(tmp_path / "t.csv"):
            raise OSError(28, "No space left on device")

    with pytest.raises(ShoalError, match="cannot be written: No space left on device"):
        fail()
