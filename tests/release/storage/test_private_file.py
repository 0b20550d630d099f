"""Files for the owner appear whole or not at all, whatever happens while they are made."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.release.storage.hidden_folder import this_host
from shoal.release.storage.private_file import (
    private_file_write,
    refuse_existing_file,
    sweep_private,
    write_privately,
)

WRITING = """\
import os, sys
from pathlib import Path
from shoal.release.storage.private_file import private_file_write

with private_file_write(Path(sys.argv[1]) / "audit", "audit file", lambda file: file.write("whose")):
    print("written", flush=True)
    sys.stdin.read()
"""


def test_a_file_is_private_from_the_start_and_takes_its_place_in_the_end(tmp_path: Path) -> None:
    with private_file_write(tmp_path / "audit", "audit file", lambda file: file.write("whose")):
        (hidden,) = tmp_path.iterdir()
        assert hidden.name.startswith(".audit.")
        assert hidden.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["audit"]
    assert (tmp_path / "audit").read_text() == "whose"


def test_nothing_is_left_when_a_signal_comes_while_it_is_written(tmp_path: Path) -> None:
    def stopped(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), private_file_write(tmp_path / "audit", "audit file", stopped):
        pass
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_a_signal_comes_while_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens = os.open

    def stopped(*given: object, **named: object) -> int:
        os.close(opens(*given, **named))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", stopped)
    with pytest.raises(KeyboardInterrupt), private_file_write(tmp_path / "audit", "audit file", repr):
        pass
    assert list(tmp_path.iterdir()) == []


def writing(folder: Path) -> "subprocess.Popen[str]":
    """A process that has written a whole file and not yet given it its name."""
    command = [sys.executable, "-c", WRITING, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    return process


def test_what_a_killed_process_leaves_is_taken_away_by_the_next_whatever_its_name(tmp_path: Path) -> None:
    with writing(tmp_path) as process:
        os.kill(process.pid, signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    assert left.read_text() == "whose"
    assert left.stat().st_mode & 0o777 == 0o600
    write_privately(tmp_path / "other", "report", lambda file: file.write("mine"))
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_what_somebody_is_writing_stays(tmp_path: Path) -> None:
    with writing(tmp_path) as process:
        sweep_private(tmp_path)
        write_privately(tmp_path / "audit", "audit file", lambda file: file.write("mine"))
        assert len(list(tmp_path.iterdir())) == 2
        process.communicate("")
    assert (tmp_path / "audit").read_text() == "whose"
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_else_is_taken_away(tmp_path: Path) -> None:
    here, drawn = this_host(), "0123456789abcdef"
    kept = [
        f".audit.{here}.{drawn}",
        f"audit.{here}.{drawn}.private",
        f".audit.{'0' * 8}.{drawn}.private",
        f".audit.{here}.{drawn[:-1]}.private",
        f".audit.{here}.{drawn}.private.old",
        ".private",
    ]
    for name in kept:
        (tmp_path / name).write_text("somebody's")
    (tmp_path / f".folder.{here}.{drawn}.private").mkdir()
    (tmp_path / f".link.{here}.{drawn}.private").symlink_to(tmp_path / kept[0])
    (tmp_path / f".fresh.{here}.{drawn}.private").touch()  # made this moment, and perhaps not yet held
    before = {path.name for path in tmp_path.iterdir()}
    sweep_private(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before


def test_an_empty_one_goes_when_it_is_old(tmp_path: Path) -> None:
    empty = tmp_path / f".audit.{this_host()}.0123456789abcdef.private"
    empty.touch()
    os.utime(empty, (time.time() - 3600,) * 2)
    sweep_private(tmp_path)
    assert not empty.exists()


def test_a_link_to_somewhere_else_is_replaced_only_by_force_and_never_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "elsewhere", tmp_path / "audit"
    link.symlink_to(target)  # to nothing yet
    with pytest.raises(ShoalError, match="exists"):
        refuse_existing_file(link, "audit file", "# audit", force=False)
    write_privately(link, "audit file", lambda file: file.write("whose"))
    assert not target.exists()
    assert not link.is_symlink()
    assert link.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277])
def test_a_private_file_is_its_owners_alone_under_any_mask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_privately(tmp_path / "audit", "audit file", lambda file: file.write("whose"))
    finally:
        os.umask(before)
    assert (tmp_path / "audit").stat().st_mode & 0o077 == 0
