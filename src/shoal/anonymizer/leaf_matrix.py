"""Quasi columns as leaves of their hierarchies, for methods that publish labels."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.choose import method_faults
from shoal.anonymizer.fit import kept_rows, size_faults
from shoal.arrays import Bools, Floats, Ints, SmallInts
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.build import flat
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.policy import Policy
from shoal.policy.model.saved_hierarchy import SavedHierarchy
from shoal.policy.toml import toml_key
from shoal.table.columns.categories import Categories, categories_of
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode
from shoal.table.table import Table


@dataclass(frozen=True)
class LeafMatrix:
    """One leaf per record and quasi column, of the records that stay; column by column in memory.

    A row may stand for several records that are alike, ``counts`` says for how many. Where that is so because
    leaves below the levels ``floors`` were not told apart, ``occurs`` has how often each of them occurs.
    """

    names: list[str]
    codes: SmallInts
    hierarchies: list[Hierarchy]
    input_rows: Ints
    counts: Ints | None = None
    floors: tuple[int, ...] = ()
    occurs: tuple[Ints, ...] = ()

    def __len__(self) -> int:
        return len(self.codes) if self.counts is None else int(self.counts.sum())

    def frequencies(self, at: int) -> Floats:
        """How often each leaf of a column occurs."""
        if self.occurs:
            return self.occurs[at].astype(float)
        leaves = len(self.hierarchies[at].leaves)
        return np.bincount(self.codes[:, at], self.counts, leaves).astype(float)

    def staying(self, kept: Bools) -> list[Floats]:
        """How often each leaf of each column occurs in these rows."""
        weights = kept if self.counts is None else np.where(kept, self.counts, 0)
        return [
            np.bincount(self.codes[:, at], weights, len(hierarchy.leaves)).astype(float)
            for at, hierarchy in enumerate(self.hierarchies)
        ]


def fit_leaves(table: Table, policy: Policy, saved: Mapping[str, SavedHierarchy] | None = None) -> LeafMatrix:
    """The policy's quasi columns of this table; all faults of both together.

    ``saved`` are the hierarchies of an earlier table, in place of the policy's over this one; records with a
    value that such a hierarchy has no label for are left out.
    """
    faults = column_faults(policy, table.names) + method_faults(policy)
    if faults:
        raise ShoalError(faults)
    names = policy.having("quasi")
    with ThreadPoolExecutor() as pool:
        columns = dict(
            zip(names, pool.map(lambda name: column_words(table, policy, name), names), strict=True)
        )
    leaves: list[SmallInts] = []
    hierarchies = []
    for name, column in columns.items():
        if (found := leaves_of(table, policy, name, column, faults, saved)) is not None:
            faults.extend(unknown_faults(table, name, column, found[1]) if saved is None else [])
            hierarchies.append(found[0])
            leaves.append(found[1])
    faults.extend(size_faults(policy, len(table)))
    if faults:
        raise ShoalError(faults)
    keep = kept_rows(table, policy, columns)
    for of_word, column in zip(leaves, columns.values(), strict=True):
        if (of_word < 0).any():
            keep = keep & (of_word[column.codes] >= 0)
    codes = np.empty((len(names), int(keep.sum())), np.int32)
    for at, column in enumerate(columns.values()):
        codes[at] = leaves[at][column.codes if keep.all() else column.codes[keep]]
    return LeafMatrix(names, codes.T, hierarchies, np.flatnonzero(keep))


def leaves_of(
    table: Table,
    policy: Policy,
    name: str,
    column: Categories,
    faults: list[Fault],
    saved: Mapping[str, SavedHierarchy] | None = None,
) -> tuple[Hierarchy, SmallInts] | None:
    """The hierarchy of a column and the leaf of every word, -1 where it has none; what is wrong with the
    others joins the faults."""
    faults.extend(_missing_faults(table, policy, name, column))
    try:
        hierarchy = _hierarchy(policy, name, column, saved)
    except ShoalError as error:
        faults.extend(error.faults)
        return None
    return hierarchy, hierarchy.codes(column.words).astype(np.int32)


def column_words(table: Table, policy: Policy, name: str) -> Categories:
    """A quasi column as words, with zeros in missing cells where the policy says so."""
    return categories_of(column_with_zeros(table, policy, name), table.counts)


def column_with_zeros(table: Table, policy: Policy, name: str) -> EncodedColumn:
    """Missing cells as 0 where the policy counts them so."""
    encoded = table.encoded(name)
    if policy.columns[name] != "quasi" or policy.missing.get(name) != "zero" or not encoded.cells.null_count:
        return encoded
    words = encode(pc.fill_null(encoded.cells.cast(pa.string()), "0"))
    return EncodedColumn(words.numbers[encoded.numbers], words.cells)


def _missing_faults(table: Table, policy: Policy, name: str, column: Categories) -> list[Fault]:
    rows = np.flatnonzero(column.missing)
    if not len(rows):
        return []
    default = "error" if table.mostly_numbers(name) else "value"
    if policy.missing.get(name, default) != "error":
        return []
    hint = f'say in [missing] how they count: {toml_key(name)} = "value", "zero" or "suppress".'
    return [table.fault(name, rows, "missing", hint)]


def hierarchy_of(policy: Policy, name: str, column: Categories) -> Hierarchy:
    """The hierarchy that the policy gives a column; without one, the value itself and ``*``."""
    if name in policy.hierarchies:
        return policy.hierarchies[name].over(column, name)
    return flat(list(column.words))


def _hierarchy(
    policy: Policy, name: str, column: Categories, saved: Mapping[str, SavedHierarchy] | None
) -> Hierarchy:
    if saved is None:
        return hierarchy_of(policy, name, column)
    return saved[name].over(list(column.words), name)


def unknown_faults(table: Table, name: str, column: Categories, of_word: SmallInts) -> list[Fault]:
    """Cells whose word has no leaf."""
    if (of_word >= 0).all():
        return []
    hint = "add a line for each of these values to the hierarchy."
    rows = np.flatnonzero(of_word[column.codes] < 0)
    return [table.fault(name, rows, "not in the column's hierarchy", hint)]
