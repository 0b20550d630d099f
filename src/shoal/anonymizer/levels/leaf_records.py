"""Few enough different records for one place: as they are, or from coarser levels of some columns on."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.leaf_matrix import LeafMatrix
from shoal.anonymizer.levels.leaves import Leaves, leaves_of_rows
from shoal.anonymizer.sensitive.method_diversity import columns_in_demands
from shoal.arrays import Ints
from shoal.engines.protocol import STAYS, Rows
from shoal.engines.steps.distinct import COUNT, DistinctRows, counted_table, distinct
from shoal.engines.steps.value_counts import most_values
from shoal.errors import ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.policy import Policy
from shoal.policy.model.saved_hierarchy import SavedHierarchy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ints_of
from shoal.table.table import Table


@dataclass(frozen=True)
class LeafRecords:
    """Different records: a leaf per quasi column, what they hold in some others, and whether a missing cell
    makes them leave."""

    leaves: Leaves
    others: tuple[str, ...]
    found: DistinctRows
    floors: tuple[int, ...]

    def raised(self, at: int) -> "LeafRecords":
        """One column a level higher: a leaf stands for all in its group."""
        floors = tuple(floor + (place == at) for place, floor in enumerate(self.floors))
        stand_in = _stand_ins(self.leaves.hierarchies[at], floors[at])
        rows = self.found.rows.map(partial(_raised, self.leaves.names[at], stand_in), self.found.rows.schema)
        found = distinct(rows, [*self.leaves.names, STAYS, *self.others])
        return LeafRecords(self.leaves, self.others, found, floors)

    def occurs(self) -> tuple[Ints, ...]:
        """How often each leaf of each column occurs in records that stay."""
        nobody = tuple(np.zeros(len(one.leaves), np.int64) for one in self.leaves.hierarchies)
        return self.found.rows.fold(partial(leaf_counts, self.leaves), add_counts) or nobody

    def labelled(self, occurs: tuple[Ints, ...]) -> tuple[Table, LeafMatrix]:
        """All of them in memory: the columns that are no quasi columns, and the leaves of those that stay."""
        table = self.found.table()
        stays = ints_of(table, STAYS)
        codes = leaf_codes(self.leaves, table)[:, stays]
        names, hierarchies = list(self.leaves.names), list(self.leaves.hierarchies)
        counts, rows = ints_of(table, COUNT)[stays], np.flatnonzero(stays)
        others = counted_table(table.select([*self.others, ROW, COUNT]), self.found.rows)
        return others, LeafMatrix(names, codes.T, hierarchies, rows, counts, self.floors, occurs)


def leaf_records(
    rows: Rows, policy: Policy, saved: Mapping[str, SavedHierarchy] | None = None
) -> LeafRecords:
    """The different records of a table, with what they hold in columns of which something is asked; ``saved``
    as in `leaves_of_rows`."""
    others = columns_in_demands(policy)
    alike = distinct(rows, [*policy.having("quasi"), *others]).rows
    leaves = leaves_of_rows(rows, policy, most_values(rows), alike, saved)
    names = [*leaves.names, STAYS, *others]
    kinds = [(name, pa.int32()) for name in leaves.names]
    kinds += [(STAYS, pa.bool_()), *((name, rows.schema.field(name).type) for name in others)]
    schema = pa.schema([*kinds, (ROW, pa.int64()), (COUNT, pa.int64())])
    found = distinct(alike.map(partial(_coded, leaves, others), schema), names)
    return LeafRecords(leaves, tuple(others), found, (0,) * len(leaves.names))


def coarsen_records(every: LeafRecords, occurs: tuple[Ints, ...], most: int) -> LeafRecords:
    """Records coarsened until at most so many are different: as long as there are more, the column goes up
    that loses least for what it tells less."""
    few = every
    while few.found.count > most:
        columns = zip(few.leaves.hierarchies, occurs, few.floors, few.leaves.weights, strict=True)
        prices = [weight * _price(hierarchy, often, floor) for hierarchy, often, floor, weight in columns]
        if np.isinf(prices).all():
            raise ShoalError(
                f"even with every quasi column at its top there are more than {most:,} different records",
                "ask for sensitive columns with fewer different values, or group their values first.",
            )
        few = few.raised(int(np.argmin(prices)))
    return few


def _price(hierarchy: Hierarchy, occurs: Ints, level: int) -> float:
    """What the next level loses more for every bit that it tells less; infinite at the top."""
    if level == hierarchy.height:
        return np.inf
    (here, loss), (above, more) = (_bits_and_loss(hierarchy, occurs, one) for one in (level, level + 1))
    return (more - loss) / max(here - above, 1e-9)


def _bits_and_loss(hierarchy: Hierarchy, occurs: Ints, level: int) -> tuple[float, float]:
    """How many bits the labels of a level tell, and what they lose."""
    counts = np.bincount(hierarchy.levels[level].group_of, occurs)
    shares = counts / max(counts.sum(), 1)
    there = shares[shares > 0]
    return float(-(there * np.log2(there)).sum()), float(shares @ hierarchy.losses(level))


def leaf_codes(leaves: Leaves, table: pa.Table) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """The codes of the leaves in a batch of rows, one line per quasi column."""
    return np.stack([ints_of(table, name) for name in leaves.names]).astype(np.int32, copy=False)


def leaf_counts(leaves: Leaves, table: pa.Table) -> tuple[Ints, ...]:
    """How often each leaf of each column occurs in these rows that stay."""
    counts = np.where(ints_of(table, STAYS), ints_of(table, COUNT), 0)
    return leaves.occurs(leaf_codes(leaves, table), counts)


def add_counts(one: tuple[Ints, ...], other: tuple[Ints, ...]) -> tuple[Ints, ...]:
    """Counts of two batches added up, column by column."""
    return tuple(first + second for first, second in zip(one, other, strict=True))


def _coded(leaves: Leaves, others: list[str], table: pa.Table) -> pa.Table:
    stays, codes = leaves.of(Table(table))
    found = {name: arrow_from_numpy(np.where(stays, codes[at], np.int32(0)))
             for at, name in enumerate(leaves.names)}  # fmt: skip
    found[STAYS] = arrow_from_numpy(stays)
    return pa.table(found | {name: table.column(name) for name in (*others, ROW, COUNT)})


def _stand_ins(hierarchy: Hierarchy, level: int) -> Ints:
    """For every leaf, the first one of its group."""
    group_of = hierarchy.levels[level].group_of
    first = np.zeros(len(hierarchy.levels[level].labels), np.int64)
    first[group_of[::-1]] = np.arange(len(group_of))[::-1]
    return first[group_of]


def _raised(name: str, stand_in: Ints, table: pa.Table) -> pa.Table:
    leaves = stand_in[ints_of(table, name)].astype(np.int32)
    return table.set_column(table.column_names.index(name), name, arrow_from_numpy(leaves))
