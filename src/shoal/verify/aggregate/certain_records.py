"""What is certain given f: cells that all candidates of a person agree on.

Somebody who knows aggregates of a person finds a class. A column in which all its records show the same
value is then certain. So is a column that the class has opened, if what is known determines it: the known
sums, less what the exact cells add to them, are equations in the opened cells. A column that the known
sums determine whatever was opened (the difference of two of them) is certain for everybody.
"""

from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.policy.model.expression import ColumnTerm, Expression, linear_form
from shoal.verify.cells.published_table import Cells


def certain_records(
    trees: tuple[Expression, ...], also: tuple[str, ...], cells: dict[str, Cells], classes: Ints
) -> dict[str, int]:
    """For how many records each column is certain to somebody who does not know it already.

    >>> nowhere = np.zeros(2, bool)
    >>> a = Cells(np.array([0, 0]), np.array([1, 1]), 0, nowhere, nowhere)
    >>> b = Cells(np.array([5, 3]), np.array([5, 3]), 0, nowhere, nowhere)
    >>> c = Cells(np.array([3, 5]), np.array([3, 5]), 0, nowhere, nowhere)
    >>> from shoal.policy.model.expression import parse_expression
    >>> certain_records((parse_expression("a + b + c"),), (), {"a": a, "b": b, "c": c}, np.array([0, 0]))
    {'a': 2, 'b': 0, 'c': 0}
    """
    order = np.argsort(classes, kind="stable")
    ordered = classes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(order)))

    def same(values: Any) -> Bools:
        placed = values[order]
        return np.asarray(np.minimum.reduceat(placed, starts) == np.maximum.reduceat(placed, starts))

    names = list(cells)
    agree = np.array([same(one.low) & same(one.high) for one in cells.values()])
    ranged = [(one.low < one.high)[order] for one in cells.values()]
    opened = np.array([np.logical_or.reduceat(anywhere, starts) for anywhere in ranged])
    common = (agree | ~opened).all(axis=0)  # the same columns opened to the same ranges
    certain = agree & ~opened
    sums = _equations(trees, also, names)
    patterns, of_class = np.unique(opened.T, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        computed = _determined(sums[:, pattern]) if pattern.any() else np.zeros(0, bool)
        here = (of_class.ravel() == number) & common
        certain[np.ix_(np.flatnonzero(pattern)[computed], np.flatnonzero(here))] = True
    certain[_determined(sums)] = True
    return {name: int(sizes[certain[at]].sum()) for at, name in enumerate(names) if name not in also}


def _equations(trees: tuple[Expression, ...], also: tuple[str, ...], names: list[str]) -> Floats:
    """One row per linear aggregate or column that is known."""
    known = [*trees, *(ColumnTerm(name) for name in also if name in names)]
    forms = [form for tree in known if (form := linear_form(tree)) is not None]
    rows = [[float(form.weights.get(name, 0)) for name in names] for form in forms]
    return np.array(rows).reshape(len(forms), len(names))


def _determined(equations: Floats) -> Bools:
    """Which unknowns a system of linear equations determines.

    >>> _determined(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])).tolist()
    [False, False, True]
    """
    rank = np.linalg.matrix_rank(equations) if len(equations) else 0
    unknowns = np.eye(equations.shape[1])
    return np.array(
        [rank > 0 and np.linalg.matrix_rank(np.vstack([equations, row])) == rank for row in unknowns], bool
    )
