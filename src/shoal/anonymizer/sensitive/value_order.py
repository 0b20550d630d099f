"""The sensitive values of t-closeness in the order in which a method walks through them."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.hierarchy.hierarchy import Hierarchy
from shoal.policy.model.guarantee import TCloseness
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.same_value import value_of

DATE = re.compile(r"\d{4}-\d{2}-\d{2}")  # dates sort as they are written


@dataclass(frozen=True)
class ValueOrder:
    """The place of every word, and of every place on how many levels it begins a new group. Of an order,
    ``levels`` is how many values were declared, whether they occur or not; 0 if none were."""

    of_word: Ints
    borders: list[float]
    levels: int = 1


def value_order(asked: TCloseness, column: Categories, policy: Policy) -> ValueOrder:
    """Values in their order, which for a tree is one in which every group lies together."""
    if asked.distance == "hierarchical":
        return _in_tree(asked, column, policy)
    placed = np.arange(len(column.words))
    if asked.distance != "ordered":
        return ValueOrder(placed, [1.0] * len(column.words))
    placed = ranks(column.words, asked.sensitive, asked.order)
    count = max(int(placed.max(initial=0)) + 1, len(asked.order))
    return ValueOrder(placed, [1.0] * count, levels=len(asked.order))


def ranks(words: tuple[str | None, ...], name: str, order: tuple[str, ...] = ()) -> Ints:
    """The place of every word of a column in the order of its values; missing comes last. In an order that is
    declared, all of its words have a place, whether they occur or not.

    >>> ranks(("10", "9", "9.0", None), "pay").tolist()
    [1, 0, 0, 2]
    """
    there = [word for word in words if word is not None]
    if order:
        place: dict[Any, int] = {value_of(word): at for at, word in enumerate(order)}
        unknown = sum(word not in place for word in there)
        if unknown:
            raise ShoalError(
                f"{unknown:,} values of {name!r} are not in the order that the guarantee gives",
                "add them to the list, from low to high.",
            )
        return np.array([len(place) if word is None else place[word] for word in words], np.int64)
    numbers = numbers_of(there)
    if numbers is None and not all(DATE.match(word) for word in there):
        raise ShoalError(
            f"the values of {name!r} are words, which have no order of their own",
            'list them from low to high in order = ["...", "..."], or use distance = "equal".',
        )
    sortable = sorted(set(numbers or there))
    rank = {value: at for at, value in enumerate(sortable)}
    found = iter(numbers or there)
    return np.array([len(rank) if word is None else rank[next(found)] for word in words], np.int64)


def numbers_of(words: list[str]) -> list[Any] | None:
    """The numbers that the words stand for, or nothing if one of them is no finite number."""
    try:
        numbers = [Decimal(word) for word in words]
    except InvalidOperation:
        return None
    return numbers if all(number.is_finite() for number in numbers) else None


def _in_tree(asked: TCloseness, column: Categories, policy: Policy) -> ValueOrder:
    """Leaves in the order of the tree, and on how many levels each begins a new group."""
    hierarchy = policy.hierarchies[asked.sensitive].over(column, asked.sensitive)
    leaves = leaves_of_words(hierarchy, column, asked.sensitive)
    groups = np.column_stack([level.group_of for level in hierarchy.levels])
    order = np.lexsort(groups.T)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    inside = groups[order][:, : hierarchy.height]
    borders = np.append(hierarchy.height, (inside[1:] != inside[:-1]).sum(axis=1))
    return ValueOrder(place[leaves], borders.astype(float).tolist(), hierarchy.height)


def leaves_of_words(hierarchy: Hierarchy, column: Categories, name: str) -> Ints:
    """The leaf of every word."""
    leaves = hierarchy.codes(column.words)
    if unknown := int((leaves < 0).sum()):
        raise ShoalError(
            f"{unknown:,} values of {name!r} are not in its hierarchy", "add a line for each of them."
        )
    return np.asarray(leaves, np.int64)
