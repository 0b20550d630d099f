"""When equal ends mean equal images: the values an aggregate takes on the columns' own grid.

- Sums, minima, maxima and medians of columns on one grid move by one step or not at all when one
  cell does, so they take every step between their ends: the ends say it all.
- A weighted sum takes the values of a sum of arithmetic progressions, one per ranged column: steps
  |w| and as many of them as the range is wide. Progressions that leave no gap between them merge;
  those that remain tell images apart.
- Other aggregates are alike when the same columns are opened to the same ranges and the exact cells
  come to the same. Each column occurs once, so the image of an expression follows from the images of
  its parts, and the exact parts of a sum, product, minimum, maximum or norm come to one number, which
  the ends give away. Of other parts, the ends have to be alike one by one.
"""

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from shoal.arrays import Bools
from shoal.policy.model import expression as ex
from shoal.verify.aggregate.image import SAFE, comparable_ends, image_of
from shoal.verify.cells.published_table import Cells


def grid_signature(tree: ex.Expression, cells: dict[str, Cells], varies: Bools) -> list[Any]:
    """What separates images with equal ends, for the records whose ends differ; empty when nothing can.

    >>> nowhere = np.zeros(2, bool)
    >>> x = Cells(np.array([0, 0]), np.array([0, 2]), 0, nowhere, nowhere)
    >>> y = Cells(np.array([0, 0]), np.array([1, 0]), 0, nowhere, nowhere)
    >>> [key.tolist() for key in grid_signature(ex.parse_expression("x + 2 * y"), {"x": x, "y": y}, ~nowhere)]
    [[2, 1], [0, 0], [2, 2], [0, 0]]
    >>> grid_signature(ex.parse_expression("x + y"), {"x": x, "y": y}, ~nowhere)
    []
    """
    if even_step(tree, cells) is not None:
        return []
    form = ex.linear_form(tree)
    keys = open_ranges(cells) + _inner_ends(tree, cells) if form is None else _progressions(form, cells)
    return [np.where(varies, key, 0) for key in keys]


def any_total_fits(tree: ex.Expression, cells: dict[str, Cells]) -> bool:
    """Is f a plain sum or average, so that one unknown cell leaves every total open?"""
    form = ex.linear_form(tree)
    steps = {} if form is None else _steps(form, cells)
    return len(set(steps.values())) == 1 and all(steps.values())


def _steps(form: ex.Linear, cells: dict[str, Cells]) -> dict[str, Fraction]:
    return {name: abs(weight) / 10 ** cells[name].scale for name, weight in form.weights.items()}


def even_step(tree: ex.Expression, cells: dict[str, Cells]) -> Fraction | None:
    """The step of which all values are multiples and by which f moves at most when one cell does.

    >>> nowhere = np.zeros(1, bool)
    >>> cents = Cells(np.array([150]), np.array([150]), 2, nowhere, nowhere)
    >>> even_step(ex.parse_expression("max(a, b) - 3"), {"a": cents, "b": cents})
    Fraction(1, 100)
    """
    match tree:
        case ex.ColumnTerm(name):
            return Fraction(1, 10 ** cells[name].scale)
        case ex.Negate(part):
            return even_step(part, cells)
        case ex.Divide(part, ex.Constant(value)):
            return _stretched(even_step(part, cells), 1 / value)
        case ex.Combine("product", (ex.Constant(value), part) | (part, ex.Constant(value))):
            return _stretched(even_step(part, cells), value)
        case ex.Combine("sum" | "avg" | "min" | "max" | "median", parts):
            constants = [part.value for part in parts if isinstance(part, ex.Constant)]
            steps = {even_step(part, cells) for part in parts if not isinstance(part, ex.Constant)}
            step = steps.pop() if len(steps) == 1 else None
            if step is None or any(value % step for value in constants):
                return None
            return step / _shares(tree.function, len(parts))
    return None


def _stretched(step: Fraction | None, factor: Fraction) -> Fraction | None:
    return step * abs(factor) if step and factor else None


def _shares(function: str, parts: int) -> int:
    """The factor by which a move of one part counts less in the whole."""
    return {"avg": parts, "median": 2 - parts % 2}.get(function, 1)


