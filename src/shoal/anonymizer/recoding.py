"""A recoding: what a method found on one table, to be applied to other rows of the same columns.

Full-domain methods leave a level of a hierarchy for every column. Methods whose classes show one cell per
column leave the list of these classes. Both hold labels and ends of ranges that came from the table, so a
recoding is the owner's alone.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from shoal.anonymizer.fit import Fitted
from shoal.anonymizer.labels import Labelled
from shoal.methods.lattice import Levels
from shoal.methods.place import NUMBERS, Boxes
from shoal.methods.ranges import Ranges
from shoal.policy.policy import Policy
from shoal.policy.saved_hierarchy import SavedHierarchy

Class = tuple[tuple[int, ...], ...]  # per column the ends of a range, or the codes of words


class _Column(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str


class LevelColumn(_Column):
    """A column that is published at one level of its hierarchy."""

    kind: Literal["level"] = "level"
    level: int = Field(ge=0)
    hierarchy: SavedHierarchy


class NumberColumn(_Column):
    """The range of every class, in units of ``10**-scale``."""

    kind: Literal["numbers"] = "numbers"
    scale: int = Field(ge=0)
    low: tuple[int, ...]
    high: tuple[int, ...]


class WordColumn(_Column):
    """The words of every class, as places in ``words``; None is a missing cell."""

    kind: Literal["words"] = "words"
    words: tuple[str | None, ...]
    sets: tuple[tuple[int, ...], ...]


SavedColumn = Annotated[LevelColumn | NumberColumn | WordColumn, Field(discriminator="kind")]


@dataclass(frozen=True)
class Recoding:
    """One column each for the quasi columns of the policy, in its order."""

    policy: Policy
    method: str
    columns: tuple[LevelColumn | NumberColumn | WordColumn, ...] = field(repr=False)

    @property
    def levels(self) -> dict[str, LevelColumn]:
        return {column.name: column for column in self.columns if isinstance(column, LevelColumn)}

    @property
    def words(self) -> dict[str, WordColumn]:
        return {column.name: column for column in self.columns if isinstance(column, WordColumn)}

    def boxes(self) -> Boxes:
        """The classes as arrays; in every column of words a last code stands for words it lacks."""
        classes = len(_cells(self.columns[0]))
        low, high = (np.zeros((classes, len(self.columns)), np.int64) for _ in range(2))
        begins = np.full(len(self.columns), NUMBERS, np.int64)
        has: list[np.ndarray[tuple[int, int], np.dtype[np.bool_]]] = []
        for at, column in enumerate(self.columns):
            if isinstance(column, NumberColumn):
                low[:, at], high[:, at] = column.low, column.high
            elif isinstance(column, WordColumn):
                begins[at] = sum(part.shape[1] for part in has)
                has.append(_membership(column))
        return Boxes(low, high, np.hstack([np.zeros((classes, 0), bool), *has]), begins)


def _cells(column: LevelColumn | NumberColumn | WordColumn) -> tuple[object, ...]:
    match column:
        case NumberColumn():
            return column.low
        case WordColumn():
            return column.sets
    return ()


def _membership(column: WordColumn) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    has = np.zeros((len(column.sets), len(column.words) + 1), bool)
    for at, codes in enumerate(column.sets):
        has[at, list(codes)] = True
    return has


def level_recoding(policy: Policy, method: str, labelled: Labelled, levels: Levels) -> Recoding:
    columns = [
        LevelColumn(
            name=name, level=level, hierarchy=SavedHierarchy.of(policy.hierarchies.get(name), hierarchy)
        )
        for name, hierarchy, level in zip(labelled.names, labelled.hierarchies, levels, strict=True)
    ]
    return Recoding(policy, method, tuple(columns))


def class_recoding(policy: Policy, method: str, fitted: Fitted, ranges: Ranges) -> Recoding:
    """Every different class once; all records of a class show its box."""
    by_column = [
        _word_sets(fitted, ranges, at) if at in fitted.categories else _ends(ranges, at)
        for at in range(len(fitted.names))
    ]
    classes: list[Class] = list(dict.fromkeys(zip(*by_column, strict=True)))
    columns: list[NumberColumn | WordColumn] = []
    for at, name in enumerate(fitted.names):
        cells = tuple(one[at] for one in classes)
        if at in fitted.categories:
            columns.append(WordColumn(name=name, words=fitted.categories[at].words, sets=cells))
        else:
            low, high = (tuple(cell[end] for cell in cells) for end in (0, 1))
            columns.append(NumberColumn(name=name, scale=fitted.scales[at], low=low, high=high))
    return Recoding(policy, method, tuple(columns))


def _ends(ranges: Ranges, column: int) -> list[tuple[int, ...]]:
    first = ranges.starts[:-1]
    return list(zip(ranges.low[first, column].tolist(), ranges.high[first, column].tolist(), strict=True))


def _word_sets(fitted: Fitted, ranges: Ranges, column: int) -> list[tuple[int, ...]]:
    codes = fitted.values[ranges.order, column]
    parts = np.split(codes, ranges.starts[1:-1])
    return [tuple(np.unique(part).tolist()) for part in parts]
