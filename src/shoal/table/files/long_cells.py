"""Cells and columns that are too long to be worked on: a file of few bytes may unpack to them.

In text files a line has a limit; elsewhere nothing but the cells themselves tells. Arrow counts the letters
of a column in 31 bits, so more of them cannot be compared in memory.
"""

import pyarrow as pa
import pyarrow.compute as pc

from shoal.display import sized
from shoal.errors import ShoalError

LONGEST_CELL = 1 << 20  # bytes, as the longest line of a text file
MOST_LETTERS = 2**31 - 1


def refuse_long_cells(file: str, batch: pa.RecordBatch | pa.Table) -> None:
    """Refuse a batch with a cell of more than a megabyte; which one is told by its column."""
    for field, column in zip(batch.schema, batch.columns, strict=True):
        cells = column.dictionary if isinstance(column, pa.DictionaryArray) else column
        if cells.nbytes > LONGEST_CELL and _has_letters(cells.type):
            longest = pc.max(pc.binary_length(cells)).as_py() or 0
            if longest > LONGEST_CELL:
                what = f"column {field.name!r} of {file} has a cell of more than {sized(LONGEST_CELL)}"
                raise ShoalError(what, "leave the column out, or shorten its cells.")


def refuse_long_columns(table: pa.Table, name: str) -> None:
    """Refuse text that is too much for one column in memory."""
    for field, column in zip(table.schema, table.columns, strict=True):
        if _has_letters(field.type) and column.nbytes > MOST_LETTERS:
            what = f"column {field.name!r} of {name} holds more than {sized(MOST_LETTERS)} of text"
            raise ShoalError(what, "leave it out, shorten its cells, or work with --engine disk.")


def _has_letters(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_large_binary(kind)
    )
