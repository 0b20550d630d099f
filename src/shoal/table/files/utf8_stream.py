"""Text that is never cut between a return and a line feed.

Arrow takes a line feed at the start of a block for the rest of a line end and drops it, also inside a cell in
quotes, where it belongs to what the cell holds.
"""

import codecs
from typing import Any

from shoal.table.files.read_stream import ReadStream

CHUNK = 1 << 20


class Utf8Stream(ReadStream):
    """The text of a stream of bytes, as UTF-8."""

    def __init__(self, content: Any, encoding: str) -> None:
        super().__init__()
        self._content, self._held, self._ready, self._ended = content, b"", b"", False
        self._decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)()

    def read(self, size: int = -1) -> bytes:
        """A return at the end is held back until what follows is known."""
        more = self._text((CHUNK if size is None or size < 0 else size) - len(self._held))
        found, self._held = self._held + more if self._held else more, b""
        if more and len(found) > 1 and found.endswith(b"\r"):
            found, self._held = found[:-1], b"\r"
        return found

    def _text(self, size: int) -> bytes:
        if self._decoder is None:
            return bytes(self._content.read(size))
        while len(self._ready) < size and not self._ended:
            content = self._content.read(CHUNK)
            self._ended = not content
            self._ready += self._decoder.decode(content, final=self._ended).encode()
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def close(self) -> None:
        self._content.close()
        super().close()
