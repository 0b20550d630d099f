"""A hidden folder for work in progress; what a killed run leaves behind, the next one takes away.

Whoever works in such a folder holds a lock on it, which the system takes back when the process ends, however
it ends. A folder that nobody holds any more is nobody's. Other machines may not see the lock, so each takes
away its own only.
"""

import hashlib
import os
import re
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from shoal.errors import ShoalError

ENDING = ".shoal"
DRAWN = "([0-9a-f]{16}|[a-z0-9_]{8})"  # the shorter ones are of earlier versions


@contextmanager
def hidden_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder that only its owner can look into, for work on what will have this name; gone in the end,
    unless it was moved away."""
    _sweep(parent, name)
    folder = parent / hidden_name(name, ENDING)
    new = folder.with_suffix(".new")
    try:  # whenever a signal comes, it is known what to take away
        _make(new)
        with lock_on(new):  # before it has the name that others look for
            new.rename(folder)
            yield folder
    finally:
        for left in (new, folder):
            shutil.rmtree(left, ignore_errors=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        raise ShoalError(
            f"cannot write into {str(folder.parent)!r}",
            "check that the folder exists and is yours.",
        ) from None


@contextmanager
def lock_on(path: Path) -> Iterator[bool]:
    """Was nobody else holding this file or folder? Where a file system has no such locks, nobody knows.
    A pipe of that name is opened without waiting for who writes into it."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        yield lock(handle)
    finally:
        os.close(handle)


def lock(handle: int, wait: bool = False) -> bool:
    """Hold what is open until it is closed; was nobody else holding it, or not any more?"""
    try:
        flock(handle, LOCK_EX if wait else LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(parent: Path, name: str) -> None:
    """What was left behind by runs on the same name that did not live to take it away."""
    for folder in _leftover_folders(parent, name):
        with suppress(OSError), lock_on(folder) as nobodys:
            if nobodys:
                shutil.rmtree(folder)


def hidden_name(name: str, ending: str) -> str:
    """A new name for work on what will have this one; it tells the machine."""
    return f".{name}.{this_host()}.{secrets.token_hex(8)}{ending}"


def this_host() -> str:
    """Stands for the name of this machine; those of two may begin alike and be long."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def _leftover_folders(parent: Path, name: str) -> list[Path]:
    named = re.compile(rf"\.{re.escape(name)}\.{this_host()}\.{DRAWN}{re.escape(ENDING)}")
    with suppress(OSError):
        found = [path for path in parent.iterdir() if named.fullmatch(path.name)]
        return [path for path in found if path.is_dir() and not path.is_symlink()]
    return []
