"""The engine for tables beyond memory on one machine: batches in memory, parts on disk."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.display import sized
from shoal.engines.disk.rows import DiskRows, DiskWorkspace
from shoal.engines.file_pieces import with_row_numbers
from shoal.engines.output import INPUT, LINK, EngineOutput, another_link, public_columns, public_schema
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.engines.table_size import IMPORTED
from shoal.errors import ShoalError
from shoal.table.batches import batches_of
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.data_file import data_file_writer
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.formats.row_batches import Batches

COPIES = 30  # of a row in memory at once, from a part to what is published of it, two parts ahead
FEWEST = 10_000
MOST = 1 << 20


@dataclass(frozen=True)
class DiskEngine:
    """``memory`` is how many bytes may be used; temporary files go into ``folder``. A part has ``most`` rows
    at most, where memory does not set a limit below that."""

    memory: int
    folder: Path
    watched: RowProgress
    most: int = MOST

    @classmethod
    def with_memory(
        cls, memory: int, folder: Path | None = None, watched: RowProgress | None = None
    ) -> "DiskEngine":
        if memory < 2 * IMPORTED:
            raise ShoalError(
                f"{sized(memory)} of memory are too little", f"give at least {sized(2 * IMPORTED)}."
            )
        return cls(memory, folder or Path(tempfile.gettempdir()), watched or RowProgress())

    def read(self, source: Any, as_written: bool = False, reading: Reading = AS_IT_LOOKS) -> DiskRows:
        batches = batches_of(source, as_written, reading)
        room = self.room(batches)
        if batches.rows is not None:
            self.watched.rows = batches.rows
        schema = batches.schema.append(pa.field(ROW, pa.int64()))
        rows = DiskRows(room, schema, lambda: _numbered(batches.read(room.batch_rows)), lines=batches.lines)
        return rows if batches.repeats else rows.kept()

    def write(self, rows: DiskRows, path: Path) -> EngineOutput:
        """Batch by batch, as they come."""
        link, statistics, records = rows.room.spill(LINK), [], 0
        with data_file_writer(path, public_schema(rows.schema)) as write:
            for table in rows.batches():
                write(public_columns(table))
                numbers = arrow_from_numpy(np.arange(records, records + len(table)))
                link.put(0, pa.table([numbers, table.column(ROW), table.column(CLASS)], schema=LINK))
                statistics += table.column(STATISTICS).drop_null().to_pylist()
                records += len(table)
        return EngineOutput(
            path,
            (path.name,),
            records,
            PartStatistics.read(statistics),
            link.batches,
            partial(_linked, link.batches),
        )

    def linked_by(self, link: Callable[[], Iterator[pa.Table]], published: Any) -> DiskRows:
        """Published rows with their INPUT rows, which the link has in the order of the rows."""
        return _linked(link, published)

    def room(self, batches: Batches) -> DiskWorkspace:
        """Parts of as many rows as fit, and batches of a few of them."""
        row_bytes = batches.bytes_of(1) + 8
        part_rows = min(max((self.memory - IMPORTED) // (COPIES * row_bytes), FEWEST), self.most)
        return DiskWorkspace(self.folder, max(part_rows // 4, 1), part_rows, self.watched)


def _linked(links: Callable[[], Iterator[pa.Table]], published: DiskRows) -> DiskRows:
    """The link is in the order of the file."""

    def read() -> Iterator[pa.Table]:
        more, waiting = links(), LINK.empty_table()
        for table in published.batches():
            while len(waiting) < len(table):
                waiting = pa.concat_tables([waiting, next(more)])
            yield table.append_column(INPUT, waiting.slice(0, len(table)).column(INPUT))
            waiting = waiting.slice(len(table))
        if len(waiting) or any(map(len, more)):
            raise another_link()

    return DiskRows(published.room, published.schema.append(LINK.field(INPUT)), read)


def _numbered(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    done = 0
    for table in tables:
        yield with_row_numbers(table, done)
        done += len(table)
