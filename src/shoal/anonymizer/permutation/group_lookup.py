"""The group of every row of a line of points, and the part that holds each group whole."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.anonymizer.permutation.permutation_facts import POINT
from shoal.arrays import Ints
from shoal.engines.protocol import PART
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.group_assignment import (
    ValueGroups,
    ValueTally,
    assign_groups,
    join_tallies,
    tally_values,
    value_groups,
)
from shoal.methods.permutation.partition import GroupDemand, Search
from shoal.policy.model.policy import GROUP
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of, ints_of


@dataclass(frozen=True)
class PointTally:
    """How many rows there are, and their tally, if they do not have more than ``most`` different values."""

    rows: int
    tally: ValueTally | None
    most: int
    key: Key

    def joined(self, other: "PointTally") -> "PointTally":
        both = None
        if self.tally is not None and other.tally is not None:
            both = join_tallies(self.tally, other.tally, self.key)
        return _point_tally(self.rows + other.rows, both, self.most, self.key)


def point_tally(key: Key, most: int, table: pa.Table) -> PointTally:
    """How many rows of a batch lie on each point of the line, or just their number if points are many."""
    return _point_tally(len(table), tally_values(ints_of(table, POINT), ids_of(table), key), most, key)


def _point_tally(rows: int, found: ValueTally | None, most: int, key: Key) -> PointTally:
    return PointTally(rows, None if found is None or len(found.values) > most else found, most, key)


@dataclass(frozen=True)
class GroupLookup:
    """Says the group of any row. ``number_of`` has the number of every group that was formed, after some
    were merged."""

    tally: ValueTally
    sides: ValueGroups
    number_of: Ints
    key: Key

    @classmethod
    def of(cls, found: ValueTally, demand: GroupDemand, search: Search, key: Key) -> "GroupLookup | None":
        """None if all rows together are not what is demanded of a group."""
        sides = value_groups(found, demand, search)
        return None if sides is None else cls(found, sides, np.arange(int(sides.upper.max()) + 1), key)

    def groups(self, table: pa.Table) -> Ints:
        formed = assign_groups(ints_of(table, POINT), ids_of(table), self.tally, self.sides, self.key)
        return np.asarray(self.number_of[formed])

    def sizes(self, table: pa.Table) -> Ints:
        """How many of these rows each group has."""
        return np.bincount(self.groups(table), minlength=self.count)

    def with_group_and_part(self, part_of: Ints, table: pa.Table) -> pa.Table:
        """Rows with their group, and the part in which it lies."""
        groups = self.groups(table)
        table = table.drop_columns([POINT]).append_column(GROUP, arrow_from_numpy(groups.astype(np.int32)))
        return table.append_column(PART, arrow_from_numpy(part_of[groups]))

    @property
    def count(self) -> int:
        return int(self.number_of[-1]) + 1

    @property
    def lower(self) -> Ints:
        return np.asarray(self.number_of[self.sides.lower])

    @property
    def upper(self) -> Ints:
        return np.asarray(self.number_of[self.sides.upper])

    def spans(self) -> Ints:
        """The ranges of the groups: of a value that is in two of them, neither is without."""
        values = self.tally.values
        least, most = np.full(self.count, values[-1]), np.full(self.count, values[0])
        for groups in (self.lower, self.upper):
            np.minimum.at(least, groups, values)
            np.maximum.at(most, groups, values)
        return np.asarray(most - least)

    def largest_sizes(self) -> Ints:
        """The most rows that each group may have."""
        twice = np.where(self.lower == self.upper, 0, self.tally.counts)
        return self._added(self.tally.counts, twice)

    def parts(self, rows: int) -> Ints:
        """The part of every group: about so many rows, unless a single group has more."""
        half = np.where(self.lower == self.upper, 0, self.tally.counts // 2)
        sizes = self._added(self.tally.counts - half, half)
        return (np.cumsum(sizes) - sizes) // rows

    def _added(self, lower: Ints, upper: Ints) -> Ints:
        found = np.bincount(self.lower, lower, self.count) + np.bincount(self.upper, upper, self.count)
        return found.astype(np.int64)
