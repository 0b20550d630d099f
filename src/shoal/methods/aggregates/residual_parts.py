"""Parts of a table that ``residual`` works on apart, drawn by the rows' numbers alone.

Rows that share what is known with k or more need no part. The others are cut into parts by the hash of their
numbers. If all of them fit into one, shared rows keep them company as far as there is room, whole classes of
them, since the last few rows may want donors. So a small table is one part.

Should a part not be enough for a class, nothing counts as shared, and all rows are cut into parts, into fewer
and fewer until each is enough. That takes a table whose rest is less than k rows, or not diverse, while
the classes that share are too large to keep it company.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.codes import one_code
from shoal.kernels.keyed_hash import Key, Purpose, hash_ids
from shoal.methods.aggregates.knowledge import Knowledge
from shoal.methods.aggregates.shared_rows import shared_rows
from shoal.methods.diversity import Diversity

ROWS_AT_ONCE = 1_000_000  # of a part, to bound memory
SMALL_SHARE = 8  # a class that keeps company in a random choice takes an eighth of the room at most
NO_PART = -1
HALF = np.uint64(32)  # of the bits of a hash


@dataclass(frozen=True)
class RowStatus:
    """For every row: may it be published as it is, with how many rows as a class, and the number of the first
    of them. Rows that may not are on their own."""

    free: Bools
    sizes: Ints
    first: Ints


def row_status(
    values: Ints, ids: Ints, known: Knowledge, k: int, alone: Bools, diversity: Diversity
) -> RowStatus:
    """How rows stand, of which all that have the same known values are here; those ``alone`` are free."""
    safe, classes = shared_rows(one_code(known.values(values)), k, diversity)
    counts = np.bincount(classes)
    least = np.full(len(counts), np.iinfo(np.int64).max)
    np.minimum.at(least, classes, ids[safe])
    sizes, first = np.ones(len(values), np.int64), ids.copy()
    sizes[safe], first[safe] = counts[classes], least[classes]
    return RowStatus(safe | alone, sizes, first)


@dataclass(frozen=True)
class PartScheme:
    """How a table is cut: into how many parts, and which free rows come along: those of classes up to a
    size whose draw of 32 bits is below a limit."""

    parts: int
    limit: int
    largest: int

    def part_of(self, stands: RowStatus, ids: Ints, key: Key) -> Ints:
        """The part of every row, or ``NO_PART``; it depends on the row and its class alone."""
        drawn = hash_ids(key, Purpose.CLASSES, stands.first) >> HALF < np.uint64(self.limit)
        goes = ~stands.free | (drawn & (stands.sizes <= self.largest))
        at = (hash_ids(key, Purpose.TIES, ids) >> HALF) * np.uint64(self.parts) >> HALF
        return np.where(goes, at.astype(np.int64), NO_PART)


def part_schemes(rest: int, free: int) -> Iterator[PartScheme]:
    """The cuts of so many rows that are not free and so many that are, to be tried in this order. The last
    one is the whole table.

    >>> [cut.parts for cut in part_schemes(2_500_000, 3_000_000)]
    [3, 6, 3, 1]
    """
    rows, room = rest + free, max(ROWS_AT_ONCE - rest, 0)
    if rest == 0 or rows <= ROWS_AT_ONCE:
        yield PartScheme(min(rest, 1), 2**32 if rest else 0, rows)
    else:
        yield PartScheme(-(-rest // ROWS_AT_ONCE), (room << 32) // max(free, 1), room // SMALL_SHARE)
    parts = -(-rows // ROWS_AT_ONCE)
    while parts:
        yield PartScheme(parts, 2**32, rows)
        parts //= 2


def part_numbers(
    values: Ints, ids: Ints, known: Knowledge, k: int, key: Key, alone: Bools, diversity: Diversity
) -> Ints:
    """The part of every row by the first cut whose parts are all enough; ``NO_PART`` if it needs none."""
    if len(values) <= ROWS_AT_ONCE:
        return np.zeros(len(values), np.int64)  # what the first cut would do, if any row needs a part
    stands = row_status(values, ids, known, k, alone, diversity)
    free = int(stands.free.sum())
    for cut in part_schemes(len(values) - free, free):
        part_of = cut.part_of(stands, ids, key)
        if _enough(part_of, cut.parts, k, diversity):
            break
    return part_of


def _enough(part_of: Ints, parts: int, k: int, diversity: Diversity) -> bool:
    """Could each part be one class?"""
    if (np.bincount(part_of[part_of != NO_PART], minlength=parts) < k).any():
        return False
    return not diversity or all(diversity.holds(part_of == number) for number in range(parts))
