"""Quasi cells of a table beyond memory that show one value in several spellings.

The different cells of all columns are counted as they are spelled, and then by value: where both figures are
the same, every value has one spelling.
"""

from collections import Counter
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.engines.memory.rows import whole_table
from shoal.engines.protocol import Rows
from shoal.engines.steps.distinct import COUNT, DistinctRows, distinct
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbered_rows import ROW
from shoal.table.table import Table
from shoal.verify.cells.column_traits import FormatsByColumn
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.cells.spellings import columns_with_spellings, spare_spellings
from shoal.verify.parts.part_keys import cell_keys

COLUMN, CELL, VALUE = "shoal:column", "shoal:cell", "shoal:value"
SPELLED = pa.schema([(COLUMN, pa.string()), (CELL, pa.string()), (ROW, pa.int64()), (COUNT, pa.int64())])
BY_VALUE = pa.schema([(COLUMN, pa.string()), (VALUE, pa.int64()), (ROW, pa.int64()), (COUNT, pa.int64())])


def spare_spellings_in_rows(published: Rows, names: list[str], ways: FormatsByColumn) -> dict[str, int]:
    """As `spare_spellings`; ``ways`` say how the columns of the whole table are read."""
    if (table := whole_table(published)) is not None:
        return spare_spellings(table, names)
    spelled_in = columns_with_spellings(published.schema, names)
    if not spelled_in:
        return {}
    spelled = distinct(published.map(partial(_spelled, spelled_in), SPELLED), [COLUMN, CELL])
    values = distinct(spelled.rows.map(partial(_values, ways), BY_VALUE), [COLUMN, VALUE])
    more = _by_column(spelled) - _by_column(values)
    return {name: more[name] for name in spelled_in if more[name]}


def _spelled(names: list[str], table: pa.Table) -> pa.Table:
    """The different cells of each column of a batch, at its first row: nobody asks for the others."""
    first = table.column(ROW)[0].as_py()
    return pa.concat_tables([_cells(name, encode(table.column(name)).cells, first) for name in names])


def _cells(name: str, cells: pa.Array, first: int) -> pa.Table:
    numbers = [arrow_from_numpy(np.full(len(cells), number)) for number in (first, 1)]
    return pa.table([pa.repeat(name, len(cells)), cells.cast(pa.string()), *numbers], schema=SPELLED)


def _values(ways: FormatsByColumn, table: pa.Table) -> pa.Table:
    columns, keys = encode(table.column(COLUMN)), np.zeros(len(table), np.int64)
    for number, name in enumerate(columns.cells.to_pylist()):
        rows = np.flatnonzero(columns.numbers == number)
        cells = table.column(CELL).take(arrow_from_numpy(rows))
        keys[rows] = cell_keys(PublishedTable(Table(pa.table({name: cells})), ways), name).view(np.int64)
    found = [table.column(COLUMN), arrow_from_numpy(keys), table.column(ROW), table.column(COUNT)]
    return pa.table(found, schema=BY_VALUE)


def _by_column(found: DistinctRows) -> Counter[str]:
    """How many different rows each column has."""
    return found.rows.fold(_count, _add_counts) or Counter()


def _count(table: pa.Table) -> Counter[str]:
    columns = encode(table.column(COLUMN))
    counts = np.bincount(columns.numbers, minlength=len(columns.cells)).tolist()
    return Counter(dict(zip(columns.cells.to_pylist(), counts, strict=True)))


def _add_counts(one: Counter[str], other: Counter[str]) -> Counter[str]:
    return one + other
