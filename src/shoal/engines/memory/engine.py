"""The engine for tables that fit into memory: a table is read whole, and written at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.output import INPUT, LINK, EngineOutput, another_link, public_columns
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.data_file import read_data, write_data
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.read import read_table


@dataclass(frozen=True)
class MemoryEngine:
    """One batch, one part."""

    def read(self, source: Any, as_written: bool = False, reading: Reading = AS_IT_LOOKS) -> MemoryRows:
        """All rows; those that shoal wrote itself to the letter."""
        if as_written:
            return MemoryRows.as_written(read_data(Path(source)))
        return MemoryRows.of(read_table(source, reading=reading))

    def write(self, rows: MemoryRows, path: Path) -> EngineOutput:
        """Write the rows in the order in which they are."""
        table = rows.table
        write_data(public_columns(table), path)
        numbers = arrow_from_numpy(np.arange(len(table)))
        link = pa.table([numbers, table.column(ROW), table.column(CLASS)], schema=LINK)
        statistics = PartStatistics.read(table.column(STATISTICS).drop_null().to_pylist())
        links = partial(_once, link)
        return EngineOutput(path, (path.name,), len(table), statistics, links, partial(self.linked_by, links))

    def linked_by(self, link: Callable[[], Iterator[pa.Table]], published: MemoryRows) -> MemoryRows:
        """Published rows with their INPUT rows, which the link has in the order of the rows."""
        rows = pa.concat_tables(link()).column(INPUT)
        if len(rows) != len(published.table):
            raise another_link()
        return MemoryRows(published.table.append_column(INPUT, rows))


def _once(table: pa.Table) -> Iterator[pa.Table]:
    yield table


def published_with_link(table: pa.Table, input_rows: Ints, classes: Ints) -> MemoryRows:
    """Published rows beside the input row that each was made from, and its class."""
    numbers, own = arrow_from_numpy(input_rows), arrow_from_numpy(classes)
    statistics = pa.nulls(len(table), pa.string())
    return MemoryRows(
        table.append_column(ROW, numbers).append_column(CLASS, own).append_column(STATISTICS, statistics)
    )
