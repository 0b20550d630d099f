"""Faults of cells that rules cannot read, in rows that come in batches: counted over all of them."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from shoal.errors import Fault, ShoalError
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.number_summary import CellPlaces, cell_places
from shoal.table.columns.numbered_rows import ROW, ids_of
from shoal.table.files.reading import Reading
from shoal.table.rules.unreadable_cells import UnreadableCells
from shoal.table.source_lines import SourceLines
from shoal.table.table import SHOWN_ROWS, Table, cell_fault

Reason = tuple[str, str]  # a column, and what its cells are
Places = dict[Reason, tuple[CellPlaces, str]]  # and a hint


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


def located_rule_faults(found: Places, records: int, lines: dict[int, int] | None = None) -> list[Fault]:
    """The faults, with the rows, or the ``lines`` of rows where a source has them."""
    return [
        cell_fault(name, places.count, records, reason, _place(places, lines), hint, list)
        for (name, reason), (places, hint) in found.items()
    ]


def _place(places: CellPlaces, lines: dict[int, int] | None) -> str:
    shown = ", ".join(str(row + 1 if lines is None else lines[row]) for row in places.first[:SHOWN_ROWS])
    word = ("row" if lines is None else "line") + "s" * (places.count > 1)
    return f"{word} {shown}{', ...' if places.count > SHOWN_ROWS else ''}"


def rule_faults(reading: Reading, batches: Iterable[pa.Table], lines: SourceLines | None) -> ShoalError:
    """The error of all that is wrong in a source, which is read once more to its end."""
    found: Places = {}
    at = dict[int, int]()  # the lines of rows that are shown
    done = ends = 0
    for batch in batches:
        numbers = arrow_from_numpy(np.arange(done, done + len(batch)))
        here = unreadable_places(reading, batch.append_column(ROW, numbers))
        if lines is not None:
            begun = Table(batch, SourceLines(lines.first + done + ends, lines.multiline))
            at |= {row: begun.line(row - done) for places, _ in here.values() for row in places.first}
            ends += begun.line(len(batch)) - lines.first - done - ends - len(batch)
        found, done = joined_places(found, here), done + len(batch)
    return ShoalError(located_rule_faults(found, done, None if lines is None else at))
