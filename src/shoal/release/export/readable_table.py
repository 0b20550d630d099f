"""A published table in columns that every program knows: text as it is published, numbers and days.

A range is text that people read, whether the release keeps it so or as its two ends.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.query.permuted.column_types import typed_column
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import cell_by_cell
from shoal.table.columns.numbers import LARGEST_FLOAT_UNITS, is_text, numbers_from_arrow
from shoal.table.files.data_file import plain_text, range_labels
from shoal.verify.cells.published_table import ends_of

ENDS = {"lo", "hi"}


def readable_table(published: pa.Table) -> pa.Table:
    """Every column as text in the spelling of the release.

    >>> readable_table(pa.table({"age": [{"lo": 10, "hi": 15}, {"lo": 7, "hi": 7}]}))["age"].to_pylist()
    ['[10, 15]', '7']
    """
    columns = [pa.chunked_array([_readable(column)]) for column in published.columns]
    return pa.table(columns, names=published.column_names)


def typed_columns(readable: pa.Table) -> pa.Table:
    """Columns of which every cell is a number, or every one a day, as such."""
    columns = [typed_column(column) for column in readable.columns]
    return pa.table(columns, names=readable.column_names)


def in_doubles(readable: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of numbers as doubles, one of days as such. It stays text if it is neither, or if a number has
    more than fifteen digits, which a double does not keep apart from its neighbours.

    >>> [str(in_doubles(pa.chunked_array([[cell]])).type) for cell in ("7", "1000000000000001", "x")]
    ['double', 'string', 'string']
    """
    typed = typed_column(readable)
    if not (pa.types.is_integer(typed.type) or pa.types.is_decimal(typed.type)):
        return typed
    found = numbers_from_arrow(typed)
    if len(found) and int(np.abs(found.units).max()) > LARGEST_FLOAT_UNITS:
        return readable
    doubles = arrow_from_numpy(found.units / 10.0**found.scale)  # the nearest, which Arrow's cast is not
    return pa.chunked_array([pc.if_else(arrow_from_numpy(found.missing), None, doubles)])


def in_fifteen_digits(doubles: pa.ChunkedArray) -> list[str | None]:
    """Doubles as far as everybody agrees in them, and as Excel keeps them.

    >>> in_fifteen_digits(pa.chunked_array([[0.1 + 0.2, None]]))
    ['0.3', None]
    """
    return [None if cell is None else f"{cell:.15g}" for cell in doubles.to_pylist()]


def _readable(column: pa.ChunkedArray) -> pa.Array:
    whole = cell_by_cell(column).combine_chunks()
    if pa.types.is_struct(whole.type) and set(whole.type.names) == ENDS:
        return range_labels(*ends_of(whole))
    if is_text(whole.type):
        return whole.cast(pa.string())
    if pa.types.is_nested(whole.type):
        words = [None if cell is None else str(cell) for cell in whole.to_pylist()]
        return pa.array(words, pa.string())
    return plain_text(whole)
