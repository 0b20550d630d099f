"""Cells that are read as declared where they can be, and stay as they are written elsewhere."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbers import is_text
from shoal.table.rules.column_readers import CellReader, ReadCells


@dataclass(frozen=True)
class ReadableCells:
    """A reader that finds no fault: of tables from other tools nobody knows whether they keep the spelling.

    >>> from shoal.table.rules.number_spelling import NumberSpelling
    >>> ReadableCells(NumberSpelling(",")).read(pa.array(["1,0", "1", "[1, 5]"])).cells.to_pylist()
    ['1.0', '1', '[1, 5]']
    """

    reader: CellReader

    @property
    def reason(self) -> str:
        return self.reader.reason

    def hint(self, cells: pa.Array, /) -> str:
        return self.reader.hint(cells)

    def read(self, cells: pa.Array) -> ReadCells:
        found = self.reader.read(cells)
        if not found.unread.any():
            return found
        if not is_text(cells.type):
            return ReadCells.all_of(cells)
        words = [one.cast(pa.string()) for one in (cells, found.cells)]
        return ReadCells.all_of(pc.if_else(arrow_from_numpy(found.unread), *words))
