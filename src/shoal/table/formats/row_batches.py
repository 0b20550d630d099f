"""The rows of a table of any size, some at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.source_lines import SourceLines
from shoal.table.table import Table

TEXT_BYTES = 16
MEASURED_ROWS = 4096


@dataclass(frozen=True)
class Batches:
    """``read(n)`` begins at the first row whenever it is called and gives about n rows at a time; ``rows`` is
    how many there are where that is known without reading them, ``lines`` where they stand in a single file
    that has lines. Without ``repeats``, another reading may give other rows, or in another order: what a
    view or a query of a database gives is not promised twice."""

    schema: pa.Schema
    rows: int | None
    read: Callable[[int], Iterator[pa.Table]]
    lines: SourceLines | None = None
    repeats: bool = True

    @classmethod
    def of_table(cls, table: Table) -> "Batches":
        """The rows of a table in memory."""
        arrow = decode_columns(table.arrow, table.names)

        def read(rows_at_once: int) -> Iterator[pa.Table]:
            for start in range(0, len(table), rows_at_once):
                yield arrow.slice(start, rows_at_once)

        return cls(arrow.schema.remove_metadata(), len(table), read, table.lines)

    def bytes_of(self, rows: int) -> int:
        """Roughly what so many rows take in memory. Text is measured where the table begins, and counted as
        16 bytes a cell at least."""
        widths = [_width(kind) for kind in self.schema.types]
        measured = self._measured() if None in widths else 0
        return rows * max(sum(TEXT_BYTES if width is None else width for width in widths), measured)

    def _measured(self) -> int:
        first = next((table for table in self.read(MEASURED_ROWS) if len(table)), None)
        return 0 if first is None else -(-first.nbytes // len(first))


def _width(kind: pa.DataType) -> int | None:
    try:
        return int(kind.bit_width) // 8 or 1
    except ValueError:
        return None
