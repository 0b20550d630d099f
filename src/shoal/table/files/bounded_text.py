"""The text of a file as a stream that stops a table which grows too large, while it is read."""

from collections.abc import Iterator
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import Any

from shoal.display import sized
from shoal.errors import ShoalError
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.limits import UNLIMITED, Limits
from shoal.table.files.packed_text import NOT_UNPACKED, PACKERS, SIGNS, not_unpacked, unpacked
from shoal.table.files.read_stream import ReadStream

LONGEST_LINE = 1 << 20  # characters; the readers take a block of so many bytes at once
CHUNK = 1 << 20


class BoundedText(ReadStream):
    """The content of a text file, unpacked, as long as it keeps the limits; memory stays constant.

    A table of so many columns has a cell of each in every line, so lines tell cells as well. ``plain`` text
    is of an encoding that has no NUL bytes.
    """

    def __init__(self, path: Path, limits: Limits, columns: int = 1, plain: bool = False) -> None:
        super().__init__()
        self._no_nul = plain
        self._path, self._limits, self._columns = path, limits, columns
        self._bytes = self._lines = 0
        self._plain = path.open("rb")
        self._content: Any = unpacked(path, self._plain)

    def read(self, size: int = -1) -> bytes:
        try:
            content = bytes(self._content.read(CHUNK if size is None or size < 0 else size))
        except NOT_UNPACKED:
            raise not_unpacked(self._path) from None
        if self._no_nul and b"\0" in content:
            raise not_plain(self._path)
        self._bytes += len(content)
        self._lines += max(content.count(b"\n"), content.count(b"\r"))
        self._limits.refuse_bytes(self._path.name, self._bytes)
        self._limits.refuse_cells(self._path.name, self._lines, self._columns)
        return content

    def close(self) -> None:
        self._plain.close()
        super().close()


def not_plain(path: Path) -> ShoalError:
    """The error for a file with NUL bytes."""
    hint = "save the table as text in UTF-8; UTF-16 needs its mark at the start."
    return ShoalError(f"{path.name} holds NUL bytes, which text does not", hint)


def first_bytes(path: Path, count: int) -> bytes:
    """The first bytes of the content, unpacked; a file of another kind is refused."""
    with path.open("rb") as file:
        start = file.read(START)
    packer = path.suffix.lower()
    if packer in SIGNS and not start.startswith(SIGNS[packer]):
        refuse_disguised(path, start, expected=PACKERS[packer])
        raise not_unpacked(path)
    with BufferedReader(BoundedText(path, UNLIMITED)) as file:
        content = file.read(max(count, START))
    refuse_disguised(path, content)
    return content[:count]


def bounded_lines(path: Path, encoding: str, limits: Limits, columns: int = 1) -> Iterator[str]:
    """The lines of a text file one by one; a line that no reader could take is refused by its number."""
    with TextIOWrapper(BufferedReader(BoundedText(path, limits, columns)), encoding, newline="") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise ShoalError(
                    f"line {number:,} of {path.name} is longer than {sized(LONGEST_LINE)}",
                    "end every row with a line end, and close every quote.",
                )
            yield line
