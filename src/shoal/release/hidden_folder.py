"""A hidden folder for work in progress; what a killed run leaves behind, the next one takes away.

Whoever works in such a folder holds a lock on it, which the system takes back when the process ends, however
it ends. A folder that nobody holds any more is nobody's.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from shoal.errors import ShoalError

ENDING = ".shoal"


@contextmanager
def hidden_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder that only its owner can look into, for work on what will have this name; gone in the end,
    unless it was moved away."""
    _sweep(parent, name)
    try:
        new = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".new", dir=parent))
    except OSError:
        raise ShoalError(
            f"cannot write into {str(parent)!r}",
            "check that the folder exists and is yours.",
        ) from None
    folder = new.with_suffix(ENDING)
    with _locked(new):  # before it has the name that others look for
        new.rename(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Was nobody else holding it? Where a file system has no such locks, nobody knows."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        flock(handle, LOCK_EX | LOCK_NB)
        held = True
    except OSError:
        held = False
    try:
        yield held
    finally:
        os.close(handle)


def _sweep(parent: Path, name: str) -> None:
    """What was left behind by runs on the same name that did not live to take it away."""
    for folder in _left(parent, name):
        with suppress(OSError), _locked(folder) as nobodys:
            if nobodys:
                shutil.rmtree(folder)


def _left(parent: Path, name: str) -> list[Path]:
    before = f".{name}."
    with suppress(OSError):
        return [
            path
            for path in parent.iterdir()
            if path.name.startswith(before)
            and path.name.endswith(ENDING)
            and "." not in path.name.removeprefix(before).removesuffix(ENDING)
            and path.is_dir()
            and not path.is_symlink()
        ]
    return []
