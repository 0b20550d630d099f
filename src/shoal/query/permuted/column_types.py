"""The columns of a table that was read as text, typed for the database.

Text that is a number in every cell becomes whole numbers, decimals or floats; days become dates. Codes
such as 01234 stay text, and so does a column of which any one cell is something else.
"""

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import cell_by_cell
from shoal.table.columns.numbers import NotNumeric, is_text, numbers_from_arrow

NUMBER = r"^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$"
MINUS_ZERO = r"^-0(\.0*)?$"
DAY = r"^\d{4}-\d{2}-\d{2}$"


def typed_table(table: pa.Table) -> pa.Table:
    """
    >>> text = pa.table({"age": ["40", None], "zip": ["01234", "9"], "born": ["1980-01-31", None]})
    >>> found = typed_table(text)
    >>> [str(field.type) for field in found.schema]
    ['int64', 'string', 'date32[day]']
    """
    for at, name in enumerate(table.column_names):
        table = table.set_column(at, name, typed_column(table[name]))
    return table


def typed_column(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of text as dates or numbers if every cell is one, otherwise unchanged."""
    cells = cell_by_cell(cells)
    if not is_text(cells.type) or cells.null_count == len(cells):
        return cells
    if (dates := dates_from_text(cells)) is not None:
        return dates
    numbers = _numbers(cells)
    return cells if numbers is None else numbers


def dates_from_text(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Dates, or text that is a day in every cell, as dates; otherwise None."""
    if pa.types.is_date(cells.type):
        return cells.cast(pa.date32())
    if not is_text(cells.type) or not _all(cells, DAY):
        return None
    try:
        return cells.cast(pa.string()).cast(pa.date32())
    except pa.ArrowInvalid:
        return None


def exact_column(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Dates or numbers, all of them there; None if the column holds anything else."""
    if cells.null_count:
        return None
    if (dates := dates_from_text(cells)) is not None:
        return dates
    try:
        numbers = numbers_from_arrow(cells)
    except NotNumeric:
        return None
    if numbers.any_missing:
        return None
    if numbers.reals is not None:
        return pa.chunked_array([arrow_from_numpy(numbers.reals)])
    return pa.chunked_array([numbers.to_arrow(numbers.units)])


def _numbers(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    if not _all(cells, NUMBER) or pc.any(pc.match_substring_regex(cells, MINUS_ZERO)).as_py():
        return None
    try:
        numbers = numbers_from_arrow(cells)
    except NotNumeric:
        return None
    if not numbers.exact:
        return cells.cast(pa.string()).cast(pa.float64())
    exact = numbers.to_arrow(numbers.units)
    return pa.chunked_array([pc.if_else(pc.invert(cells.is_null()).combine_chunks(), exact, None)])


def _all(cells: pa.ChunkedArray, pattern: str) -> bool:
    """Every cell that is there; a first look at few of them spares most columns the whole look."""
    return (
        all(
            pc.all(pc.match_substring_regex(some, pattern)).as_py() is not False
            for some in (cells[:100], cells)
        )
        and len(cells) > cells.null_count
    )
