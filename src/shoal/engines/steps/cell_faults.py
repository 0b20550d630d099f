"""Faults of cells, with the line or row where they stand: the same words whatever engine holds the rows.

Where something is wrong, rows are looked at once more, for the places and, if the owner asks, the cells.
"""

from collections.abc import Callable
from functools import partial
from operator import add

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.errors import Fault
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.number_summary import CellPlaces, cell_places, missing_numbers
from shoal.table.columns.numbered_rows import ids_of
from shoal.table.columns.numbers import NotNumeric, is_text, numbers_from_arrow
from shoal.table.table import SHOWN_ROWS, cell_fault, cell_text

NOWHERE = np.zeros(0, np.int64)
Find = Callable[[pa.ChunkedArray], Ints]  # which cells of a batch it is about


def located_fault(rows: Rows, name: str, find: Find, reason: str, hint: str = "") -> Fault:
    """About the cells of a column that are found."""
    places = rows.fold(partial(_places, name, find), CellPlaces.joined) or CellPlaces()
    shown = ", ".join(str(line) for line in _lines(rows, places.first[:SHOWN_ROWS]))
    word = f"{'row' if rows.lines is None else 'line'}{'s' if len(places.first) > 1 else ''}"
    more = ", ..." if places.count > SHOWN_ROWS else ""
    total = rows.fold(len, add) or 0
    return cell_fault(
        name, places.count, total, reason, f"{word} {shown}{more}", hint, partial(_cells, rows, name, find)
    )


def fault_of_values(rows: Rows, name: str, values: pa.Array, reason: str, hint: str = "") -> Fault:
    """About all cells that are one of these values, or missing where one of them is."""
    return located_fault(rows, name, partial(_holding, values), reason, hint)


def odd_number_fault(rows: Rows, name: str, reason: str) -> Fault:
    """About cells that are no numbers, for this reason."""
    return located_fault(rows, name, partial(_odd_numbers, reason), reason)


def missing_number_fault(rows: Rows, name: str, reason: str, hint: str) -> Fault:
    """About cells without a number, in a column of numbers."""
    return located_fault(rows, name, _missing_numbers, reason, hint)


def missing_word_fault(rows: Rows, name: str, reason: str, hint: str) -> Fault:
    """About cells without a word."""
    return located_fault(rows, name, _missing_words, reason, hint)


def _odd_numbers(reason: str, column: pa.ChunkedArray) -> Ints:
    try:
        numbers_from_arrow(column)
    except NotNumeric as error:
        return error.rows if error.reason == reason else NOWHERE
    return NOWHERE


def _missing_numbers(column: pa.ChunkedArray) -> Ints:
    return np.flatnonzero(missing_numbers(column))


def _missing_words(column: pa.ChunkedArray) -> Ints:
    return np.flatnonzero(numpy_from_arrow(column.is_null().combine_chunks()))


def _holding(values: pa.Array, column: pa.ChunkedArray) -> Ints:
    return np.flatnonzero(numpy_from_arrow(pc.is_in(column, value_set=values).combine_chunks()))


def _places(name: str, find: Find, table: pa.Table) -> CellPlaces:
    return cell_places(ids_of(table), find(table.column(name)))


def _lines(rows: Rows, numbers: tuple[int, ...]) -> list[int]:
    """The lines in which these rows begin, after the line ends inside the cells above them."""
    first = 1 if rows.lines is None else rows.lines.first
    if rows.lines is None or not rows.lines.multiline:
        return [first + number for number in numbers]
    ends = rows.fold(partial(_line_ends, numbers), np.add)
    assert ends is not None  # noqa: S101 - these rows are there
    return [first + number + int(above) for number, above in zip(numbers, ends, strict=True)]


def _line_ends(numbers: tuple[int, ...], table: pa.Table) -> Ints:
    """How many there are in the cells of this batch, above each row."""
    inside = np.zeros(len(table), np.int64)
    for column in table.columns:
        if is_text(column.type):
            inside += numpy_from_arrow(pc.count_substring(column, "\n").fill_null(0).combine_chunks())
    ids = ids_of(table)
    return np.array([inside[ids < number].sum() for number in numbers], np.int64)


def _cells(rows: Rows, name: str, find: Find) -> list[tuple[str, int, str | None]]:
    found = rows.fold(partial(_numbered_cells, name, find), add) or []
    lines = _lines(rows, tuple(number for number, _ in found))
    return [(name, line, text) for line, (_, text) in zip(lines, found, strict=True)]


def _numbered_cells(name: str, find: Find, table: pa.Table) -> list[tuple[int, str | None]]:
    column, ids = table.column(name), ids_of(table)
    return [(int(ids[at]), cell_text(column[int(at)].as_py())) for at in find(column)]
