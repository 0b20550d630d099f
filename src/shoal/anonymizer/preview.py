"""The hierarchy of one column of a table, as a method would see it, to look at before anything is run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.anonymizer.labels import hierarchy_of, leaves_of, unknown_faults, words_of
from shoal.errors import Fault, ShoalError
from shoal.hierarchy.preview import DEEPEST, MOST_CHILDREN, Node, hierarchy_tree
from shoal.policy.policy import Policy
from shoal.table.table import Table

Asked = (
    Policy | Mapping[str, Any]
)  # a policy, or the plain mapping of one that may still be at fault elsewhere


def preview_of(
    table: Table,
    policy: Asked,
    column: str,
    beside: Path = Path(),
    most_children: int = MOST_CHILDREN,
    deepest: int = DEEPEST,
) -> Node | None:
    """The column's hierarchy with the records of this table; None without one.

    Values that the hierarchy lacks are counted nowhere (``preview_faults`` has them), nor are missing cells
    whose records leave. A hierarchy that cannot be built is an error.
    """
    alone = _alone(table, policy, column, beside)
    if column not in alone.hierarchies:
        return None
    words = words_of(table, alone, column)
    counts = words.stripped_counts()
    if alone.missing.get(column) == "suppress":
        del counts[None]
    return hierarchy_tree(hierarchy_of(alone, column, words), counts, most_children, deepest)


def preview_faults(table: Table, policy: Asked, column: str, beside: Path = Path()) -> list[Fault]:
    """What a method would say about the column: cells that are missing, or have no place in the hierarchy."""
    try:
        alone = _alone(table, policy, column, beside)
        words = words_of(table, alone, column)
    except ShoalError as error:
        return list(error.faults)
    faults: list[Fault] = []
    found = leaves_of(table, alone, column, words, faults)
    return faults if found is None else faults + unknown_faults(table, column, words, found[1])


def _alone(table: Table, policy: Asked, column: str, beside: Path) -> Policy:
    """A policy for this column and no other, so that faults of the others do not matter."""
    if column not in table.names:
        raise ShoalError(f"the table has no column {column!r}")
    entries = policy.model_dump(exclude_none=True) if isinstance(policy, Policy) else policy
    about = {name: _entry(entries, name, column) for name in ("hierarchies", "missing")}
    role = _entry(entries, "columns", column).get(column)
    return Policy.from_mapping(
        {
            "columns": {column: "quasi"},
            "guarantees": [{"kind": "k-anonymity", "k": 2}],
            **(about if role == "quasi" else about | {"missing": {}}),
        },
        beside,
    )


def _entry(entries: Mapping[str, Any], section: str, column: str) -> dict[str, Any]:
    found = entries.get(section)
    return {column: found[column]} if isinstance(found, Mapping) and column in found else {}
