"""The hierarchy of one column as a policy gives it, over the column's words: to look at before a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.hierarchy.hierarchy_tree import DEEPEST, MOST_CHILDREN, HierarchyNode, hierarchy_tree
from shoal.policy.model.policy import Policy


@dataclass(frozen=True)
class HierarchyPreview:
    """A hierarchy as a tree over the words of a column, and how many words it misses."""

    tree: HierarchyNode
    levels: int  # above the column's own values
    unknown: int  # words that have no place in it


def hierarchy_preview(
    given: str | Mapping[str, Any],
    counts: Mapping[str | None, int],
    column: str = "column",
    beside: Path = Path(),
    most_children: int = MOST_CHILDREN,
    deepest: int = DEEPEST,
) -> HierarchyPreview:
    """What is ``given`` in a policy (``{"intervals": [5, 10]}``, or a file's name) over words that occur so
    often. What cannot be built is an error.

    >>> found = hierarchy_preview({"intervals": [10]}, {"7": 2, "23": 1})
    >>> [(node.label, node.count) for node in found.tree.children]
    [('[0, 9]', 2), ('[20, 29]', 1)]
    """
    alone = {"columns": {column: "quasi"}, "guarantees": [{"kind": "k-anonymity", "k": 2}]}
    policy = Policy.from_mapping({**alone, "hierarchies": {column: given}}, beside)
    hierarchy = policy.hierarchies[column].of(list(counts), list(counts.values()), column)
    unknown = int((hierarchy.codes(list(counts)) < 0).sum())
    tree = hierarchy_tree(hierarchy, counts, most_children, deepest)
    return HierarchyPreview(tree, hierarchy.height, unknown)
