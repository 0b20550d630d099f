"""Faults of cells that rules cannot read, in rows that come in batches: counted over all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.errors import Fault, ShoalError
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.number_summary import CellPlaces, cell_places
from shoal.table.columns.numbered_rows import ROW, ids_of
from shoal.table.files.reading import Reading
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.source_lines import SourceLines
from shoal.table.table import SHOWN_ROWS, FaultyCells, Table, cell_fault, cell_text

Reason = tuple[str, str]  # a column, and what its cells are
Places = dict[Reason, tuple[CellPlaces, str]]  # and a hint
Lines = dict[int, int] | None  # of rows
CellsOf = Callable[[Reason], FaultyCells]
Read = Callable[[], Iterator[pa.Table]]


def _no_cells(_reason: Reason) -> FaultyCells:
    return list


def unreadable_places(reading: Reading, rows: pa.Table) -> Places:
    """The cells of numbered rows that rules cannot read."""
    try:
        reading.ruled(rows)
    except UnreadableCells as error:
        ids = ids_of(rows)
        return {(one.column, one.reason): (cell_places(ids, one.rows), one.hint) for one in error.found}
    return {}


def joined_places(one: Places, other: Places) -> Places:
    """What is wrong in some rows and in others."""
    joined = dict(one)
    for reason, (places, hint) in other.items():
        before, first_hint = one.get(reason, (CellPlaces(), hint))
        joined[reason] = before.joined(places), first_hint
    return joined


def located_rule_faults(
    found: Places, records: int, lines: Lines = None, cells: CellsOf = _no_cells
) -> list[Fault]:
    """The faults, with the rows, or the ``lines`` of rows where a source has them."""
    return [
        cell_fault(name, places.count, records, reason, _place(places, lines), hint, cells((name, reason)))
        for (name, reason), (places, hint) in found.items()
    ]


def _place(places: CellPlaces, lines: Lines) -> str:
    shown = ", ".join(str(row + 1 if lines is None else lines[row]) for row in places.first[:SHOWN_ROWS])
    word = ("row" if lines is None else "line") + "s" * (places.count > 1)
    return f"{word} {shown}{', ...' if places.count > SHOWN_ROWS else ''}"


@dataclass(frozen=True)
class NumberedBatch:
    """Rows with their numbers, and where the first of them stands."""

    rows: pa.Table
    first: int
    table: Table

    def line(self, row: int) -> int:
        """Where the row with this number stands."""
        return self.table.line(row - self.first)


def rule_faults(reading: Reading, read: Read, lines: SourceLines | None) -> ShoalError:
    """The error of all that is wrong in a source, which is read once more to its end."""
    found: Places = {}
    at = dict[int, int]()  # the lines of rows that are shown
    records = 0
    for batch in _numbered(read, lines):
        here = unreadable_places(reading, batch.rows)
        at |= {row: batch.line(row) for places, _ in here.values() for row in places.first}
        found, records = joined_places(found, here), records + len(batch.rows)
    cells = partial(_cells_of, reading, read, lines)
    return ShoalError(located_rule_faults(found, records, None if lines is None else at, cells))


def _numbered(read: Read, lines: SourceLines | None) -> Iterator[NumberedBatch]:
    """Lines go on after the line ends inside the cells above."""
    done, first = 0, 1 if lines is None else lines.first
    for batch in read():
        table = Table(batch, SourceLines(first, lines is not None and lines.multiline))
        numbers = arrow_from_numpy(np.arange(done, done + len(batch)))
        yield NumberedBatch(batch.append_column(ROW, numbers), done, table)
        done, first = done + len(batch), table.line(len(batch))


def _cells_of(reading: Reading, read: Read, lines: SourceLines | None, reason: Reason) -> FaultyCells:
    return lambda: [cell for batch in _numbered(read, lines) for cell in _cells(reading, batch, reason)]


def _cells(reading: Reading, batch: NumberedBatch, reason: Reason) -> Iterator[tuple[str, int, str | None]]:
    try:
        reading.ruled(batch.rows)
    except UnreadableCells as error:
        for one in error.found:
            if (one.column, one.reason) == reason and one.column in batch.table.names:
                column = batch.table.column(one.column)
                for row in one.rows.tolist():
                    yield one.column, batch.table.line(row), cell_text(column[row].as_py())
