"""Rows that are alike, counted: each combination of cells once, with how many records it stands for."""

import operator
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
import pyarrow as pa

from shoal.engines.protocol import Rows
from shoal.engines.steps.cell_faults import fault_of_values
from shoal.engines.steps.gather_rows import gather_rows
from shoal.kernels.codes import dense_codes
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbered_rows import ROW, ints_of
from shoal.table.table import Table

COUNT = "shoal:count"
PLACE = "shoal:place"
MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class DistinctRows:
    """Different rows: their cells, ``COUNT``, and as ``ROW`` the first record of each; ``count`` of them."""

    rows: Rows
    count: int

    def table(self) -> pa.Table:
        """All of them in one place."""
        return gather_rows(self.rows)


def distinct(rows: Rows, names: list[str]) -> DistinctRows:
    """The different combinations of these columns. Rows that have a ``COUNT`` stand for as many already."""
    kinds = [(name, rows.schema.field(name).type) for name in names]
    schema = pa.schema([*kinds, (ROW, pa.int64()), (COUNT, pa.int64())])
    first = rows.map(partial(distinct_in_batch, names), schema).kept()
    size = first.fold(len, operator.add) or 0
    if rows.whole:
        return DistinctRows(first, size)
    parts = max(-(-size // rows.part_rows), 1)
    placed = first.map(partial(_placed, names, parts), schema.append(pa.field(PLACE, pa.int64())))
    merged = placed.parts(PLACE).map(partial(_merged, names), schema).kept()
    return DistinctRows(merged, merged.fold(len, operator.add) or 0)


def distinct_in_batch(names: list[str], table: pa.Table) -> pa.Table:
    """The different rows of a batch.

    >>> rows = pa.table({"town": ["Ulm", "Kiel", "Ulm"], ROW: [7, 8, 9]})
    >>> distinct_in_batch(["town"], rows).to_pylist()
    [{'town': 'Ulm', 'shoal:row': 7, 'shoal:count': 2}, {'town': 'Kiel', 'shoal:row': 8, 'shoal:count': 1}]
    """
    cells = Table.of_batch(table)
    of_row = dense_codes([cells.encoded(name).numbers for name in names])
    rows = ints_of(table, ROW)
    counts = ints_of(table, COUNT) if COUNT in table.column_names else np.ones(len(table), np.int64)
    different = int(of_row.max(initial=-1)) + 1
    totals, first = np.zeros(different, np.int64), np.full(different, np.iinfo(np.int64).max)
    np.add.at(totals, of_row, counts)
    np.minimum.at(first, of_row, rows)
    at = np.empty(different, np.int64)
    at[of_row[::-1]] = np.arange(len(table))[::-1]
    order = np.argsort(first)
    found = table.select(names).combine_chunks().take(arrow_from_numpy(at[order]))
    found = found.append_column(ROW, arrow_from_numpy(first[order]))
    return found.append_column(COUNT, arrow_from_numpy(totals[order]))


def counted_table(counted_rows: pa.Table, rows: Rows) -> Table:
    """Different rows as a table that knows for how many of all ``rows`` each stands, and where they are."""
    cells = counted_rows.drop_columns([ROW, COUNT])
    return Table(cells, counts=ints_of(counted_rows, COUNT), located=partial(fault_of_values, rows))


def _placed(names: list[str], parts: int, table: pa.Table) -> pa.Table:
    """Rows with their part by a hash of the cells, which is the same wherever it is computed."""
    hashes = np.zeros(len(table), np.uint64)
    for name in names:
        found = encode(table.column(name))
        words = found.cells.cast(pa.string()).to_pylist()
        of_cell = np.array([0 if word is None else crc32(word.encode()) + 1 for word in words], np.uint64)
        hashes = (hashes ^ of_cell[found.numbers]) * MIX
        hashes ^= hashes >> np.uint64(29)
    places = (hashes >> np.uint64(8)) % np.uint64(parts)
    return table.append_column(PLACE, arrow_from_numpy(places.astype(np.int64)))


def _merged(names: list[str], _number: int, table: pa.Table) -> pa.Table:
    return distinct_in_batch(names, table)
