"""When equal ends mean equal images: the values an aggregate takes on the columns' own grid.

Over a box of whole numbers, a weighted sum takes the values of a sum of arithmetic progressions,
one per ranged column: steps |w| and as many of them as the range is wide. If the progressions fill
every multiple of their greatest common step, the ends say it all. If not, the steps and lengths
tell images apart, and the verifier counts records as alike only when these are alike too.
"""

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.policy import expression as ex
from shoal.verify.cells import Cells

Ints = NDArray[np.int64]


def grid_signature(tree: ex.Node, cells: dict[str, Cells]) -> list[Ints]:
    """What separates images with equal ends; empty when nothing can.

    >>> zero_one = Cells(np.array([0, 0]), np.array([0, 2]), 0, np.zeros(2, bool), np.zeros(2, bool))
    >>> y = Cells(np.array([0, 0]), np.array([1, 0]), 0, np.zeros(2, bool), np.zeros(2, bool))
    >>> bool(grid_signature(ex.parse("x + 2 * y"), {"x": zero_one, "y": y}))
    True
    """
    names = list(cells)
    form = ex.linear_form(tree)
    steps: dict[str, Fraction] = {}
    if form is not None:
        weights = {name: abs(form.weights.get(name, Fraction(0))) for name in names}
        steps = {name: weights[name] / 10 ** cells[name].scale for name in names}
        if len(set(steps.values()) - {Fraction(0)}) <= 1:
            return []
    widths = {name: cells[name].high - cells[name].low for name in names}
    if form is None:
        return _ranged_boxes(cells, widths)
    moving = [name for name in names if steps[name] and widths[name].any()]
    if len({steps[name] for name in moving}) <= 1:
        return []
    unit = lcm(*(steps[name].denominator for name in moving))
    whole = {name: int(steps[name] * unit) for name in moving}
    by_step = sorted(moving, key=lambda name: whole[name])
    full, common = _fills(by_step, whole, widths)
    return [np.where(full, common, -1)] + [
        np.where(full, 0, _total_width(by_step, whole, widths, step))
        for step in sorted({whole[name] for name in moving})
    ]


def _fills(names: list[str], steps: dict[str, int], widths: dict[str, Ints]) -> tuple[Any, Any]:
    """Does the sum take every multiple of its greatest common step, and which step is that?"""
    rows = len(next(iter(widths.values())))
    common, reach, full = np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.ones(rows, bool)
    for name in names:
        ranged = widths[name] > 0
        joined = np.gcd(common, np.where(ranged, steps[name], 0))
        first = common == 0
        # a new progression leaves no gap if its step divides evenly and is no longer than what is filled
        gapless = first | ((steps[name] % np.maximum(common, 1) == 0) & (steps[name] <= reach + common))
        full &= np.where(ranged, gapless, True)
        common = joined
        reach = reach + np.where(ranged, steps[name] * widths[name], 0)
    return full, common


def _total_width(names: list[str], steps: dict[str, int], widths: dict[str, Ints], step: int) -> Any:
    total = np.zeros(len(next(iter(widths.values()))), np.int64)
    for name in names:
        if steps[name] == step:
            total = total + widths[name]
    return total


def _ranged_boxes(cells: dict[str, Cells], widths: dict[str, Ints]) -> list[Ints]:
    """Other aggregates: records are alike when the same columns are opened to the same ranges."""
    signature: list[Ints] = []
    for name, width in widths.items():
        if width.any():
            opened = width > 0
            signature += [np.where(opened, cells[name].low, 0), width]
    return signature
