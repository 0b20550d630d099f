"""Rows that share all that is known with enough others, which may be published as they are."""

import numpy as np

from shoal.arrays import AnyArray, Bools, Ints
from shoal.methods.diversity import Diversity


def shared_rows(code: AnyArray, k: int, diversity: Diversity) -> tuple[Bools, Ints]:
    """Which rows share their code with k or more that are diverse enough, and a class for each of them.

    What it says of a row depends only on the rows with its code.

    >>> safe, classes = shared_rows(np.array([7, 3, 7, 5, 5]), 2, Diversity.none(5))
    >>> safe.tolist(), classes.tolist()
    ([True, False, True, True, True], [1, 1, 0, 0])
    """
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    sizes = np.diff(np.append(starts, len(order)))
    enough = sizes >= k
    if diversity:
        for number in np.flatnonzero(enough):
            enough[number] = diversity.holds(order[starts[number] : starts[number] + sizes[number]])
    class_of = np.empty(len(code), np.int64)
    class_of[order] = np.repeat(np.cumsum(enough) - 1, sizes)
    safe = np.empty(len(code), bool)
    safe[order] = np.repeat(enough, sizes)
    return safe, class_of[safe]
