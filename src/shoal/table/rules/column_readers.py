"""Columns read as their owner says: numbers, dates and words in the spelling that is stated."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.spelling import one_spelling
from shoal.table.rules.unreadable_cells import CellsAtFault, UnreadableCells


@dataclass(frozen=True)
class ReadCells:
    """Cells as they are read, and which of them cannot be."""

    cells: pa.Array
    unread: Bools

    @classmethod
    def all_of(cls, cells: pa.Array) -> "ReadCells":
        return cls(cells, np.zeros(len(cells), bool))

    @classmethod
    def none_of(cls, cells: pa.Array) -> "ReadCells":
        return cls(pa.nulls(len(cells), pa.string()), numpy_from_arrow(cells.is_valid()))


class CellReader(Protocol):
    """One way to read different cells without blanks around them; missing ones stay missing."""

    @property
    def reason(self) -> str:
        """What cells are that it cannot read."""
        ...

    def read(self, cells: pa.Array) -> ReadCells: ...

    def hint(self, cells: pa.Array, /) -> str:
        """What to write about a column with some cells that cannot be read."""
        ...


@dataclass(frozen=True)
class ColumnReaders:
    """The rule: each column by its reader, all faults at once."""

    readers: tuple[tuple[str, CellReader], ...]
    keeps_rows = True

    def __call__(self, rows: pa.Table) -> pa.Table:
        faults = list[CellsAtFault]()
        for name, reader in self.readers:
            if name in rows.column_names:
                at = rows.column_names.index(name)
                column, wrong = _read(name, reader, rows.column(at))
                faults += wrong
                rows = rows.set_column(at, name, column)
        if faults:
            raise UnreadableCells(tuple(faults))
        return rows


def _read(
    name: str, reader: CellReader, column: pa.ChunkedArray
) -> tuple[pa.ChunkedArray, list[CellsAtFault]]:
    few = encode(one_spelling(column))
    found = reader.read(few.cells)
    read = pa.chunked_array([found.cells.take(arrow_from_numpy(few.numbers))])
    return read, list(_faults(name, reader, few.cells, found.unread, few.numbers))


def _faults(
    name: str, reader: CellReader, cells: pa.Array, unread: Bools, numbers: np.ndarray
) -> Iterator[CellsAtFault]:
    if unread.any():
        yield CellsAtFault(name, np.flatnonzero(unread[numbers]), reader.reason, reader.hint(cells))
