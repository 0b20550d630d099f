"""A hierarchy as a tree to look at: labels, the records under each, and only as many as fit a page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.hierarchy.hierarchy import Hierarchy

MOST_CHILDREN = 12
DEEPEST = 3
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?"
LOWER_END = re.compile(rf"({NUMBER})|[\[(\]]({NUMBER})[,;] ?{NUMBER}[\[)\]]|({NUMBER}) ?(?:-|–|to) ?{NUMBER}")
TIME = re.compile(r"\d{4}-(?:\d\d|Q\d|W\d\d)(?:-\d\d.*)?|\d{4}s|\d{4} to \d{4}")


@dataclass(frozen=True)
class HierarchyNode:
    """A label (None is a missing cell), its records, what is shown below it and how many labels are not."""

    label: str | None
    count: int
    children: tuple["HierarchyNode", ...] = ()
    hidden: int = 0


def hierarchy_tree(
    hierarchy: Hierarchy,
    counts: Mapping[str | None, int],
    most_children: int = MOST_CHILDREN,
    deepest: int = DEEPEST,
) -> HierarchyNode:
    """The tree from ``*`` downwards, so many labels deep; ``counts`` are records of each leaf.

    A label that only repeats the one above it is left out. Numbers, ranges and times are in their order,
    words from the most frequent one on, and missing comes last.

    >>> towns = Hierarchy.from_paths([("Ulm", "south"), ("Kiel", "north"), ("Bremen", "north")])
    >>> tree = hierarchy_tree(towns, {"Ulm": 1, "Kiel": 2, "Bremen": 3}, most_children=1)
    >>> tree.label, tree.count, tree.hidden
    ('*', 6, 1)
    >>> north = tree.children[0]
    >>> north.label, north.count, north.hidden, north.children
    ('north', 5, 1, (HierarchyNode(label='Bremen', count=3, children=(), hidden=0),))
    """
    of_leaf = np.array([counts.get(leaf, 0) for leaf in hierarchy.leaves], np.int64)
    floors = [_Floor.of(hierarchy, height, of_leaf) for height in range(hierarchy.height + 1)]
    return _node(floors, hierarchy.height, 0, most_children, deepest)


@dataclass(frozen=True)
class _Floor:
    """The labels of a level, the records under each, and the label of the next level that each lies under."""

    labels: tuple[str | None, ...]
    counts: Ints
    above: Ints

    @classmethod
    def of(cls, hierarchy: Hierarchy, height: int, of_leaf: Ints) -> "_Floor":
        level = hierarchy.levels[height]
        size = len(level.labels)
        counts = np.zeros(size, np.int64)
        np.add.at(counts, level.group_of, of_leaf)
        above = np.zeros(size, np.int64)
        above[level.group_of] = hierarchy.levels[min(height + 1, hierarchy.height)].group_of
        return cls(level.labels, counts, above)

    @cached_property
    def by_parent(self) -> tuple[Ints, Ints]:
        """The labels side by side that lie under the same one, and where each row of them begins."""
        order = np.argsort(self.above, kind="stable")
        return order, np.searchsorted(self.above[order], np.arange(int(self.above.max()) + 2))

    def under(self, parent: int) -> Ints:
        order, starts = self.by_parent
        return order[starts[parent] : starts[parent + 1]]


def _node(floors: list[_Floor], height: int, at: int, most_children: int, deepest: int) -> HierarchyNode:
    label, count = floors[height].labels[at], int(floors[height].counts[at])
    below = floors[height - 1].under(at) if height else np.empty(0, np.int64)
    while len(below) == 1 and floors[height - 1].labels[below[0]] == label:
        height, at = height - 1, int(below[0])
        below = floors[height - 1].under(at) if height else np.empty(0, np.int64)
    if deepest == 0 or not len(below):
        return HierarchyNode(label, count, hidden=len(below))
    floor = floors[height - 1]
    places = map(_place, map(floor.labels.__getitem__, below.tolist()), floor.counts[below].tolist())
    shown = nsmallest(most_children, zip(places, below.tolist(), strict=True))
    children = tuple(_node(floors, height - 1, child, most_children, deepest - 1) for _, child in shown)
    return HierarchyNode(label, count, children, len(below) - len(shown))


def _place(label: str | None, count: int) -> tuple[Any, ...]:
    """Numbers by value, ranges by their lower end; times; words by how often they are there; missing.

    >>> sorted([None, "b", "[10, 19]", "9", "2011-05"], key=lambda label: _place(label, 1))
    ['9', '[10, 19]', '2011-05', 'b', None]
    """
    if label is None:
        return (3,)
    if found := LOWER_END.fullmatch(label):
        return (0, float(found[found.lastindex or 0]), label)
    if TIME.fullmatch(label):
        return (1, label)
    return (2, -count, label)
