"""The classes of equal joint images, where keys alone do not tell.

Records with equal keys (``joint_keys``) admit the same combinations. Of some aggregates the converse does not
hold: x * y over ([0, 1], 6) and (6, [0, 1]) is 0 or 6. So where a class is too small and another one has the
same ends in every aggregate, which records of one class must have, their combinations are compared point by
point. Boxes with more than ``MOST_POINTS`` are not; then it is left open whether their classes are one, and a
record is undecided if that would be enough.

Aggregates that share no column are known independently of each other, so each group of them is looked at on
its own.
"""

from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.classes import class_numbers, one_of_each
from shoal.policy.model import expression as ex
from shoal.verify.aggregate.grid import width_of
from shoal.verify.aggregate.image import comparable_ends, image_of
from shoal.verify.aggregate.joint_keys import CellsByColumn, connected_aggregates, joint_keys, tells_all
from shoal.verify.cells.published_table import Cells

MOST_POINTS = 50_000  # of one box
AT_MOST = 5_000_000  # points of all boxes


def joint_classes(
    trees: tuple[ex.Expression, ...], cells: CellsByColumn, known: list[Ints], k: int
) -> tuple[Ints, Bools]:
    """The class of every record, and which records are in a smaller class than k that may be larger.

    >>> nowhere = np.zeros(2, bool)
    >>> x = Cells(np.array([0, 6]), np.array([1, 6]), 0, nowhere, nowhere)
    >>> y = Cells(np.array([6, 0]), np.array([6, 1]), 0, nowhere, nowhere)
    >>> numbers, undecided = joint_classes((ex.parse_expression("x * y"),), {"x": x, "y": y}, [], 2)
    >>> numbers.tolist(), undecided.tolist()
    ([0, 0], [False, False])
    """
    groups = [(group, {name: cells[name] for tree in group for name in ex.columns_of(tree)})
              for group in connected_aggregates(trees)]  # fmt: skip
    numbers = [class_numbers(joint_keys(group, own)) for group, own in groups]
    found = class_numbers([*numbers, *known]) if len(numbers) + len(known) > 1 else numbers[0]
    small = np.bincount(found)[found] < k
    if not small.any():
        return found, small
    largest = list(numbers)
    for at, (group, own) in enumerate(groups):
        if not tells_all(group, own):
            numbers[at], largest[at] = _compared(group, own, numbers[at], small)
    found, possible = class_numbers([*numbers, *known]), class_numbers([*largest, *known])
    sizes, most = np.bincount(found)[found], np.bincount(possible)[possible]
    return found, (sizes < k) & (most >= k)


def _compared(
    trees: list[ex.Expression], cells: CellsByColumn, numbers: Ints, small: Bools
) -> tuple[Ints, Ints]:
    """The classes in which those with the same combinations are one, and the classes in which also those are
    that could not be compared. Only where small ones are concerned."""
    hulls = class_numbers([end for tree in trees for end in comparable_ends(image_of(tree, cells))])
    records = one_of_each(numbers)
    hull_of = hulls[records]
    concerned = np.zeros(int(hulls.max()) + 1, bool)
    concerned[hulls[small]] = True
    concerned &= np.bincount(hull_of, minlength=len(concerned)) > 1
    points = _points(cells, records)
    same, possible = np.arange(len(records)), np.arange(len(records))
    left = AT_MOST
    order = np.argsort(hull_of, kind="stable")
    for alike in np.split(order, np.flatnonzero(np.diff(hull_of[order])) + 1):
        if not concerned[hull_of[alike[0]]]:
            continue
        needed = points[alike].sum()
        if points[alike].max() > MOST_POINTS or needed > left:
            possible[alike] = alike[0]
            continue
        left -= int(needed)
        same[alike] = alike[_same_combinations(trees, cells, records[alike])]
        possible[alike] = same[alike]
    return same[numbers], possible[numbers]


def _points(cells: CellsByColumn, records: Ints) -> Floats:
    """How many grid points the box of each of these records has."""
    points = np.ones(len(records))
    for column in cells.values():
        points = points * (width_of(column)[records].astype(np.float64) + 1)
    return points


def _same_combinations(trees: list[ex.Expression], cells: CellsByColumn, records: Ints) -> Ints:
    """For each of these records, the first one whose box admits the same combinations."""
    boxes = [_grid(cells, int(record)) for record in records]
    ends = np.cumsum([len(box[0]) for box in boxes])[:-1]
    nowhere = np.zeros(sum(len(box[0]) for box in boxes), bool)
    exact = {}
    for at, (name, column) in enumerate(cells.items()):
        units = np.concatenate([box[at] for box in boxes])
        exact[name] = Cells(units, units, column.scale, nowhere, nowhere)
    combinations = class_numbers([comparable_ends(image_of(tree, exact))[0] for tree in trees])
    first: dict[bytes, int] = {}
    images = [np.unique(part).tobytes() for part in np.split(combinations, ends)]
    return np.array([first.setdefault(image, at) for at, image in enumerate(images)])


def _grid(cells: CellsByColumn, record: int) -> list[Any]:
    """All points of a box, column by column."""
    sides = [np.arange(int(one.high[record]) - int(one.low[record]) + 1) + one.low[record]
             for one in cells.values()]  # fmt: skip
    return [side.ravel() for side in np.meshgrid(*sides, indexing="ij")]
