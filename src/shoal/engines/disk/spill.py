"""Batches put aside on disk, in numbered parts.

The file has no name: the system takes it back when the process ends, however it ends, so that no copy of
anybody's data is left behind.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from weakref import finalize

import pyarrow as pa

from shoal.errors import ShoalError


class Spill:
    """Tables of one schema; each part is read as often as needed, by any thread."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.schema = schema
        self.bytes = 0
        self._places: dict[int, list[tuple[int, int]]] = {}
        try:
            with TemporaryFile(dir=folder) as file:
                self._file = os.dup(file.fileno())
        except OSError:
            raise ShoalError(
                f"temporary files cannot be written into {str(folder)!r}",
                "choose a folder of yours with room for them: --temp FOLDER.",
            ) from None
        finalize(self, os.close, self._file)

    @property
    def numbers(self) -> list[int]:
        return sorted(self._places)

    def put(self, number: int, table: pa.Table) -> None:
        places = self._places.setdefault(number, [])
        for batch in table.combine_chunks().to_batches():
            content = batch.serialize()
            places.append((self.bytes, content.size))
            self._write(memoryview(content))
            self.bytes += content.size

    def _write(self, content: memoryview) -> None:
        try:
            while content:
                content = content[os.write(self._file, content) :]
        except OSError as error:
            raise ShoalError(
                f"temporary files cannot be written: {error.strerror or type(error).__name__}",
                "make room on the disk, or choose another folder for them: --temp FOLDER.",
            ) from None

    def get(self, number: int) -> pa.Table:
        places = self._places.get(number, [])
        return pa.Table.from_batches([self._batch(*place) for place in places], self.schema)

    def batches(self) -> Iterator[pa.Table]:
        """All batches in the order in which they were put, part by part."""
        for number in self.numbers:
            for place in self._places[number]:
                yield pa.Table.from_batches([self._batch(*place)], self.schema)

    def _batch(self, offset: int, size: int) -> pa.RecordBatch:
        content = bytearray(size)
        view, at = memoryview(content), 0
        while at < size:
            at += os.preadv(self._file, [view[at:]], offset + at)
        return pa.ipc.read_record_batch(pa.py_buffer(content), self.schema)
