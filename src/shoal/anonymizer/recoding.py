"""A recoding: what a method found on one table, to be applied to other rows of the same columns.

Full-domain methods leave a level of a hierarchy for every column. Methods whose classes show one cell per
column leave the list of these classes: ranges, sets of words, labels. Both hold what came from the table, so
a recoding is the owner's alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from shoal.anonymizer.fit import QuasiMatrix
from shoal.anonymizer.local.local_columns import Label, LocalColumns, LocalNumbers
from shoal.arrays import Ints
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.methods.boxes.place_rows import NUMBERS, Boxes
from shoal.methods.levels.lattice import Levels
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.policy.model.saved_hierarchy import SavedHierarchy

Cell = tuple[int, ...]  # the ends of a range, the codes of words, or the code of a label
CellsOfClasses = tuple[Cell, ...]  # of every class


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


class LabelColumn(_Column):
    """The label of every class, as a place in ``labels``: a level of the hierarchy, and the text there."""

    kind: Literal["labels"] = "labels"
    hierarchy: SavedHierarchy
    labels: tuple[Label, ...]
    shown: tuple[int, ...]


RecodingColumn = LevelColumn | NumberColumn | WordColumn | LabelColumn
Build = Callable[[CellsOfClasses], RecodingColumn]
SavedColumn = Annotated[RecodingColumn, Field(discriminator="kind")]


@dataclass(frozen=True)
class Recoding:
    """One column each for the quasi columns of the policy, in its order."""

    policy: Policy
    method: str
    columns: tuple[RecodingColumn, ...] = field(repr=False)

    @property
    def levels(self) -> dict[str, LevelColumn]:
        return {column.name: column for column in self.columns if isinstance(column, LevelColumn)}

    @property
    def words(self) -> dict[str, WordColumn]:
        return {column.name: column for column in self.columns if isinstance(column, WordColumn)}

    @property
    def hierarchies(self) -> dict[str, SavedHierarchy]:
        """Hierarchies of the columns that are no numbers; sets are made of the values themselves."""
        return {
            column.name: SavedHierarchy() if isinstance(column, WordColumn) else column.hierarchy
            for column in self.columns
            if not isinstance(column, NumberColumn)
        }

    def boxes(self) -> Boxes:
        """The classes as arrays; in every column of words a last code stands for words it lacks. Which
        values lie under a label depends on the rows that it is applied to."""
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


def _cells(column: RecodingColumn) -> tuple[object, ...]:
    match column:
        case NumberColumn():
            return column.low
        case WordColumn():
            return column.sets
        case LabelColumn():
            return column.shown
    return ()


def _membership(column: WordColumn) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    has = np.zeros((len(column.sets), len(column.words) + 1), bool)
    for at, codes in enumerate(column.sets):
        has[at, list(codes)] = True
    return has


def level_recoding(policy: Policy, method: str, hierarchies: list[Hierarchy], levels: Levels) -> Recoding:
    """The recoding that a full-domain method leaves: one level of a hierarchy per quasi column."""
    columns = [
        LevelColumn(
            name=name, level=level, hierarchy=SavedHierarchy.of(policy.hierarchies.get(name), hierarchy)
        )
        for name, hierarchy, level in zip(policy.having("quasi"), hierarchies, levels, strict=True)
    ]
    return Recoding(policy, method, tuple(columns))


def class_recoding(policy: Policy, method: str, fitted: QuasiMatrix, ranges: Ranges) -> Recoding:
    """Every different class once; all records of a class show its box."""
    columns: list[tuple[Build, list[Cell]]] = []
    for at, name in enumerate(fitted.names):
        if at in fitted.categories:
            words = fitted.categories[at].words
            columns.append((partial(_word_column, name, words), _word_sets(fitted.values, ranges, at)))
        else:
            columns.append((partial(_number_column, name, fitted.scales[at]), _ends(ranges, at)))
    return Recoding(policy, method, _different(columns))


def local_recoding(policy: Policy, method: str, local: LocalColumns, ranges: Ranges) -> Recoding:
    """The same with labels of hierarchies."""
    columns: list[tuple[Build, list[Cell]]] = []
    for at, column in enumerate(local.columns):
        if isinstance(column, LocalNumbers):
            columns.append((partial(_number_column, column.name, column.scale), _ends(ranges, at)))
        elif column.as_sets:
            sets = _word_sets(local.values, ranges, at)
            columns.append((partial(_word_column, column.name, tuple(column.words)), sets))
        else:
            labels, label_of = column.labels(ranges, at)
            saved = SavedHierarchy.of(policy.hierarchies[column.name], column.hierarchy)
            cells: list[Cell] = [(label,) for label in label_of.tolist()]
            columns.append((partial(_label_column, column.name, saved, tuple(labels)), cells))
    return Recoding(policy, method, _different(columns))


def _different(columns: list[tuple[Build, list[Cell]]]) -> tuple[RecodingColumn, ...]:
    """The columns with every different class once."""
    classes = dict.fromkeys(zip(*(cells for _, cells in columns), strict=True))
    by_column = zip(*classes, strict=True)
    return tuple(build(cells) for (build, _), cells in zip(columns, by_column, strict=True))


def _number_column(name: str, scale: int, cells: CellsOfClasses) -> NumberColumn:
    low, high = (tuple(cell[end] for cell in cells) for end in (0, 1))
    return NumberColumn(name=name, scale=scale, low=low, high=high)


def _word_column(name: str, words: tuple[str | None, ...], cells: CellsOfClasses) -> WordColumn:
    return WordColumn(name=name, words=words, sets=cells)


def _label_column(
    name: str, hierarchy: SavedHierarchy, labels: tuple[Label, ...], cells: CellsOfClasses
) -> LabelColumn:
    shown = tuple(label for (label,) in cells)
    return LabelColumn(name=name, hierarchy=hierarchy, labels=labels, shown=shown)


def _ends(ranges: Ranges, column: int) -> list[Cell]:
    first = ranges.starts[:-1]
    return list(zip(ranges.low[first, column].tolist(), ranges.high[first, column].tolist(), strict=True))


def _word_sets(values: Ints, ranges: Ranges, column: int) -> list[Cell]:
    codes = values[ranges.order, column]
    parts = np.split(codes, ranges.starts[1:-1])
    return [tuple(np.unique(part).tolist()) for part in parts]
