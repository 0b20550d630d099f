"""Columns of a table beyond memory that seem to number people, judged on all rows of some values.

Cells are known by hashes of 64 bits, and of every column the values with the smallest ones are looked at.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.engines.rows import Rows
from shoal.policy.people import possible_keys
from shoal.policy.policy import Policy
from shoal.table.key_columns import FIRST_LOOK, SAMPLE, KeyColumn, is_code, is_measure, judged_key


@dataclass(frozen=True)
class KeySample:
    """All rows of the values of a column whose hashes are below 2 ** (64 - halved): the hashes of the column
    itself, and those of all columns in the order of the table. ``measures`` if its cells are no names."""

    own: NDArray[np.uint64]
    beside: NDArray[np.uint64]
    halved: int = 0
    measures: bool = False

    def joined(self, other: "KeySample") -> "KeySample":
        halved = max(self.halved, other.halved)
        own, beside = (np.concatenate(pair) for pair in zip(
            self._below(halved), other._below(halved), strict=True))  # fmt: skip
        return KeySample(own, beside, halved, self.measures or other.measures).small()

    def small(self) -> "KeySample":
        """Of no more rows than are judged."""
        found = self
        while len(found.own) > SAMPLE:
            halved = found.halved + 1
            found = KeySample(*found._below(halved), halved, self.measures)
        return found

    def _below(self, halved: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        if not halved:
            return self.own, self.beside
        below = self.own >> np.uint64(64 - halved) == 0
        return self.own[below], self.beside[below]


def keys_beyond(rows: Rows, policy: Policy) -> list[KeyColumn]:
    """The columns that seem to number people although they are no identifiers."""
    table = [name for name in rows.schema.names if name in policy.columns]
    names = [name for name in possible_keys(policy, table) if not is_code(name)]
    found = rows.fold(partial(_key_samples, names, table), _samples_joined) if names else None
    keys = (
        judged_key(name, {name: one.own.view(np.int64)} | _beside(one, table, name))
        for name, one in (found or {}).items()
        if not one.measures and len(one.own)
    )
    return [key for key in keys if key is not None]


def _beside(sample: KeySample, table: list[str], name: str) -> dict[str, NDArray[np.int64]]:
    columns = sample.beside.view(np.int64).T
    return {one: cells for one, cells in zip(table, columns, strict=True) if one != name}


def _key_samples(names: list[str], table: list[str], batch: pa.Table) -> dict[str, KeySample]:
    hashes = _all_hashed(batch.select(table))
    everything = np.column_stack([hashes[name] for name in table])
    return {name: _key_sample(hashes[name], everything, batch.column(name)) for name in names}


def _key_sample(
    own: NDArray[np.uint64], everything: NDArray[np.uint64], column: pa.ChunkedArray
) -> KeySample:
    some = column.slice(0, FIRST_LOOK).drop_null()
    measures = len(some) > 0 and is_measure(some)
    there = np.zeros(len(own), bool) if measures else column.is_valid().to_numpy()
    return KeySample(own[there], everything[there], measures=measures).small()


def _all_hashed(batch: pa.Table) -> dict[str, NDArray[np.uint64]]:
    import duckdb

    plain = pa.table(batch.columns, names=[f"c{at}" for at in range(batch.num_columns)])
    with duckdb.connect() as engine:
        hashed = ", ".join(f"hash({name}) as {name}" for name in plain.column_names)
        found = engine.from_arrow(plain).project(hashed).fetchnumpy()
    return {
        name: np.asarray(found[plain], np.uint64)
        for name, plain in zip(batch.column_names, plain.column_names, strict=True)
    }


def _samples_joined(one: dict[str, KeySample], other: dict[str, KeySample]) -> dict[str, KeySample]:
    return {name: found.joined(other[name]) for name, found in one.items()}
