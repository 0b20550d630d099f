"""Published rows in the order that is drawn for them: by the keyed hash of their row."""

from functools import partial

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.kernels.keyed_hash import Key, Purpose, hash_ids
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of

PLACE = "shoal:place"


def shuffle(rows: Rows, key: Key, count: int) -> Rows:
    """The hashes are spread evenly, so equal ranges of them make parts of about as many rows."""
    if rows.whole:
        return rows.map(partial(_sorted, key), rows.schema)
    parts = max(-(-count // rows.part_rows), 1)
    schema = rows.schema.append(pa.field(PLACE, pa.int64()))
    placed = rows.map(partial(_placed, key, parts), schema).parts(PLACE)
    return placed.map(partial(_sorted_part, key), rows.schema)


def _placed(key: Key, parts: int, table: pa.Table) -> pa.Table:
    hashes = hash_ids(key, Purpose.SHUFFLE, ids_of(table)) >> np.uint64(32)
    places = (hashes * np.uint64(parts)) >> np.uint64(32)
    return table.append_column(PLACE, arrow_from_numpy(places.astype(np.int64)))


def _sorted_part(key: Key, _number: int, table: pa.Table) -> pa.Table:
    return _sorted(key, table.drop_columns([PLACE]))


def _sorted(key: Key, table: pa.Table) -> pa.Table:
    """Rows that stand in order already are not moved."""
    hashes = hash_ids(key, Purpose.SHUFFLE, ids_of(table))
    if (hashes[:-1] <= hashes[1:]).all():
        return table
    return table.combine_chunks().take(arrow_from_numpy(np.argsort(hashes)))


def shuffled_order(ids: Ints, key: Key) -> Ints:
    """Rows with these numbers in the order that is drawn for them."""
    return np.argsort(hash_ids(key, Purpose.SHUFFLE, ids))
