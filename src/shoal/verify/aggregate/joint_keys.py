"""The joint image: what someone who knows several aggregates of a record at once can tell apart.

Equal ranges of each aggregate alone are not enough: two sums may both fit and never fit together. The
joint image of a record is the set of combinations (f1, ..., fm) that its box admits; records with the
same joint image cannot be told apart.

- Aggregates that share no column, not even through others, are known independently of each other.
- Linear aggregates: the image is f at one corner of the box plus, for every column, a multiple of the
  column's weights from 0 to the width of its range. The corner is where the first aggregate that reads a
  column is least, so that weights and their opposites are alike. Columns with the same weights add up. So the
  values at the corner and the widths per weights say it all; and the image tells them, unless some weights
  are multiples of others: a sum of segments that are not parallel has one set of them.
- Others: the same columns are opened to the same ranges, and the exact cells come to the same in every
  aggregate (in a sum, product, minimum, maximum or norm), or are the same.
"""

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from shoal.policy.model import expression as ex
from shoal.verify.aggregate.grid import grid_signature, open_ranges, width_of
from shoal.verify.aggregate.image import comparable_ends, image_of
from shoal.verify.cells.published_table import Cells

CellsByColumn = dict[str, Cells]


def joint_keys(trees: list[ex.Expression], cells: CellsByColumn) -> list[Any]:
    """Keys that are all equal only for records with the same joint image of aggregates that share columns.

    >>> nowhere = np.zeros(2, bool)
    >>> a = Cells(np.array([0, 1]), np.array([1, 1]), 0, nowhere, nowhere)
    >>> b = Cells(np.array([1, 0]), np.array([1, 1]), 0, nowhere, nowhere)
    >>> [key.tolist() for key in joint_keys([ex.parse_expression("a + b")], {"a": a, "b": b})]
    [[1, 1], [2, 2]]
    >>> both = [ex.parse_expression("a + b"), ex.parse_expression("a")]
    >>> [key.tolist() for key in joint_keys(both, {"a": a, "b": b})]
    [[1, 1], [0, 1], [1, 0], [0, 1]]
    """
    if len(trees) == 1:
        return _single(trees[0], cells)
    return _linear(trees, cells) if _are_linear(trees) else _any(trees, cells)


def tells_all(trees: list[ex.Expression], cells: CellsByColumn) -> bool:
    """Do different keys of aggregates that share columns mean different images?

    >>> nowhere = np.zeros(1, bool)
    >>> open_cell = Cells(np.array([0]), np.array([3]), 0, nowhere, nowhere)
    >>> cells = dict.fromkeys("ab", open_cell)
    >>> [tells_all([ex.parse_expression(text)], cells) for text in ("a + b", "a + 2 * b", "a * b")]
    [True, False, False]
    >>> tells_all([ex.parse_expression("a + 2 * b"), ex.parse_expression("a - b")], cells)
    True
    """
    if len(trees) == 1:
        return not grid_signature(trees[0], cells, np.ones(len(next(iter(cells.values())).low), bool))
    if not _are_linear(trees):
        return False
    directions = [weights for weights, widths in _widths(trees, cells).items() if np.any(widths)]
    return len({_direction(weights) for weights in directions}) == len(directions)


def _are_linear(trees: list[ex.Expression]) -> bool:
    return all(ex.linear_form(tree) is not None for tree in trees)


def connected_aggregates(trees: tuple[ex.Expression, ...]) -> list[list[ex.Expression]]:
    """Aggregates that share columns, directly or through others, together."""
    groups: list[tuple[set[str], list[ex.Expression]]] = []
    for tree in trees:
        columns, members = set(ex.columns_of(tree)), [tree]
        for group in [group for group in groups if group[0] & columns]:
            columns, members = columns | group[0], group[1] + members
            groups.remove(group)
        groups.append((columns, members))
    return [members for _, members in groups]


def _single(tree: ex.Expression, cells: CellsByColumn) -> list[Any]:
    image = image_of(tree, cells)
    return [*comparable_ends(image), *grid_signature(tree, cells, image.low < image.high)]


def _linear(trees: list[ex.Expression], cells: CellsByColumn) -> list[Any]:
    corner = {}
    for name, one in cells.items():
        end = one.high if _first(_weights(trees, name, one)) < 0 else one.low
        corner[name] = Cells(end, end, one.scale, one.suppressed, one.missing)
    keys = [comparable_ends(image_of(tree, corner))[0] for tree in trees]
    return [*keys, *_widths(trees, cells).values()]


def _widths(trees: list[ex.Expression], cells: CellsByColumn) -> dict[tuple[Fraction, ...], Any]:
    """How far the columns of each weights reach together; weights and their opposites are the same."""
    widths: dict[tuple[Fraction, ...], Any] = {}
    for name, column in cells.items():
        weights = _weights(trees, name, column)
        if any(weights):
            positive = tuple(-weight for weight in weights) if _first(weights) < 0 else weights
            widths[positive] = widths.get(positive, 0) + width_of(column)
    return widths


def _weights(trees: list[ex.Expression], name: str, column: Cells) -> tuple[Fraction, ...]:
    """The weights by which a step of a column moves each of these linear aggregates."""
    forms = [form for tree in trees if (form := ex.linear_form(tree)) is not None]
    return tuple(form.weights.get(name, Fraction(0)) / 10**column.scale for form in forms)


def _first(weights: tuple[Fraction, ...]) -> Fraction:
    return next((weight for weight in weights if weight), Fraction(0))


def _direction(weights: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(weight / _first(weights) for weight in weights)


def _any(trees: list[ex.Expression], cells: CellsByColumn) -> list[Any]:
    """A record without ranges admits one combination, whatever its cells are."""
    exact = np.logical_and.reduce([one.low == one.high for one in cells.values()])
    values = [comparable_ends(image_of(tree, cells))[0] for tree in trees]
    parts = [key for tree in trees for key in _exact_part(tree, cells)]
    return [
        *open_ranges(cells),
        exact,
        *(np.where(exact, value, 0) for value in values),
        *(np.where(exact, 0, part) for part in parts),
    ]


def _exact_part(tree: ex.Expression, cells: CellsByColumn) -> list[Any]:
    """What the exact cells of a record come to in an aggregate."""
    own = {name: cells[name] for name in ex.columns_of(tree)}
    neutral = _neutral(tree, own)
    if neutral is None:
        return [np.where(one.low == one.high, one.low, 0) for one in own.values()]
    exact = {}
    for name, one in own.items():
        point = np.where(one.low == one.high, one.low, neutral * 10**one.scale)
        exact[name] = Cells(point, point, one.scale, one.suppressed, one.missing)
    return [comparable_ends(image_of(tree, exact))[0]]


def _neutral(tree: ex.Expression, cells: CellsByColumn) -> int | None:
    """A value that leaves the others alone in this aggregate; None if there is none."""
    if ex.linear_form(tree) is not None:
        return 0
    match tree:
        case ex.Combine(function, parts) if all(
            isinstance(part, ex.ColumnTerm | ex.Constant) for part in parts
        ):
            ends = [Fraction(int(end), 10**one.scale) for one in cells.values()
                    for end in (one.low.min(), one.high.max())]  # fmt: skip
            constants = [part.value for part in parts if isinstance(part, ex.Constant)]
            largest, smallest = ceil(max(ends + constants)), floor(min(ends + constants))
            return {"product": 1, "norm": 0, "min": largest, "max": smallest}.get(function)
    return None
