"""The part of a hierarchy that a release shows: its labels and where they stand, and nothing below them.

A hierarchy file has a line for every value of the table, also for those of records that were left out. So a
manifest names only the labels that published cells show. Of each it tells how many leaves lie below it, and
its group on every level above, by a number: that is all that distances and losses take.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from shoal.errors import ShoalError
from shoal.hierarchy.hierarchy import TOP, Hierarchy


class ShownLabel(BaseModel):
    """A label, the number of leaves below it, and its groups from its own level up to the last below the
    top."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    label: str
    leaves: int = Field(ge=1)
    groups: tuple[int, ...] = Field(strict=False)


class ShownLabels(BaseModel):
    """All labels that a column shows, in their order; ``leaves`` counts those of the whole hierarchy.

    >>> towns = Hierarchy.from_paths([("Ulm", "south", "*"), ("Rom", "south", "*"), ("Kiel", "north", "*")])
    >>> shown = ShownLabels.of(towns, ["south", "Kiel", "*"])
    >>> [(one.label, one.leaves, one.groups) for one in shown.labels]
    [('Kiel', 1, (0, 0)), ('south', 2, (1,))]
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    height: int = Field(ge=1)
    leaves: int = Field(ge=1)
    labels: tuple[ShownLabel, ...] = Field(strict=False)

    @classmethod
    def of(cls, hierarchy: Hierarchy, words: Iterable[str]) -> Self:
        """What these cells show of a hierarchy; words that are no labels of it show nothing."""
        places = _places(hierarchy)
        numbers: list[dict[int, int]] = [{} for _ in range(hierarchy.height)]
        labels = []
        for word in sorted(set(words) - {TOP}):
            for height, leaf in places.get(word, ()):
                above = [int(level.group_of[leaf]) for level in hierarchy.levels[height:-1]]
                groups = [
                    of_level.setdefault(group, len(of_level))
                    for of_level, group in zip(numbers[height:], above, strict=True)
                ]
                size = int(hierarchy.levels[height].sizes[above[0]])
                labels.append(ShownLabel(label=word, leaves=size, groups=tuple(groups)))
        return cls(height=hierarchy.height, leaves=len(hierarchy.leaves), labels=tuple(labels))

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(one.label for one in self.labels)

    @cached_property
    def leaf_names(self) -> frozenset[str]:
        """The labels that stand for themselves alone."""
        wider = {one.label for one in self.labels if not self._is_leaf(one)}
        return self.names - wider

    @property
    def hides_leaves(self) -> bool:
        """Is there a label that stands for more than itself?"""
        return self.names > self.leaf_names

    def hierarchy(self, name: str) -> Hierarchy:
        """The hierarchy over the leaves that are shown; labels above them go by their numbers."""
        paths = [
            (one.label, *(f"{height}:{group}" for height, group in enumerate(one.groups[1:], 1)), TOP)
            for one in self.labels
            if self._is_leaf(one)
        ]
        if not paths:
            raise ShoalError(
                f"the release does not name the values under the labels of {name!r}",
                "give the policy that the release was made by.",
            )
        return Hierarchy.from_paths(paths, name)

    def faults(self) -> list[str]:
        """What cannot be true of any hierarchy."""
        sizes: dict[tuple[int, int], int] = {}
        above: dict[tuple[int, int], int] = {}
        torn = False
        for one in self.labels:
            height = self.height - len(one.groups)
            torn |= height < 0 or not one.groups or (height == 0 and one.leaves != 1)
            torn |= any(group < 0 for group in one.groups) or one.leaves > self.leaves
            for level, (group, higher) in enumerate(zip(one.groups, one.groups[1:], strict=False), height):
                torn |= above.setdefault((level, group), higher) != higher
            if one.groups:
                torn |= sizes.setdefault((height, one.groups[0]), one.leaves) != one.leaves
        twice = len({(one.label, len(one.groups)) for one in self.labels}) < len(self.labels)
        ordered = [one.label for one in self.labels] == sorted(one.label for one in self.labels)
        return ["are those of no hierarchy"] if torn or twice or not ordered else []

    def _is_leaf(self, one: ShownLabel) -> bool:
        return len(one.groups) == self.height


def _places(hierarchy: Hierarchy) -> dict[str, list[tuple[int, int]]]:
    """Where labels stand, each by a leaf below it: as a leaf, and where it stands for the most leaves."""
    places: dict[str, list[tuple[int, int]]] = {}
    for height, level in enumerate(hierarchy.levels[:-1]):
        leaf_of = {int(group): leaf for leaf, group in enumerate(level.group_of.tolist())}
        for group, label in enumerate(level.labels):
            if label is None:
                continue
            kept = [(at, leaf) for at, leaf in places.get(label, ()) if at == 0]
            same = any(level.sizes[group] == 1 and leaf == leaf_of[group] for _, leaf in kept)
            places[label] = kept if same else [*kept, (height, leaf_of[group])]
    return places
