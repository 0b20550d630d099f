"""Rows in one global order, in parts: by a value, equal values by the keyed hash of their row.

Where parts begin is drawn from the rows with the smallest hashes, which are a random sample whoever asks, so
that even the rows of one value may be parted.
"""

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Hashes, Ints
from shoal.engines.protocol import PART, Parts, Rows
from shoal.kernels.keyed_hash import Key, Purpose, hash_ids
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of

PER_PART = 256  # sampled rows, on average


class SortValue(Protocol):
    """What rows are ordered by: a whole number or a float per row."""

    def __call__(self, table: pa.Table) -> AnyArray: ...


@dataclass(frozen=True)
class Borders:
    """Where each part but the first begins, as a pair of value and hash, in order."""

    values: AnyArray
    hashes: Hashes

    def part_of(self, values: AnyArray, hashes: Hashes) -> Ints:
        """How many parts begin at or before each of these pairs.

        >>> borders = Borders(np.array([5, 5, 9]), np.array([2, 7, 0], np.uint64))
        >>> borders.part_of(np.array([4, 5, 5, 5, 10]), np.array([9, 1, 2, 8, 0], np.uint64)).tolist()
        [0, 0, 1, 2, 3]
        """
        parts = np.searchsorted(self.values, values, "right")
        for value in np.unique(self.values).tolist():
            begin, end = (int(np.searchsorted(self.values, value, side)) for side in ("left", "right"))
            same = np.flatnonzero(values == value)
            parts[same] = begin + np.searchsorted(self.hashes[begin:end], hashes[same], "right")
        return np.asarray(parts)


@dataclass(frozen=True)
class _Sample:
    """The rows with the smallest hashes, so many at most."""

    values: AnyArray
    hashes: Hashes
    most: int

    def joined(self, other: "_Sample") -> "_Sample":
        values = np.concatenate([self.values, other.values])
        hashes = np.concatenate([self.hashes, other.hashes])
        kept = np.argsort(hashes, kind="stable")[: self.most]
        return _Sample(values[kept], hashes[kept], self.most)


def global_sort(rows: Rows, value_of: SortValue, key: Key, count: int) -> Parts:
    """These ``count`` rows in parts, numbered in the global order."""
    parts = -(-count // rows.part_rows)
    borders = Borders(np.zeros(0, np.int64), np.zeros(0, np.uint64))
    if parts > 1:
        found = rows.fold(partial(_sampled, value_of, key, parts * PER_PART), _Sample.joined)
        if found is not None:
            borders = _borders(found, parts)
    schema = rows.schema.append(pa.field(PART, pa.int64()))
    return rows.map(partial(_numbered, value_of, key, borders), schema).parts(PART).kept()


def _sampled(value_of: SortValue, key: Key, most: int, table: pa.Table) -> _Sample:
    hashes = hash_ids(key, Purpose.TIES, ids_of(table))
    kept = np.argpartition(hashes, most)[:most] if most < len(hashes) else np.arange(len(hashes))
    return _Sample(value_of(table)[kept], hashes[kept], most)


def _borders(sample: _Sample, parts: int) -> Borders:
    order = np.lexsort((sample.hashes, sample.values))
    at = order[np.linspace(0, len(order), parts + 1).astype(int)[1:-1]]
    return Borders(sample.values[at], sample.hashes[at])


def _numbered(value_of: SortValue, key: Key, borders: Borders, table: pa.Table) -> pa.Table:
    parts = np.zeros(len(table), np.int64)
    if len(borders.values):
        parts = borders.part_of(value_of(table), hash_ids(key, Purpose.TIES, ids_of(table)))
    return table.append_column(PART, arrow_from_numpy(parts))
