"""A tree of cuts: which part of a table every row belongs to.

The cuts are those of Mondrian (``cut_plan``), so a part holds whole classes of it. Parts have numbers that
stay their own while other parts are cut further.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.arrays import Floats, Hashes, Ints
from shoal.kernels.compiled import compiled, inlined, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose, siphash
from shoal.methods.boxes.mondrian import Region, column_spans

COLUMN, FIRST, LAST, LEFT, RIGHT = range(5)  # of a node; nothing is left of a part
ALL = 2**64 - 1
LOWEST = -(2**63)


@dataclass(frozen=True)
class Cut:
    """Rows from the first to the last value of a column go left; of those at the last value only the ones
    with hashes below the limit."""

    column: int
    first: int
    last: int
    limit: int = ALL
    at: int | None = None  # where the region ends on the left and begins on the right; labels have none


@dataclass(frozen=True)
class CutPart:
    """How many rows it has, and the region that the cuts have left to them."""

    count: int
    bottom: Ints
    top: Ints

    def halves(self, cut: Cut, left: int) -> "tuple[CutPart, CutPart]":
        left_top, right_bottom = self.top.copy(), self.bottom.copy()
        if cut.at is not None:
            left_top[cut.column] = right_bottom[cut.column] = cut.at
        return CutPart(left, self.bottom, left_top), CutPart(self.count - left, right_bottom, self.top)


@dataclass(frozen=True)
class CutTree:
    """Cuts of a table, and the parts that they leave by their numbers."""

    key: Key
    nodes: Ints
    limits: Hashes
    parts: dict[int, CutPart]
    spans: Floats  # of the whole table

    @classmethod
    def whole(cls, key: Key, count: int, bottom: Ints, top: Ints) -> "CutTree":
        """A table in one part, number 0."""
        parts = {0: CutPart(count, bottom, top)}
        return cls(key, np.zeros((1, 5), np.int64), np.zeros(1, np.uint64), parts, column_spans(bottom, top))

    def part_of(self, values: Ints, ids: Ints) -> Ints:
        """The number of the part of every row.

        >>> from shoal.kernels.keyed_hash import seeded_key
        >>> values, ids = np.array([[1, 5], [2, 5], [8, 6], [9, 5]]), np.arange(4)
        >>> whole = CutTree.whole(seeded_key(0), 4, np.array([1, 5]), np.array([9, 6]))
        >>> whole.split(0, Cut(0, LOWEST, 2, at=2), 2).part_of(values, ids)
        array([1, 1, 2, 2])
        """
        found = np.empty(len(values), np.int64)

        def work(start: int, stop: int) -> None:
            _walk(values, ids, self.nodes, self.limits, *tie_key(self.key), start, stop, found)

        over_ranges(work, len(values))
        return found

    def region(self, number: int, ids: Ints) -> Region:
        """What ``mondrian`` has to know to cut a part further, of which these are the rows."""
        part = self.parts[number]
        return Region(self.spans, part.bottom, part.top, ids)

    def split(self, number: int, cut: Cut, left: int) -> "CutTree":
        """Cut a part in two, of which the left one has so many rows."""
        first = len(self.nodes)
        nodes = np.vstack([self.nodes, np.zeros((2, 5), np.int64)])
        nodes[number] = cut.column, cut.first, cut.last, first, first + 1
        limits = np.append(self.limits, np.zeros(2, np.uint64))
        limits[number] = cut.limit
        parts = {at: part for at, part in self.parts.items() if at != number}
        parts[first], parts[first + 1] = self.parts[number].halves(cut, left)
        return replace(self, nodes=nodes, limits=limits, parts=parts)


def tie_key(key: Key) -> tuple[Any, Any, Any]:
    """What the hash of a row is drawn from, beside its number."""
    return key[0], key[1], np.uint64(Purpose.TIES)


@inlined
def goes_left(
    value: Any, first: Any, last: Any, limit: Any, key0: Any, key1: Any, purpose: Any, row: Any
) -> Any:
    """Does a row with this value go below the cut? Ties are divided by a keyed hash of the row."""
    if value < first or value > last:
        return False
    if value < last or limit == np.uint64(ALL):
        return True
    return siphash(key0, key1, purpose, np.uint64(row)) < limit


@compiled
def _walk(
    values: Any, ids: Any, nodes: Any, limits: Any, key0: Any, key1: Any, purpose: Any,
    start: int, stop: int, found: Any,
) -> None:  # fmt: skip
    for i in range(start, stop):
        at = 0
        while nodes[at, LEFT] > 0:
            value = values[i, nodes[at, COLUMN]]
            left = goes_left(
                value, nodes[at, FIRST], nodes[at, LAST], limits[at], key0, key1, purpose, ids[i]
            )
            at = nodes[at, LEFT] if left else nodes[at, RIGHT]
        found[i] = at
