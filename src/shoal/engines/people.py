"""Identifiers that repeat in a table beyond memory, known by a hash of 64 bits of every value.

Up to MOST values are looked at, and all of them in a smaller table: those with the smallest hashes, with all
their rows. So one person with two rows among many millions may be overlooked; visits or years are not.
"""

from dataclasses import dataclass
from functools import partial
from operator import add

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.engines.key_samples import keys_beyond
from shoal.engines.rows import Rows
from shoal.errors import ShoalError
from shoal.policy.people import Repeats, people_faults
from shoal.policy.policy import Policy
from shoal.table.repeats import cells_there

MOST = 1_000_000


@dataclass(frozen=True)
class Hashes:
    """Hashes below 2 ** (64 - halved) of the values of a column, one per row."""

    kept: NDArray[np.uint64]
    halved: int = 0

    def joined(self, other: "Hashes") -> "Hashes":
        halved = max(self.halved, other.halved)
        kept = np.concatenate([_below(one.kept, halved) for one in (self, other)])
        while len(kept) > MOST:
            halved += 1
            kept = _below(kept, halved)
        return Hashes(kept, halved)

    @property
    def repeating(self) -> int:
        """Rows that share their value, as many as there are or, of many, about as many."""
        counts = np.unique(self.kept, return_counts=True)[1]
        return int(counts[counts > 1].sum()) << self.halved


def repeats_beyond(rows: Rows, policy: Policy) -> Repeats:
    """The identifier columns that repeat."""
    names = [name for name in policy.having("identifier") if name in rows.schema.names]
    found = rows.fold(partial(_hashes, names), _joined) if names else None
    return {name: one.repeating for name, one in (found or {}).items() if one.repeating}


def insist_on_people_beyond(rows: Rows, policy: Policy) -> None:
    """Refuse a table in which an identifier or a key repeats, unless the policy says that rows are people."""
    repeats, keys = repeats_beyond(rows, policy), keys_beyond(rows, policy)
    if (repeats or keys) and (faults := people_faults(repeats, keys, policy, rows.fold(len, add) or 0)):
        raise ShoalError(faults)


def _hashes(names: list[str], table: pa.Table) -> dict[str, Hashes]:
    return {name: Hashes(_hashed(cells_there(table.column(name)))) for name in names}


def _hashed(cells: pa.Array) -> NDArray[np.uint64]:
    import duckdb

    with duckdb.connect() as engine:
        found = engine.from_arrow(pa.table({"cell": cells})).project("hash(cell) as hashed").fetchnumpy()
    return np.asarray(found["hashed"], np.uint64)


def _joined(one: dict[str, Hashes], other: dict[str, Hashes]) -> dict[str, Hashes]:
    return {name: found.joined(other[name]) for name, found in one.items()}


def _below(hashes: NDArray[np.uint64], halved: int) -> NDArray[np.uint64]:
    return hashes if not halved else hashes[hashes >> np.uint64(64 - halved) == 0]
