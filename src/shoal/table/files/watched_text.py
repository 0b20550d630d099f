"""The text of a table on its way to a reader that would not notice what is wrong with it."""

from codecs import BOM_UTF8
from pathlib import Path
from typing import Protocol

from shoal.errors import ShoalError
from shoal.table.files.bounded_text import not_plain
from shoal.table.files.read_stream import ReadStream
from shoal.table.files.utf8_stream import Utf8Stream

STARTS = tuple(end + BOM_UTF8 for end in (b"\n", b"\r"))


class QuoteCheck(Protocol):
    """Looks at a text piece by piece, and raises what is wrong with it."""

    def look(self, text: bytes) -> None: ...

    def end(self) -> None: ...


class WatchedText(ReadStream):
    """Passes a text on as it is, and raises what is wrong with its quotes or with how it was put together."""

    def __init__(self, content: Utf8Stream, path: Path, cells: QuoteCheck, any_text: bool = False) -> None:
        """``any_text``: cells may hold whatever there is, as in a file that shoal has written."""
        super().__init__()
        self._content, self._path, self._cells, self._any_text = content, path, cells, any_text
        self._end = b""

    def read(self, size: int = -1) -> bytes:
        try:
            text = self._content.read(size)
            self._look(text)
        except ShoalError:
            self.close()
            raise
        return text

    def _look(self, text: bytes) -> None:
        if not text:
            self._cells.end()
            return
        if not self._any_text:
            self._refuse_odd(text)
        self._cells.look(text)

    def _refuse_odd(self, text: bytes) -> None:
        """NUL, and the mark of a file's start at the start of a later line, also between two looks."""
        if b"\0" in text:
            raise not_plain(self._path)
        around = self._end + text[: len(BOM_UTF8)]
        for part in (around, text):
            if BOM_UTF8 in part and any(start in part for start in STARTS):
                raise joined_files_error(self._path)
        self._end = text[-len(BOM_UTF8) :]

    def close(self) -> None:
        self._content.close()
        super().close()


def joined_files_error(path: Path) -> ShoalError:
    """The error for text with a byte order mark in the middle."""
    return ShoalError(
        f"{path.name} holds the mark of a file's start in the middle: several files were joined",
        "give one header, and rows below it; take the mark (U+FEFF) away.",
    )
