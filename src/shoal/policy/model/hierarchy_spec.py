"""How a column may be generalized: a hierarchy from a file, written out, or built from the values."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shoal.errors import Fault, ShoalError, refuse_faults
from shoal.hierarchy import build
from shoal.hierarchy.hierarchy import TOP, Hierarchy
from shoal.hierarchy.read import read_hierarchy
from shoal.policy.model.manifest_labels import ShownLabels

if TYPE_CHECKING:
    from shoal.table.columns.categories import Categories  # which loads Arrow

Part = Literal["week", "month", "quarter", "year", "decade", "century"]


class HierarchySpec(BaseModel):
    """One way to generalize a column; exactly one key is given.

    >>> HierarchySpec(intervals=[5, 10]).of(["7", "23"], [1, 1]).levels[1].labels
    ('[5, 9]', '[20, 24]')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    intervals: tuple[Decimal, ...] | None = Field(default=None, min_length=1, description="Widths of ranges.")
    groups: tuple[int, ...] | None = Field(default=None, min_length=1, description="Neighbours per group.")
    order: tuple[str, ...] | None = Field(default=None, description="The words in groups, from low to high.")
    mask: Literal["left", "right"] | None = Field(default=None, description="Where stars begin.")
    dates: tuple[Part, ...] | None = Field(default=None, min_length=1, description="Parts of dates.")
    tree: dict[str, Any] | None = Field(default=None, description="Labels with what lies below them.")
    frequency: tuple[float, ...] | None = Field(default=None, min_length=1, description="Rarer than this.")
    paths: tuple[tuple[str | None, ...], ...] | None = Field(default=None, description="A file's lines.")
    shown: ShownLabels | None = Field(default=None, description="What a release shows of a file or tree.")
    lowest: int | None = Field(default=None, ge=0, description="Level below which nothing is published.")
    highest: int | None = Field(default=None, ge=0, description="Level above which nothing is published.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = self.model_dump(exclude_none=True, exclude={"order", "lowest", "highest"})
        if self.order is not None and self.groups is None:
            raise ValueError("an order is of the words in groups")
        if len(given) != 1:
            raise ValueError(
                "a hierarchy is one of intervals, groups, mask, dates, tree, frequency or a file"
            )
        numbers: tuple[Any, ...] = (*(self.intervals or ()), *(self.groups or ()), *(self.frequency or ()))
        if any(number <= 0 for number in numbers):
            raise ValueError("widths, sizes and shares are above 0")
        if self.lowest is not None and self.highest is not None and self.lowest > self.highest:
            raise ValueError("lowest is above highest")
        return self

    @property
    def bounded(self) -> bool:
        """May labels of some levels only be published?"""
        return bool(self.lowest) or self.highest is not None

    def window(self, height: int) -> tuple[int, int]:
        """The lowest and the highest level that may be published, of a hierarchy of this height.

        >>> HierarchySpec(intervals=[5, 10], lowest=1).window(3)
        (1, 3)
        """
        high = height if self.highest is None else min(self.highest, height)
        return min(self.lowest or 0, high), high

    @property
    def written_out(self) -> bool:
        """Does it stand for itself, whatever the values of a column?"""
        return self.paths is not None or self.tree is not None or self.shown is not None

    def as_shown(self, words: Iterable[str], name: str = "") -> "HierarchySpec":
        """What these published words show of it. A rule is what it is."""
        if self.paths is None and self.tree is None:
            return self
        shown = ShownLabels.of(self.of([], [], name), words)
        return HierarchySpec(shown=shown, lowest=self.lowest, highest=self.highest)

    def in_order(self, order: tuple[str, ...]) -> "HierarchySpec":
        """The same with groups of neighbours in this order, if it has groups and no order of its own."""
        if not order or self.groups is None or self.order is not None:
            return self
        return self.model_copy(update={"order": order})

    def over(self, column: "Categories", name: str = "") -> Hierarchy:
        """The hierarchy over the values of a column."""
        if self.frequency is None:
            return self.of(column.words, [1] * len(column.words), name)
        counts = column.word_counts()
        return self.of(list(counts), list(counts.values()), name)

    def of(self, words: Sequence[str | None], counts: Sequence[int], name: str = "") -> Hierarchy:
        """The hierarchy over these words of a column, which occur so often; missing is a leaf of its own."""
        if self.paths is not None:
            return _with_missing(Hierarchy.from_paths(self.paths, name), words)
        if self.tree is not None:
            return _with_missing(build.tree(self.tree, name), words)
        if self.shown is not None:
            return _with_missing(self.shown.hierarchy(name), words)
        if self.intervals is not None:
            return build.intervals(words, self.intervals, name)
        if self.groups is not None:
            return build.order_groups(words, self.groups, self.order or ())
        if self.dates is not None:
            return build.dates(words, self.dates, name)
        if self.frequency is not None:
            return build.frequency(words, counts, self.frequency)
        return build.mask(words, self.mask or "right")


def _with_missing(hierarchy: Hierarchy, words: Sequence[str | None]) -> Hierarchy:
    if None not in words or None in hierarchy.leaves:
        return hierarchy
    missing: list[str | None] = [None] * hierarchy.height
    return Hierarchy.from_paths([*hierarchy.paths(), [*missing, TOP]])


def with_files_read(hierarchies: dict[str, Any], folder: str | PathLike[str]) -> dict[str, Any]:
    """File names replaced by what the files hold: a policy is complete, wherever it goes."""
    read: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, given in hierarchies.items():
        try:
            read[name] = _with_file_read(given, Path(folder), name)
        except ShoalError as error:
            faults.extend(error.faults)
    refuse_faults(faults)
    return read


def _with_file_read(given: Any, folder: Path, name: str) -> Any:
    if isinstance(given, str):
        return _paths_in(folder / given, name)
    if isinstance(given, Mapping) and isinstance(given.get("file"), str):
        return {key: one for key, one in given.items() if key != "file"} | _paths_in(
            folder / given["file"], name
        )
    return given


def _paths_in(file: Path, name: str) -> dict[str, Any]:
    return {"paths": [path[:-1] for path in read_hierarchy(file, name).paths()]}