def _progressions(form: ex.Linear, cells: dict[str, Cells]) -> list[Any]:
    """Step and length of the progressions that are left when all that leave no gap have merged."""
    steps = {name: step for name, step in _steps(form, cells).items() if step}
    widths = {name: width_of(cells[name]) for name in steps}
    steps = {name: step for name, step in steps.items() if widths[name].any()}
    if len(set(steps.values())) <= 1:
        return []
    unit = lcm(*(step.denominator for step in steps.values()))
    whole = {name: int(step * unit) for name, step in steps.items()}
    farthest = sum(whole[name] * int(widths[name].max()) for name in whole)
    kind = np.int64 if farthest < SAFE else object
    rows = np.arange(len(widths[next(iter(whole))]))
    step = np.zeros((len(whole), len(rows)), kind)
    reach, at = step.copy(), np.zeros(len(rows), np.int64)
    for name, own in sorted(whole.items(), key=lambda item: item[1]):
        ranged, before = widths[name] > 0, step[at, rows]
        gapless = (own % np.maximum(before, 1) == 0) & (own <= reach[at, rows] + before)
        at = at + (ranged & (before > 0) & ~gapless)
        step[at, rows] = np.where(ranged & (step[at, rows] == 0), own, step[at, rows])
        reach[at, rows] += widths[name].astype(kind) * own
    return [*step, *reach]


def width_of(column: Cells) -> Any:
    """The width of each range, in units, beyond 64 bits where need be."""
    image = image_of(ex.ColumnTerm("x"), {"x": column})
    ends = image.holding(image.reach)
    return ends.high - ends.low


def open_ranges(cells: dict[str, Cells]) -> list[Any]:
    """The ranges of the columns that are not exact."""
    return [
        np.where(column.low < column.high, end, 0)
        for column in cells.values()
        if np.any(column.low < column.high)
        for end in (column.low, column.high)
    ]


def _inner_ends(tree: ex.Expression, cells: dict[str, Cells]) -> list[Any]:
    """Ends of the parts that the ends of the whole leave open; -1 where a part leaves nothing open."""
    kind, parts = _taken_apart(tree)
    if kind == "power" and _symmetric(parts[0], cells):
        return []
    images = [image_of(part, cells) for part in parts]
    ranged = [image.low < image.high for image in images]
    one_by_one: Any = kind == "product" and not all(_symmetric(part, cells) for part in parts)
    if kind == "median":  # a single range among an odd number of parts is only cut off at its ends
        one_by_one = np.sum(ranged, axis=0) > len(parts) % 2
    keys: list[Any] = []
    for part, image, varies in zip(parts, images, ranged, strict=True):
        left_open = varies & _reads_several(part) | one_by_one
        keys += [np.where(left_open, end, -1) for end in comparable_ends(image)]
        keys += [np.where(varies, key, -1) for key in _inner_ends(part, cells)]
    return [key for key in keys if np.any(key != -1)]


def _taken_apart(tree: ex.Expression) -> tuple[str, list[ex.Expression]]:
    """What joins the parts of an expression, signs and constant factors aside, and the parts."""
    match tree:
        case ex.Negate(part) | ex.Divide(part, ex.Constant()):
            return _taken_apart(part)
        case ex.Combine("product", (ex.Constant(), part) | (part, ex.Constant())):
            return _taken_apart(part)
        case ex.Power(part, _):
            return "power", [part]
        case ex.Divide(top, bottom):
            return "product", [*_merged("product", top), *_merged("product", bottom)]
        case ex.Combine("sum" | "avg", parts):
            return "sum", [one for part in parts for one in _merged("sum", part)]
        case ex.Combine("product", parts):
            return "product", [one for part in parts for one in _merged("product", part)]
        case ex.Combine(function, parts):
            return function, list(parts)
    return "cell", []


def _merged(kind: str, tree: ex.Expression) -> list[ex.Expression]:
    """A sum inside a sum, or a product inside a product, as parts of the outer one."""
    inner, parts = _taken_apart(tree)
    return parts if inner == kind else [tree]


def _reads_several(tree: ex.Expression) -> bool:
    return len(list(ex.columns_of(tree))) > 1


def _symmetric(tree: ex.Expression, cells: dict[str, Cells]) -> bool:
    """Are its values symmetric around the middle of its ends, or between powers of such ends?"""
    if isinstance(tree, ex.Power):
        return _symmetric(tree.part, cells)
    return ex.linear_form(tree) is not None or even_step(tree, cells) is not None
