"""Classes that show the same are one, wherever they were formed: what they show says where they meet."""

from collections.abc import Iterable
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.kernels.codes import dense_codes, hash_codes
from shoal.methods.boxes.cut_tree import CutTree
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbered_rows import ROW, ints_of

MERGE_PART = "shoal:meeting"


def merge_part_count(rows: Rows, tree: CutTree, count: int) -> int:
    """The number of parts in which the classes of so many rows meet; twice as many as would do, since they
    are not dealt out evenly."""
    return 1 if len(tree.parts) == 1 else 2 * -(-count // rows.part_rows)


def merge_schema(schema: pa.Schema) -> pa.Schema:
    """The columns of rows on their way to the part in which equal classes are merged."""
    return schema.append(pa.field(MERGE_PART, pa.int64()))


def with_merge_part(table: pa.Table, columns: Iterable[tuple[pa.Array, Any]], meetings: int) -> pa.Table:
    """The table with the part of every row; ``columns`` are the different cells of each, and which a row
    has."""
    hashes = hash_codes([_hashes(cells)[codes] for cells, codes in columns]).view(np.uint64)
    places = (hashes >> np.uint64(8)) % np.uint64(meetings)
    return table.append_column(MERGE_PART, arrow_from_numpy(places.astype(np.int64)))


def _hashes(cells: pa.Array) -> Ints:
    """A hash of every cell, the same for the same cell in any part."""
    return np.array([crc32(str(cell).encode()) for cell in cells.to_pylist()], np.int64)


def merge_equal_classes(rows: Rows, names: list[str], schema: pa.Schema) -> Rows:
    """Rows that show the same in these columns are a class, known by its first row."""
    return rows.parts(MERGE_PART).map(partial(_with_classes, names), schema)


def _with_classes(names: list[str], _number: int, table: pa.Table) -> pa.Table:
    table = table.drop_columns([MERGE_PART]).combine_chunks()
    ids = ints_of(table, ROW)
    class_of = dense_codes([codes for name in names for codes in _codes(table.column(name))])
    sizes = np.bincount(class_of)
    statistics = PartStatistics(
        0, len(sizes), (0.0,) * len(names), 0, squares=float((sizes.astype(float) ** 2).sum())
    )
    before = PartStatistics.read(table.column(STATISTICS).drop_null().to_pylist())
    statistics = statistics if before is None else statistics.joined(before)
    return statistics.on(table.drop_columns([CLASS, STATISTICS]), first_rows(class_of, ids))


def first_rows(class_of: Ints, ids: Ints) -> Ints:
    """The smallest row of the class of every record."""
    first = np.full(int(class_of.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, class_of, ids)
    return np.asarray(first[class_of])


def _codes(column: pa.ChunkedArray) -> list[Any]:
    """Numbers of the different cells; the ends of ranges on their own."""
    if pa.types.is_struct(column.type):
        return [encode(end).numbers for end in column.combine_chunks().flatten()]
    return [encode(column).numbers]
