"""What is certain given f: cells that all candidates of a person agree on.

Somebody who knows f finds a class. A column in which all its records show the same value is then certain.
So is the only column that the class has opened, if f is linear and all its records show the same range:
they have the same residual, and f minus the residual is the value.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.policy.expression import Node, linear_form
from shoal.verify.cells import Cells

Ints = NDArray[np.int64]


def certain_given_f(tree: Node, cells: dict[str, Cells], classes: Ints) -> dict[str, float]:
    """The share of records for which each column is certain.

    >>> nowhere = np.zeros(2, bool)
    >>> a = Cells(np.array([0, 0]), np.array([1, 1]), 0, nowhere, nowhere)
    >>> b = Cells(np.array([5, 3]), np.array([5, 3]), 0, nowhere, nowhere)
    >>> c = Cells(np.array([3, 5]), np.array([3, 5]), 0, nowhere, nowhere)
    >>> from shoal.policy.expression import parse
    >>> certain_given_f(parse("a + b + c"), {"a": a, "b": b, "c": c}, np.array([0, 0]))
    {'a': 1.0, 'b': 0.0, 'c': 0.0}
    """
    order = np.argsort(classes, kind="stable")
    ordered = classes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(order)))

    def same(values: Ints) -> NDArray[np.bool_]:
        placed = values[order]
        return np.asarray(np.minimum.reduceat(placed, starts) == np.maximum.reduceat(placed, starts))

    agree = {name: same(one.low) & same(one.high) for name, one in cells.items()}
    open_ones = {
        name: np.logical_or.reduceat((one.low < one.high)[order], starts) for name, one in cells.items()
    }
    opened = np.sum(list(open_ones.values()), axis=0)
    form = linear_form(tree)
    shares = {}
    for name in cells:
        computed = opened == (1 if form is not None and form.weights.get(name) else 0)
        certain = agree[name] & (~open_ones[name] | computed)
        shares[name] = round(float(sizes[certain].sum() / len(order)), 4)
    return shares
