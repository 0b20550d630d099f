"""What a distance of sensitive values goes by: their ranks, or the labels of their hierarchy."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import categories_from_arrow
from shoal.table.columns.same_value import value_of
from shoal.verify.cells.cell_codes import STAR, cell_codes
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.published_table import BadCells, PublishedTable


@dataclass(frozen=True)
class Ranks:
    """The rank of every cell, and how many ranks there are."""

    of_cell: Ints
    count: int

    @classmethod
    def among(cls, places: Any) -> "Ranks":
        """Ranks among the places that occur."""
        different, ranks = np.unique(places, return_inverse=True)
        return cls(ranks.astype(np.int64), len(different))


def value_ranks(published: PublishedTable, name: str, order: tuple[str, ...]) -> Ranks:
    """Ranks by the order that is declared, in which words that do not occur have their ranks too; else of
    numbers or dates by themselves, those that occur."""
    if order or not are_numbers(published, name):
        return _ranked_words(published, name, order)
    cells = cell_codes(published, name)
    ranks = np.unique(cells.codes, return_inverse=True)[1]
    last = len(ranks) + cells.hidden.astype(np.int64)  # suppressed, then missing
    return Ranks.among(np.where(cells.hidden > 0, last, ranks))


def are_numbers(published: PublishedTable, name: str) -> bool:
    """Whether every published cell of a column is one number, not a range or a word."""
    try:
        cells = published.cells(name)
    except BadCells:
        return False
    return bool(np.array_equal(cells.low, cells.high))


def _ranked_words(published: PublishedTable, name: str, given: tuple[str, ...]) -> Ranks:
    """Ranks of words by the order that the policy gives; dates have one by themselves. Suppressed and missing
    come last."""
    column = categories_from_arrow(published.table.column(name))
    words = [word for word in column.words if word not in (None, STAR)]
    order = [value_of(word) for word in given] or sorted(words)
    strange = [word for word in words if word not in order] if given else [
        word for word in words if len(word) < 10 or word[4] + word[7] != "--"
    ]  # fmt: skip
    if strange:
        raise ShoalError(
            f"{len(strange):,} values of {name!r} have no place in an order",
            'list all of them from low to high in order = ["...", "..."], or use distance = "equal".',
        )
    last = [word for word in (STAR, None) if word in column.words]
    place: dict[str | None, int] = {word: at for at, word in enumerate([*order, *last])}
    return Ranks(np.array([place[word] for word in column.words], np.int64)[column.codes], len(place))


def label_groups(whole: CellCounts, policy: Policy, values: Ints) -> tuple[list[Ints], list[int]]:
    """The label of every value on each level of the column's hierarchy, and how many there may be."""
    name, column = whole.name, categories_from_arrow(whole.cells)
    occurs: Counter[str | None] = Counter()
    for cell in np.argsort(column.codes).tolist():
        occurs[column.words[column.codes[cell]]] += int(whole.counts[cell])
    hierarchy = policy.hierarchies[name].of(list(occurs), list(occurs.values()), name)
    first = np.unique(values, return_index=True)[1]  # a record of each value
    words = [column.words[code] for code in column.codes[first].tolist()]
    leaves = hierarchy.codes(words)
    unknown = np.array([word != STAR for word in words]) & (leaves < 0)
    if unknown.any():
        raise ShoalError(
            f"{int(unknown.sum()):,} values of {name!r} are not in its hierarchy",
            "add a line for each of them.",
        )
    groups, sizes = [], []
    for level in hierarchy.levels[:-1]:  # a star is beside all labels but the top
        alone = len(level.labels)
        groups.append(np.where(leaves < 0, alone, level.group_of[leaves]))
        sizes.append(alone + 1)
    return [*groups, np.zeros(len(words), np.int64)], [*sizes, 1]
