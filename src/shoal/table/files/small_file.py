"""Files that are read whole: plain ones, up to a size that is known before anything is read.

A device has no end and a pipe may never begin, so both are refused before the first byte, also where a name
changes its meaning between a look and the reading.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from shoal.display import sized
from shoal.errors import ShoalError

CHECK = "check the path: is it a table, with a line for each record?"
CHECK = "check the path: is it a table, with a line for each record?"
NOT_PLAIN = "save it as a file, and give the path of that."


def read_small(path: str | PathLike[str], most: int, what: str, encoding: str = "utf-8") -> str:
    """The text of a file of at most ``most`` bytes, every line end a line feed; ``what`` it should be is told
    in the refusal."""
    with plain_file(path, what) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ShoalError(f"{str(path)!r} holds more than {sized(most)}, too much for {what}", CHECK)
    return content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def plain_file(path: str | PathLike[str], what: str) -> Iterator[BinaryIO]:
    """Opened for reading; whatever is no plain file is refused, and does not block."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    kind = os.fstat(handle).st_mode
    if not stat.S_ISREG(kind):
        os.close(handle)
        if stat.S_ISDIR(kind):
            raise ShoalError(f"{str(path)!r} is a folder, not {what}", "give the path of a file.")
        raise ShoalError(f"{str(path)!r} is a pipe or a device, not {what}", NOT_PLAIN)
    with os.fdopen(handle, "rb") as file:
        yield file


def refuse_not_plain(path: Path, what: str = "a table") -> None:
    """Refuse a pipe or a device by its name, before somebody opens it."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ShoalError(f"{str(path)!r} is a pipe or a device, not {what}", NOT_PLAIN)
