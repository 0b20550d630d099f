"""Files for the owner's eyes only: readable by nobody else from the start, and whole or not at all."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from shoal.errors import ShoalError


@contextmanager
def written_privately(
    path: Path, what: str, write: Callable[[TextIO], object], durably: bool = True
) -> Iterator[None]:
    """A file that takes its place when the block ends well; ``what`` it is, for messages. What is not kept
    durably may be the one before after the power has failed, and costs no time."""
    new = path.parent / f".{path.name}.{secrets.token_hex(8)}"
    try:  # whenever a signal comes, it is known what to take away
        with _told(path, what), open(new, "x", encoding="utf-8", opener=_private) as file:
            write(file)
            if durably:
                file.flush()
                os.fsync(file.fileno())
        yield
        with _told(path, what):
            new.replace(path)
    finally:
        with suppress(OSError):  # it is not there, or there is no such folder
            new.unlink()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise ShoalError(f"the {what} {str(path)!r} cannot be written", "check the folder.") from None


def write_privately(path: Path, what: str, write: Callable[[TextIO], object], durably: bool = True) -> None:
    """A file that takes its place at once."""
    with written_privately(path, what, write, durably):
        return


def refuse_existing_file(path: Path, what: str, header: str, force: bool) -> None:
    """An existing file is never touched without --force, and then only if it begins as such a file does."""
    if not path.exists():
        return
    if not force:
        raise ShoalError(f"the {what} {str(path)!r} exists", "choose another name, or add --force.")
    if not path.is_file() or not _begins_with(path, header):
        article = "an" if what[0] in "aeiou" else "a"
        raise ShoalError(f"{str(path)!r} exists and is not {article} {what}", "choose another name.")


def refuse_inside(folder: Path, path: Path, what: str) -> None:
    if folder.resolve() in (path.resolve(), *path.resolve().parents):
        raise ShoalError(f"the {what} would lie inside the release", "keep it somewhere only you can read.")


def _begins_with(path: Path, header: str) -> bool:
    with path.open("rb") as file:
        return file.read(len(header)) == header.encode()
