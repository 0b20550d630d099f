"""Files that stay what they were while they are read, also where they are read more than once.

A file that somebody still writes would be half of one table and half of another, and all that can be said of
it later is that figures do not agree. So size, time and place of a file are looked at before and after.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import ShoalError

State = tuple[int, int, int, int]


@dataclass(frozen=True)
class FileStates:
    """Files, and their states when they were first looked at."""

    files: tuple[Path, ...]
    states: tuple[State, ...]

    @classmethod
    def of(cls, files: Sequence[Path]) -> "FileStates":
        return cls(tuple(files), tuple(map(_state, files)))

    def insist(self) -> None:
        """Refuse what was read of files that are not as they were."""
        for file, state in zip(self.files, self.states, strict=True):
            if not file.exists() or _state(file) != state:
                what = f"{file.name} was changed while it was read"
                raise ShoalError(what, "wait until it is written, or read a copy of it, and run it again.")


@contextmanager
def refuse_changes(files: Sequence[Path]) -> Iterator[None]:
    """What goes wrong inside, too, goes wrong because a file has changed."""
    before = FileStates.of(files)
    try:
        yield
    except Exception:
        before.insist()
        raise
    before.insist()


def _state(file: Path) -> State:
    found = file.stat()
    return found.st_size, found.st_mtime_ns, found.st_dev, found.st_ino
