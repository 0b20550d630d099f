"""Which rows of a large table are judged: some classes with all their rows, so that what a class lets one
guess can be seen; where classes are large, some rows of each."""

import numpy as np
from numpy.typing import NDArray

from shoal.leaks.column import Ints
from shoal.methods.codes import mixed

ENOUGH = 10_000  # rows that are judged: what fills or narrows a tenth of the cells shows in far fewer
CLASSES = 30  # that are drawn, or else some rows of every class
SPREAD = 2  # times as many rows as asked for, at most, where some classes are larger than others


def judged_rows(rows: Ints, classes: Ints, count: int, different: int) -> NDArray[np.bool_]:
    """Of these numbered rows, which are some of ``count`` in ``different`` classes. What is drawn depends on
    the numbers alone, wherever and in whatever order the rows are looked at."""
    if count <= ENOUGH:
        return np.ones(len(rows), bool)
    whole = different * ENOUGH >= CLASSES * count
    hashed = mixed([classes if whole else rows]).view(np.uint64)
    return np.asarray(hashed < np.uint64(ENOUGH / count * 2.0**64))


def not_too_many(rows: Ints) -> Ints:
    """The places of the rows that stay, if a large class has brought more than enough."""
    if len(rows) <= SPREAD * ENOUGH:
        return np.arange(len(rows))
    return np.sort(np.argsort(mixed([rows]))[: SPREAD * ENOUGH])
