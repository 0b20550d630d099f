"""How many rows share a value of a column with another row: a name that stands in two rows is one person, or
two people with one name. Empty cells are nobody's."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.bridge import numpy_from_arrow
from shoal.table.numbers import is_text


def repeating_rows(column: Any) -> int:
    """Rows whose value is in another row too; blanks around text do not count.

    >>> repeating_rows(pa.chunked_array([["Ann", "Bob", "Ann ", None, None, ""]]))
    2
    """
    there = cells_there(column)
    try:
        if pc.count_distinct(there).as_py() == len(there):
            return 0
        counts = np.asarray(numpy_from_arrow(pc.value_counts(there).field("counts")))
    except pa.ArrowNotImplementedError:  # lists and structs
        return repeating_rows(pa.array(list(map(str, there.to_pylist()))))
    return int(counts[counts > 1].sum())


def cells_there(column: Any) -> pa.Array:
    """The cells that are not empty, text without blanks around it."""
    cells = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(cells, pa.ChunkedArray):
        cells = pa.concat_arrays(cells.chunks) if cells.num_chunks else pa.array([], cells.type)
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if is_text(cells.type):
        cells = pc.utf8_trim_whitespace(cells)
        cells = cells.filter(pc.not_equal(cells, ""))
    elif pa.types.is_floating(cells.type):
        cells = cells.filter(pc.invert(pc.is_nan(cells)))
    return cells.drop_null()
