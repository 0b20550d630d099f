"""Quasi columns as leaves of their hierarchies, for methods that publish labels."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Floats, Ints, SmallInts
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.build import flat
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.policy import Policy
from shoal.policy.model.saved_hierarchy import SavedHierarchy
from shoal.table.columns.categories import Categories, categories_of
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode
from shoal.table.table import Table


@dataclass(frozen=True)
class LeafMatrix:
    """One leaf per different record and quasi column, of the records that stay; column by column in memory.

    ``counts`` says how many records are alike. Where that is so because leaves below the levels ``floors``
    were not told apart, ``occurs`` has how often each of them occurs.
    """

    names: list[str]
    codes: SmallInts
    hierarchies: list[Hierarchy]
    input_rows: Ints
    counts: Ints
    floors: tuple[int, ...]
    occurs: tuple[Ints, ...]

    def __len__(self) -> int:
        return int(self.counts.sum())

    def frequencies(self, at: int) -> Floats:
        """How often each leaf of a column occurs."""
        if self.occurs:
            return self.occurs[at].astype(float)
        leaves = len(self.hierarchies[at].leaves)
        return np.bincount(self.codes[:, at], self.counts, leaves).astype(float)

    def staying(self, kept: Bools) -> list[Floats]:
        """How often each leaf of each column occurs in these rows."""
        weights = np.where(kept, self.counts, 0)
        return [
            np.bincount(self.codes[:, at], weights, len(hierarchy.leaves)).astype(float)
            for at, hierarchy in enumerate(self.hierarchies)
        ]


def leaves_of(
    table: Table,
    policy: Policy,
    name: str,
    column: Categories,
    faults: list[Fault],
    saved: Mapping[str, SavedHierarchy] | None = None,
) -> tuple[Hierarchy, SmallInts] | None:
    """The hierarchy of a column and the leaf of every word, -1 where it has none; what is wrong joins the
    faults. ``saved`` are the hierarchies of an earlier table, which need not know every word."""
    faults.extend(_missing_faults(table, policy, name, column))
    try:
        built = hierarchy_of(policy, name, column) if saved is None else saved[name].over(column.words, name)
    except ShoalError as error:
        faults.extend(error.faults)
        return None
    of_word = built.codes(column.words).astype(np.int32)
    if saved is None:
        faults.extend(unknown_faults(table, name, column, of_word))
    return built, of_word


def column_words(table: Table, policy: Policy, name: str) -> Categories:
    """A quasi column as words in their order, with zeros in missing cells where the policy says so."""
    words = categories_of(column_with_zeros(table, policy, name), table.counts)
    return words.in_order(policy.order_of(name))


def column_with_zeros(table: Table, policy: Policy, name: str) -> EncodedColumn:
    """Missing cells as 0 where the policy counts them so."""
    encoded = table.encoded(name)
    if (
        policy.columns[name] != "quasi"
        or policy.missing_counts.get(name) != "zero"
        or not encoded.cells.null_count
    ):
        return encoded
    words = encode(pc.fill_null(encoded.cells.cast(pa.string()), "0"))
    return EncodedColumn(words.numbers[encoded.numbers], words.cells)


def _missing_faults(table: Table, policy: Policy, name: str, column: Categories) -> list[Fault]:
    rows = np.flatnonzero(column.missing)
    if not len(rows):
        return []
    numbers = not policy.of_words(name) and table.mostly_numbers(name)
    default = "error" if numbers else "value"
    if policy.missing_counts.get(name, default) != "error":
        return []
    hint = f'say in [missing] how they count: {policy.missing_line(name, "value")}, "zero" or "suppress".'
    return [table.fault(name, rows, "missing", hint)]


def hierarchy_of(policy: Policy, name: str, column: Categories) -> Hierarchy:
    """The hierarchy that the policy gives a column; without one, the value itself and ``*``."""
    if name in policy.hierarchies:
        return policy.hierarchies[name].over(column, name)
    return flat(list(column.words))


def unknown_faults(table: Table, name: str, column: Categories, of_word: SmallInts) -> list[Fault]:
    """Cells whose word has no leaf."""
    if (of_word >= 0).all():
        return []
    hint = "add a line for each of these values to the hierarchy."
    rows = np.flatnonzero(of_word[column.codes] < 0)
    return [table.fault(name, rows, "not in the column's hierarchy", hint)]
