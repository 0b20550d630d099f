"""Pieces of files that can be read on their own, each of whose rows knows its number in the whole table."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.spelling import table_in_one_spelling
from shoal.table.files.long_cells import refuse_long_cells

ROW_FIELD = pa.field(ROW, pa.int64())
BATCH_ROWS = 1 << 16
PIECE_ROWS = 1 << 18  # row groups of a file are read together up to so many rows


class Piece(Protocol):
    """Rows of a file that can be read without the others."""

    @property
    def rows(self) -> int: ...

    def tables(self) -> Iterator[pa.Table]: ...


@dataclass(frozen=True)
class ParquetPiece:
    """Row groups of a Parquet file; ``first`` is the number of their first row, if rows are numbered."""

    path: Path
    groups: tuple[int, ...]
    rows: int
    first: int | None

    def tables(self) -> Iterator[pa.Table]:
        from pyarrow import parquet

        number = self.first
        with parquet.ParquetFile(self.path, pre_buffer=False) as file:
            for batch in file.iter_batches(BATCH_ROWS, row_groups=list(self.groups), use_threads=False):
                refuse_long_cells(self.path.name, batch)
                table = pa.Table.from_batches([batch])
                yield table if number is None else with_row_numbers(plain_values(table), number)
                number = None if number is None else number + len(table)


def parquet_pieces(path: Path, first: int | None) -> list[ParquetPiece]:
    """A file in pieces, in the order of its rows."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    pieces, groups, rows = list[ParquetPiece](), list[int](), 0
    for group, count in enumerate(counts):
        groups.append(group)
        rows += count
        last = group == len(counts) - 1
        if rows and (last or rows + counts[group + 1] > PIECE_ROWS):
            pieces.append(ParquetPiece(path, tuple(groups), rows, first))
            first = None if first is None else first + rows
            groups, rows = [], 0
    return pieces


def plain_values(table: pa.Table) -> pa.Table:
    """A column that is stored as codes of its values becomes those values."""
    return table.cast(plain_schema(table.schema))


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The schema without what a file says of its columns besides, which is nobody else's business."""
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in schema.types]
    return pa.schema(zip(schema.names, kinds, strict=True))


def with_row_numbers(table: pa.Table, first: int) -> pa.Table:
    """Rows with their numbers, from ``first`` on, and one spelling of their words.

    >>> with_row_numbers(pa.table({"age": [30, 41]}), 7)[ROW].to_pylist()
    [7, 8]
    """
    numbers = arrow_from_numpy(np.arange(first, first + len(table)))
    return table_in_one_spelling(table).append_column(ROW_FIELD, numbers)
