"""Quasi columns as leaves of their hierarchies, for methods that publish labels."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.anonymizer.choose import method_faults
from shoal.anonymizer.fit import kept_rows, size_faults
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.build import flat
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.methods.ranges import Ints
from shoal.policy.columns import column_faults
from shoal.policy.draft import toml_key
from shoal.policy.policy import Policy
from shoal.table.categories import Categories, categories_from_arrow, stripped
from shoal.table.table import Table


@dataclass(frozen=True)
class Labelled:
    """One leaf per record and quasi column, of the records that stay."""

    names: list[str]
    codes: Ints
    hierarchies: list[Hierarchy]
    input_rows: Ints

    def __len__(self) -> int:
        return len(self.codes)


def fit_labels(table: Table, policy: Policy) -> Labelled:
    """The policy's quasi columns of this table; all faults of both together."""
    faults = column_faults(policy, table.names) + method_faults(policy)
    if faults:
        raise ShoalError(faults)
    names = policy.having("quasi")
    columns = {name: categories_from_arrow(filled(table, policy, name)) for name in names}
    leaves, hierarchies = [], []
    for name, column in columns.items():
        found = leaves_of(table, policy, name, column, faults)
        if found is not None:
            hierarchies.append(found[0])
            leaves.append(found[1])
    faults.extend(size_faults(policy, len(table)))
    if faults:
        raise ShoalError(faults)
    keep = kept_rows(table, policy, columns)
    return Labelled(names, np.column_stack(leaves)[keep], hierarchies, np.flatnonzero(keep))


def leaves_of(
    table: Table, policy: Policy, name: str, column: Categories, faults: list[Fault]
) -> tuple[Hierarchy, Ints] | None:
    """The hierarchy of a column and the leaf of every record; what is wrong with them joins the faults."""
    faults.extend(_missing_faults(table, policy, name, column))
    try:
        hierarchy = hierarchy_of(policy, name, column)
    except ShoalError as error:
        faults.extend(error.faults)
        return None
    codes = hierarchy.codes([stripped(word) for word in column.words])
    faults.extend(_unknown(table, name, codes[column.codes] < 0))
    return hierarchy, codes[column.codes]


def filled(table: Table, policy: Policy, name: str) -> pa.ChunkedArray:
    """Missing cells as 0 where the policy counts them so."""
    column = table.column(name)
    if policy.columns[name] != "quasi" or policy.missing.get(name) != "zero" or not column.null_count:
        return column
    return pc.fill_null(column.cast(pa.string()), "0")


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
    return flat(list(column.stripped_counts()))


def _unknown(table: Table, name: str, unknown: NDArray[np.bool_]) -> list[Fault]:
    if not unknown.any():
        return []
    hint = "add a line for each of these values to the hierarchy."
    return [table.fault(name, np.flatnonzero(unknown), "not in the column's hierarchy", hint)]
