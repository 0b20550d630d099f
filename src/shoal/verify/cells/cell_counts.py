"""The different cells of a column and how often each occurs: all that is asked of the whole of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.kernels.classes import class_numbers
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable


@dataclass(frozen=True)
class CellCounts:
    """Cells as they are written, of one column; ``counts`` says how many records hold each."""

    name: str
    cells: pa.Array
    counts: Ints

    @classmethod
    def of(cls, published: PublishedTable, name: str) -> "CellCounts":
        """
        >>> found = CellCounts.of(PublishedTable(Table(pa.table({"ill": ["flu", "cold", "flu"]}))), "ill")
        >>> found.cells.to_pylist(), found.counts.tolist()
        (['flu', 'cold'], [2, 1])
        """
        encoded = published.once(("cells", name), lambda: _encoded(published.table.column(name)))
        return cls(name, encoded.cells, np.bincount(encoded.numbers, minlength=len(encoded.cells)))

    def joined(self, other: "CellCounts") -> "CellCounts":
        both = _encoded(pa.chunked_array([self.cells, other.cells]))
        counts = np.bincount(both.numbers, np.concatenate([self.counts, other.counts]))
        return CellCounts(self.name, both.cells, np.rint(counts).astype(np.int64))

    @cached_property
    def published(self) -> PublishedTable:
        """A table of one record for each different cell, which reads like the whole."""
        return PublishedTable(Table(pa.table({self.name: self.cells})))

    @property
    def records(self) -> int:
        return int(self.counts.sum())

    def places(self, published: PublishedTable) -> Ints:
        """Which of these cells every record of a part holds."""
        part = published.once(("cells", self.name), lambda: _encoded(published.table.column(self.name)))
        if part.cells is self.cells:
            return np.asarray(part.numbers, np.int64)
        both = _encoded(pa.chunked_array([self.cells, part.cells])).numbers
        if len(both) and int(both.max()) >= len(self.cells):
            raise ShoalError(f"a part of the table holds other values of {self.name!r} than the whole")
        return np.asarray(both[len(self.cells) :][part.numbers], np.int64)


def _encoded(column: Any) -> EncodedColumn:
    """Numbered as they come: cells that all differ keep their places."""
    if not pa.types.is_struct(column.type):
        return encode(column)
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    parts = [encode(part).numbers.astype(np.int64) for part in whole.flatten()]
    numbers = class_numbers([*parts, numpy_from_arrow(whole.is_null()).astype(np.int64)])
    firsts = np.unique(numbers, return_index=True)[1]
    places = np.argsort(np.argsort(firsts)).astype(np.int32)
    return EncodedColumn(places[numbers], whole.take(arrow_from_numpy(np.sort(firsts))))
