"""The text of a file as a stream that stops a table which grows too large, while it is read."""

from collections.abc import Iterator
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.display import sized
from shoal.errors import ShoalError
from shoal.table.files.file_signatures import START, refuse_disguised
from shoal.table.files.limits import UNLIMITED, Limits
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
        packed = path.suffix == ".gz"
        self._content: Any = pa.input_stream(self._plain, compression="gzip") if packed else self._plain

    def read(self, size: int = -1) -> bytes:
        try:
            content = bytes(self._content.read(CHUNK if size is None or size < 0 else size))
        except OSError:
            raise not_gzip(self._path) from None
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


def not_gzip(path: Path) -> ShoalError:
    """The error for a file that cannot be unpacked or read to its end."""
    if path.suffix != ".gz":
        return ShoalError(f"{path.name} cannot be read to its end", "check the disk, and copy it again.")
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    if packed:
        what = f"{path.name} is cut off or damaged: it cannot be unpacked to its end"
        return ShoalError(what, "copy or download it again, or compress the table again.")
    return ShoalError(f"{path.name} ends in .gz but is not gzip", "rename the file, or compress it again.")


def not_plain(path: Path) -> ShoalError:
    """The error for a file with NUL bytes."""
    hint = "save the table as text in UTF-8; UTF-16 needs its mark at the start."
    return ShoalError(f"{path.name} holds NUL bytes, which text does not", hint)


def first_bytes(path: Path, count: int) -> bytes:
    """The first bytes of the content, unpacked; a file of another kind is refused."""
    with path.open("rb") as file:
        start = file.read(START)
    if path.suffix == ".gz" and not start.startswith(b"\x1f\x8b"):
        refuse_disguised(path, start, expected="gzip")
        raise not_gzip(path)
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
