"""Quasi columns of a batch as leaves of the hierarchies that the whole column has."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.anonymizer.fit import size_faults
from shoal.anonymizer.leaf_matrix import column_words, leaves_of
from shoal.arrays import Bools, Ints, SmallInts
from shoal.engines.protocol import Rows
from shoal.engines.steps.distinct import counted_table
from shoal.engines.steps.value_counts import refuse_many_values, value_counts
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.policy import Policy
from shoal.policy.model.saved_hierarchy import SavedHierarchy
from shoal.table.files.header import no_rows
from shoal.table.table import Table


@dataclass(frozen=True)
class Leaves:
    """``text`` are the columns that hold text once missing cells count as the policy says."""

    policy: Policy
    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    records: int
    text: frozenset[str]

    @property
    def weights(self) -> list[float]:
        """What the loss of each column weighs."""
        return [self.policy.method.weights.get(name, 1.0) for name in self.names]

    def of(self, table: Table) -> tuple[Bools, SmallInts]:
        """Which rows stay, having a leaf in every column and no missing cell that makes them leave, and the
        leaves of all rows, by column."""
        stays = np.ones(len(table), bool)
        codes = np.empty((len(self.names), len(table)), np.int32)
        for at, name in enumerate(self.names):
            column = column_words(table, self.policy, name)
            of_word = self.hierarchies[at].codes(column.words)
            codes[at] = of_word.astype(np.int32)[column.codes]
            if self.policy.missing_counts.get(name) == "suppress":
                stays &= ~column.missing
        return stays & (codes >= 0).all(axis=0), codes

    def groups(self, codes: SmallInts, levels: tuple[int, ...]) -> list[Ints]:
        """The group of each leaf at the level of its column."""
        columns = zip(self.hierarchies, codes, levels, strict=True)
        return [hierarchy.levels[level].group_of[leaves] for hierarchy, leaves, level in columns]

    def occurs(self, codes: SmallInts, counts: Ints) -> tuple[Ints, ...]:
        """How often each leaf of each column occurs."""
        return tuple(
            np.bincount(leaves, counts, len(hierarchy.leaves)).astype(np.int64)
            for leaves, hierarchy in zip(codes, self.hierarchies, strict=True)
        )


def leaves_of_rows(
    rows: Rows,
    policy: Policy,
    most: int,
    alike: Rows | None = None,
    saved: Mapping[str, SavedHierarchy] | None = None,
) -> Leaves:
    """The hierarchies over all different values of columns, ``most`` at most; all faults of policy and table
    together. Rows that are ``alike`` save a look at all of them.

    ``saved`` are the hierarchies of an earlier table, in place of the policy's over this one; records with a
    value that such a hierarchy has no label for do not stay.
    """
    names = policy.having("quasi")
    found = value_counts(alike or rows, {name: [name] for name in names}, most)
    if not found:
        raise no_rows("the table")
    refuse_many_values(found, most)
    tables = {name: counted_table(values, rows) for name, values in found.items()}
    faults: list[Fault] = []
    hierarchies, text = [], set()
    for name, table in tables.items():
        column = column_words(table, policy, name)
        if (known := leaves_of(table, policy, name, column, faults, saved)) is not None:
            hierarchies.append(known[0])
        if policy.missing_counts.get(name) == "zero" and table.column(name).null_count:
            text.add(name)
    records = tables[names[0]].records
    faults.extend(size_faults(policy, records))
    if faults:
        raise ShoalError(faults)
    return Leaves(policy, tuple(names), tuple(hierarchies), records, frozenset(text))
