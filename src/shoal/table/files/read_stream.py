"""A stream of bytes that says how it reads, and is read into buffers as well."""

from io import RawIOBase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class ReadStream(RawIOBase):
    """A stream to read from; those who inherit define ``read``."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        content = self.read(len(view)) or b""
        view[: len(content)] = content
        return len(content)
