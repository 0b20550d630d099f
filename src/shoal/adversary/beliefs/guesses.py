"""The best guess for every row of a group, and how likely it is a certain value.

Beliefs are about kinds of values; inside a kind the group's own frequencies speak.
"""

from dataclasses import dataclass

import numpy as np

from shoal.adversary.beliefs.assignments import AssignmentBeliefs, AssignmentGroups, learn_beliefs
from shoal.arrays import Bools, Floats, Ints

ALIKE = 1e-9  # by how much beliefs may differ and count as equal


@dataclass(frozen=True)
class ValueTable:
    """The different values of every group, kind by kind, how often the group has each, and the kinds."""

    group: Ints
    value: Ints
    kind: Ints
    counts: Ints
    block: Ints  # which entry of the kinds
    starts: Ints  # where the kinds of every group begin
    kinds: Ints
    kind_counts: Ints
    top: Ints  # how often the most frequent value of the kind occurs
    tops: Ints  # and how many values do

    @classmethod
    def of(cls, group: Ints, value: Ints, kind: Ints) -> "ValueTable":
        rows = np.column_stack([np.unique(group, return_inverse=True)[1], kind, value])
        entries, counts = np.unique(rows, axis=0, return_counts=True)
        new = np.append(True, np.any(entries[1:, :2] != entries[:-1, :2], axis=1))
        block, first = np.cumsum(new) - 1, np.flatnonzero(new)
        top = np.maximum.reduceat(counts, first)
        return cls(
            entries[:, 0], entries[:, 2], entries[:, 1], counts, block,
            np.append(np.flatnonzero(np.diff(entries[first, 0], prepend=-1)), len(first)),
            entries[first, 1], np.add.reduceat(counts, first), top,
            np.bincount(block, counts == top[block]).astype(np.int64),
        )  # fmt: skip


@dataclass(frozen=True)
class Guesses:
    """The rows in the order of their groups, what each is believed to have, and its best guess."""

    order: Ints
    table: ValueTable
    groups: AssignmentGroups
    beliefs: AssignmentBeliefs
    best: Floats  # belief in the best guess
    ties: Ints  # values that are as good

    @classmethod
    def of(cls, group: Ints, columns: list[Ints], table: ValueTable, seed: int | None) -> "Guesses":
        order = np.argsort(group, kind="stable")
        traits = np.column_stack([one[order] for one in columns])
        sizes = np.unique(group, return_counts=True)[1]
        groups = AssignmentGroups(
            traits, traits.max(axis=0) + 1, np.concatenate([[0], np.cumsum(sizes)]),
            table.kinds, table.kind_counts, table.starts, int(table.kinds.max()) + 1,
        )  # fmt: skip
        beliefs = learn_beliefs(groups, np.random.default_rng(seed))
        many = np.diff(table.starts)
        blocks = np.repeat(many, sizes)  # of every row
        first = np.cumsum(blocks) - blocks
        entry = np.arange(len(beliefs.shares)) - np.repeat(first, blocks)
        entry += np.repeat(np.repeat(table.starts[:-1], sizes), blocks)
        score = beliefs.shares * table.top[entry] / table.kind_counts[entry]
        best = np.maximum.reduceat(score, first)
        tied = score >= np.repeat(best, blocks) * (1 - ALIKE)
        return cls(order, table, groups, beliefs, best, np.add.reduceat(tied * table.tops[entry], first))

    def right(self, row: Ints, value: Ints) -> tuple[Floats, Bools]:
        """How likely the best guess for a row (a place in the order) is this value, ties shared; and whether
        the row's group has it at all."""
        table, groups = self.table, self.groups
        group = np.searchsorted(groups.row_starts, row, "right") - 1
        width = int(max(table.value.max(), value.max())) + 1
        keys = table.group * width + table.value
        by_key = np.argsort(keys)
        place = np.minimum(np.searchsorted(keys[by_key], group * width + value), len(keys) - 1)
        entry = by_key[place]
        there = keys[entry] == group * width + value
        block = table.block[entry]
        many = np.diff(table.starts)[group]
        within = np.clip(block - table.starts[group], 0, many - 1)
        pair = groups.pair_starts[group] + (row - groups.row_starts[group]) * many + within
        score = self.beliefs.shares[pair] * table.counts[entry] / table.kind_counts[block]
        best = there & (score >= self.best[row] * (1 - ALIKE))
        return np.where(best, 1 / self.ties[row], 0.0), there
