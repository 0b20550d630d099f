"""Standard output that is not lost in silence.

An answer that reaches nobody is none. If the stream is closed, its disk full or its reader gone, the command
says so on stderr, with what it has done by then, and does not exit with 0.
"""

import io
import os
import sys
from typing import Any

from shoal.errors import ShoalError

_done: list[str] = []


class OutputLost(ShoalError):
    """What a command had to say could not be written."""

    def __init__(self, why: str) -> None:
        after = (
            f"{' and '.join(_done)} all the same" if _done else "give it a file or a program that takes it"
        )
        super().__init__(f"standard output could not be written: {why}", f"{after}.")


def note_done(what: str) -> None:
    """Remember what was done, as "... was written", in case that nothing can be said any more."""
    _done.append(what)


class _Output(io.FileIO):
    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            raise OutputLost(error.strerror or type(error).__name__) from None


def watch_output() -> None:
    """Make losses known from here on; refuses a stream that is closed before any work is done.

    A number that no stream has would be given to the next file that is opened, and whatever a library prints
    would go there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stderr = sys.stderr or _nowhere()
    if sys.stdout is None:
        sys.stdout = _nowhere()
        raise OutputLost("it is closed")
    try:
        number = sys.stdout.fileno()
    except io.UnsupportedOperation:  # somebody has put a stream of their own there
        return
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(number, "w", closefd=False)),
        encoding=sys.stdout.encoding,
        errors="backslashreplace",
        line_buffering=sys.stdout.isatty(),
    )


def give_up_output() -> None:
    """Nothing more is said: it is known to be lost."""
    sys.stdout = _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")
