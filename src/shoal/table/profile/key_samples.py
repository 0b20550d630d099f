"""Columns of a table beyond memory that seem to number people, judged on all rows of some values.

Cells are known by hashes, and of every column the values with the smallest ones are looked at. Samples of all
columns together stay small, however wide the table is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.arrays import Hashes, Ints
from shoal.table.columns.value_hashes import MOST_HALVED, hashes_of
from shoal.table.profile.key_columns import (
    FIRST_LOOK,
    MOST_TRAITS,
    SAMPLE,
    KeyColumn,
    find_key,
    is_measure,
)

MOST_CELLS = 2_000_000  # of all samples together
FEWEST_ROWS = 200

Traits = NDArray[np.uint32]  # a hash of each cell, one column per trait
Samples = Mapping[str, "KeySample"]


@dataclass(frozen=True)
class KeySample:
    """All rows of the values of a column whose hashes are below 2 ** (64 - halved): the hashes of the column
    itself, and those of the traits beside it. In so many of the batches its cells looked like measures."""

    own: Hashes
    traits: Traits
    most: int
    halved: int = 0
    measures: int = 0
    batches: int = 1

    @classmethod
    def of(cls, own: Hashes, everything: Traits, column: pa.ChunkedArray, most: int) -> "KeySample":
        some = column.slice(0, FIRST_LOOK).drop_null()
        there = np.flatnonzero(column.is_valid().to_numpy())
        rows, halved = _smallest(own, there, 0, most)
        measures = len(some) > 0 and is_measure(some)
        return cls(own[rows], everything[rows], most, halved, int(measures))

    def joined(self, other: "KeySample") -> "KeySample":
        halved = max(self.halved, other.halved)
        own = np.concatenate([self.own, other.own])
        traits = np.concatenate([self.traits, other.traits])
        rows, halved = _smallest(own, _below(own, np.arange(len(own)), halved), halved, self.most)
        measures, batches = self.measures + other.measures, self.batches + other.batches
        return KeySample(own[rows], traits[rows], self.most, halved, measures, batches)

    @property
    def is_measure(self) -> bool:
        return 2 * self.measures > self.batches


def key_samples(names: list[str], table: list[str], batch: pa.Table) -> dict[str, KeySample]:
    """The samples of these columns in a batch of a table with those."""
    traits = table[:MOST_TRAITS]
    wanted = list(dict.fromkeys([*names, *traits]))
    hashes = dict(zip(wanted, hashes_of([batch.column(name) for name in wanted]), strict=True))
    everything = np.column_stack([hashes[name].astype(np.uint32) for name in traits])
    most = min(max(MOST_CELLS // (len(names) * len(traits)), FEWEST_ROWS), SAMPLE)
    return {name: KeySample.of(hashes[name], everything, batch.column(name), most) for name in names}


def join_samples(one: Samples, other: Samples) -> dict[str, KeySample]:
    """The samples of two batches put together, column by column."""
    return {name: found.joined(other[name]) for name, found in one.items()}


def keys_in_samples(samples: Samples, table: list[str]) -> Iterator[KeyColumn]:
    """The columns that seem to be keys of a table with these columns."""
    for name, sample in samples.items():
        traits = zip(table, sample.traits.T.astype(np.int64), strict=False)
        codes = {name: sample.own.view(np.int64)} | {one: cells for one, cells in traits if one != name}
        if not sample.is_measure and len(sample.own) and (key := find_key(name, codes)):
            yield key


def _smallest(own: Hashes, rows: Ints, halved: int, most: int) -> tuple[Ints, int]:
    """At most so many of these rows, those with the smallest hashes, all or none of a value. None if one
    value has more."""
    while len(rows) > most and halved < MOST_HALVED:
        halved += 1
        rows = _below(own, rows, halved)
    return (rows if len(rows) <= most else rows[:0]), halved


def _below(own: Hashes, rows: Ints, halved: int) -> Ints:
    return rows if not halved else rows[own[rows] >> np.uint64(64 - halved) == 0]
