"""What a killed run leaves behind is taken away by the next one, and nothing else is."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.release.storage.hidden_folder import hidden_folder, this_host

NAME = "0123456789abcdef"
WORKING = """\
import sys
from pathlib import Path
from shoal.release.storage.hidden_folder import hidden_folder

with hidden_folder(Path(sys.argv[1]), "release") as folder:
    (folder / "cells").mkdir()
    (folder / "cells" / "file").write_text("of people")
    print("working", flush=True)
    sys.stdin.read()
"""


def working(folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WORKING, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"
    return process


def test_what_a_killed_run_leaves_is_taken_away_by_the_next(tmp_path: Path) -> None:
    with working(tmp_path) as process:
        os.kill(process.pid, signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".release.")
    assert left.stat().st_mode & 0o077 == 0
    with hidden_folder(tmp_path, "release") as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []


def test_what_an_earlier_version_left_is_taken_away_too(tmp_path: Path) -> None:
    (tmp_path / f".release.{this_host()}.abcdefg1.shoal").mkdir()
    with hidden_folder(tmp_path, "release") as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_a_run_beside_it_is_left_alone(tmp_path: Path) -> None:
    with working(tmp_path) as process:
        (theirs,) = tmp_path.iterdir()
        with hidden_folder(tmp_path, "release") as folder:
            assert {*tmp_path.iterdir()} == {folder, theirs}
        process.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_of_a_run_on_this_name_is_left_alone(tmp_path: Path) -> None:
    here = this_host()
    others = [
        ".release.notmine",
        f".release.{here}.{NAME}.shoal.old",
        f".other.{here}.{NAME}.shoal",
        f"release.{here}.{NAME}.shoal",
        f".release.{here}.shoal",
    ]
    for name in others:
        (tmp_path / name).mkdir()
    odd = [f".release.{here}.{number * 16}.shoal" for number in "12"]
    (tmp_path / odd[0]).write_text("a file")
    (tmp_path / odd[1]).symlink_to(tmp_path / others[3])
    with hidden_folder(tmp_path, "release"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {*others, *odd}


def test_a_run_of_another_machine_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lock may not be seen from here."""
    monkeypatch.setattr("socket.gethostname", lambda: "theirs")
    with hidden_folder(tmp_path, "release") as folder:
        left = Path(shutil.copytree(folder, folder.with_name(f".release.{this_host()}.{NAME}.shoal")))
    monkeypatch.setattr("socket.gethostname", lambda: "ours")
    with hidden_folder(tmp_path, "release"):
        assert left.is_dir()
    monkeypatch.setattr("socket.gethostname", lambda: "theirs")
    with hidden_folder(tmp_path, "release"):
        assert not left.exists()


@pytest.mark.parametrize("call", ["mkdir", "rename"])
def test_nothing_is_left_when_a_signal_comes_while_it_is_made(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    does = getattr(Path, call)

    def stopped(*given: object, **named: object) -> None:
        does(*given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, call, stopped)
    with pytest.raises(KeyboardInterrupt), hidden_folder(tmp_path, "release"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    program = (
        "import sys; from pathlib import Path; from shoal.release.storage.hidden_folder import lock_on\n"
        "with lock_on(Path(sys.argv[1])): pass"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "pipe")], check=True, timeout=20)
