"""Files for the owner's eyes only: readable by nobody else from the start, and whole or not at all.

Until it is whole, such a file has a hidden name, and whoever writes it holds a lock on it, as on a hidden
folder. What a killed run leaves behind may be complete, and undo a release: the next run takes it away.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from shoal.errors import ShoalError
from shoal.release.storage.hidden_folder import hidden_name, lock, lock_on, this_host

ENDING = ".private"
MOMENT = 60  # seconds


@contextmanager
def private_file_write(
    path: Path, what: str, write: Callable[[TextIO], object], durably: bool = True
) -> Iterator[None]:
    """A file that takes its place when the block ends well; ``what`` it is, for messages. What is not kept
    durably may be the one before after the power has failed, and costs no time."""
    sweep_private(path.parent)
    new = path.parent / hidden_name(path.name, ENDING)
    try:  # whenever a signal comes, it is known what to take away
        with ExitStack() as held:
            with _write_faults(path, what):
                file = held.enter_context(open(new, "x", encoding="utf-8", opener=_private))
                lock(file.fileno(), wait=True)  # somebody may be looking whether it is nobody's
                write(file)
                file.flush()
                if durably:
                    os.fsync(file.fileno())
            yield
            with _write_faults(path, what):
                new.replace(path)
    finally:
        with suppress(OSError):  # it is not there, or there is no such folder
            new.unlink()


def sweep_private(folder: Path) -> None:
    """Take away what runs left in a folder that did not live to finish their private files, whatever their
    names: nobody else looks for them."""
    left = re.compile(rf"\..+\.{this_host()}\.[0-9a-f]{{16}}{re.escape(ENDING)}", re.DOTALL)
    with suppress(OSError):
        for path in [path for path in folder.iterdir() if left.fullmatch(path.name)]:
            with suppress(OSError), lock_on(path) as nobodys:
                if nobodys and path.is_file() and not _is_new(path):
                    path.unlink()


def _is_new(path: Path) -> bool:
    """May somebody have made it a moment ago, and not hold it yet? There is nothing in it then."""
    return path.stat().st_size == 0 and time.time() - path.stat().st_mtime < MOMENT


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


@contextmanager
def _write_faults(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise ShoalError(f"the {what} {str(path)!r} cannot be written", "check the folder.") from None


def write_privately(path: Path, what: str, write: Callable[[TextIO], object], durably: bool = True) -> None:
    """A file that takes its place at once."""
    with private_file_write(path, what, write, durably):
        return


def refuse_existing_file(path: Path, what: str, header: str, force: bool) -> None:
    """An existing file is never touched without --force, and then only if it begins as such a file does."""
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise ShoalError(f"the {what} {str(path)!r} exists", "choose another name, or add --force.")
    if not path.is_file() or not _begins_with(path, header):
        article = "an" if what[0] in "aeiou" else "a"
        raise ShoalError(f"{str(path)!r} exists and is not {article} {what}", "choose another name.")


def refuse_inside(folder: Path, path: Path, what: str) -> None:
    """Raise when a file that must stay with the owner would lie in the release's folder."""
    if folder.resolve() in (path.resolve(), *path.resolve().parents):
        raise ShoalError(f"the {what} would lie inside the release", "keep it somewhere only you can read.")


def _begins_with(path: Path, header: str) -> bool:
    with path.open("rb") as file:
        return file.read(len(header)) == header.encode()
