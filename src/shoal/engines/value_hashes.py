"""How often values of a column occur in a table beyond memory, known by a hash of 64 bits of every value.

Up to MOST rows are looked at, and all of them in a smaller table: those of the values with the smallest
hashes, every value with all its rows. So what is counted of a large table is an estimate.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

MOST = 1_000_000


@dataclass(frozen=True)
class ValueHashes:
    """Hashes below 2 ** (64 - halved) of the values of a column, one per row."""

    kept: NDArray[np.uint64]
    halved: int = 0

    @classmethod
    def of(cls, cells: pa.Array) -> "ValueHashes":
        """
        >>> ValueHashes.of(pa.array(["Ann", "Bob", "Ann"])).repeating
        2
        """
        import duckdb

        with duckdb.connect() as engine:
            rows = engine.from_arrow(pa.table({"cell": _hashable(cells)}))
            found = rows.project("hash(cell) as hashed").fetchnumpy()
        return cls(np.asarray(found["hashed"], np.uint64))

    def joined(self, other: "ValueHashes") -> "ValueHashes":
        halved = max(self.halved, other.halved)
        kept = np.concatenate([_below(one.kept, halved) for one in (self, other)])
        while len(kept) > MOST:
            halved += 1
            kept = _below(kept, halved)
        return ValueHashes(kept, halved)

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

    def _counts(self) -> NDArray[np.int64]:
        return np.unique(self.kept, return_counts=True)[1]


def _hashable(cells: pa.Array) -> pa.Array:
    """Two kinds of numbers are strange to DuckDB."""
    if pa.types.is_decimal256(cells.type):
        return cells.cast(pa.string())
    return cells.cast(pa.float64()) if pa.types.is_float16(cells.type) else cells


def _below(hashes: NDArray[np.uint64], halved: int) -> NDArray[np.uint64]:
    return hashes if not halved else hashes[hashes >> np.uint64(64 - halved) == 0]
