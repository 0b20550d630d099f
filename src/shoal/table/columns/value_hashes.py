"""How often values of a column occur in a table beyond memory, known by a hash of 64 bits of every value.

Up to ``most`` rows are looked at, and all of them in a smaller table: those of the values with the smallest
hashes, every value with all its rows. So what is counted of a large table is an estimate.
"""

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.arrays import Hashes, Ints
from shoal.kernels.splitmix import splitmix64

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST = 1_000_000
MOST_HALVED = 63


@dataclass(frozen=True)
class ValueHashes:
    """Hashes below 2 ** (64 - halved) of the values of a column, one per row."""

    kept: Hashes
    halved: int = 0
    most: int = MOST

    @classmethod
    def of(cls, cells: pa.Array, most: int = MOST) -> "ValueHashes":
        """
        >>> ValueHashes.of(pa.array(["Ann", "Bob", "Ann"])).repeating
        2
        """
        [kept] = hashes_of([cells])
        return cls(kept, most=most)

    def joined(self, other: "ValueHashes") -> "ValueHashes":
        halved = max(self.halved, other.halved)
        kept = np.concatenate([below(one.kept, halved) for one in (self, other)])
        while len(kept) > self.most and halved < MOST_HALVED:
            halved += 1
            kept = below(kept, halved)
        return ValueHashes(kept, halved, self.most)

    @property
    def estimated(self) -> bool:
        """Were some of the values left out?"""
        return self.halved > 0

    @property
    def repeating(self) -> int:
        """Rows that share their value, as many as there are or, of many, about as many."""
        counts = self._counts()
        return int(counts[counts > 1].sum()) << self.halved

    @property
    def unique(self) -> int:
        """Rows whose value no other row has, likewise."""
        return int((self._counts() == 1).sum()) << self.halved

    def _counts(self) -> Ints:
        return np.unique(self.kept, return_counts=True)[1]


def hashes_of(columns: list[pa.Array]) -> list[Hashes]:
    """A hash of every cell, the same for the same cell wherever it is. DuckDB's hash of 0 is 0, and so would
    be in every sample: it is mixed once more."""
    named = {f"c{at}": _hashable(column) for at, column in enumerate(columns)}
    with _database(os.getpid()).cursor() as engine:
        hashed = ", ".join(f"hash({name}) as {name}" for name in named)
        found = engine.from_arrow(pa.table(named)).project(hashed).fetchnumpy()
    return [splitmix64(np.asarray(found[name], np.uint64)) for name in named]


@cache
def _database(_process: int) -> "DuckDBPyConnection":
    """One for all batches of a process; opening it takes longer than hashing some thousand rows."""
    import duckdb

    return duckdb.connect()


def below(hashes: Hashes, halved: int) -> Hashes:
    """The hashes below 2 ** (64 - halved)."""
    return hashes if not halved else hashes[hashes >> np.uint64(64 - halved) == 0]


def _hashable(cells: pa.Array) -> pa.Array:
    """Two kinds of numbers are strange to DuckDB."""
    if pa.types.is_decimal256(cells.type):
        return cells.cast(pa.string())
    return cells.cast(pa.float64()) if pa.types.is_float16(cells.type) else cells
