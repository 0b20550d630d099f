"""Files for the owner's eyes only: readable by nobody else from the start, and whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from shoal.errors import ShoalError


@contextmanager
def written_privately(
    path: Path, what: str, write: Callable[[TextIO], object], durably: bool = True
) -> Iterator[None]:
    """A file that takes its place when the block ends well; ``what`` it is, for messages. What is not kept
    durably may be the one before after the power has failed, and costs no time."""
    with _told(path, what):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with _told(path, what), os.fdopen(handle, "w", encoding="utf-8") as file:
            write(file)
            if durably:
                file.flush()
                os.fsync(file.fileno())
        yield
        with _told(path, what):
            Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


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
