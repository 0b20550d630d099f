"""Text parsed once: columns of numbers as numbers, columns of words with the number of every word.

What is looked at several times is then cheap to look at. Rows that are read in batches keep their text, since
no batch knows what the whole column is.
"""

from collections.abc import Collection
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.protocol import Rows
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode_if_few
from shoal.table.columns.numbers import NotNumeric, is_text, numbers_from_arrow, units_to_arrow


def parsed_text(rows: Rows, names: list[str], words: Collection[str] = ()) -> Rows:
    """The same rows; those columns that hold ``words`` do so even if all of them are numbers."""
    return rows.map(partial(_parsed, names, words), rows.schema) if rows.whole else rows


def _parsed(names: list[str], words: Collection[str], table: pa.Table) -> pa.Table:
    for name in names:
        at = table.column_names.index(name)
        if is_text(table.column(at).type):
            cells = None if name in words else _numbers(table.column(at))
            table = table.set_column(at, name, _words(table.column(at)) if cells is None else cells)
    return table


def _numbers(column: pa.ChunkedArray) -> pa.Array | None:
    """None if some cells are no numbers, or none is."""
    try:
        numbers = numbers_from_arrow(column)
    except NotNumeric:
        return None
    if numbers.missing.all():
        return None
    cells = units_to_arrow(numbers.units, numbers.scale)
    if numbers.floats:
        reals = numbers.units / 10.0**numbers.scale if numbers.reals is None else numbers.reals
        cells = arrow_from_numpy(reals)
    if not numbers.any_missing:
        return cells
    return pc.if_else(arrow_from_numpy(numbers.missing), pa.scalar(None, cells.type), cells)


def _words(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.DictionaryArray:
    few = encode_if_few(column)
    if few is None:
        return column
    return pa.DictionaryArray.from_arrays(arrow_from_numpy(few.numbers), few.cells)
