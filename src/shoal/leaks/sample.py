"""Which rows of a large table are judged: some classes with all their rows, so that what a class lets one
guess can be seen; where classes are large, some rows of each. Where few cells of a column are hidden, such as
stars in a few classes, these rows are judged too.

Whatever is drawn has the smallest hashes, and so is the same in whatever order and parts rows are looked at.
"""

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.codes import hash_codes

ENOUGH = 10_000  # rows that are judged: what fills or narrows a tenth of the cells shows in far fewer
CLASSES = 30  # that are drawn, or else some rows of every class
HIDDEN = 1_000  # hidden cells of a column; with fewer in the rows that are drawn, more are drawn among them
SPREAD = 2  # times as many rows as asked for, at most, where some classes are larger than others


def judged_rows(rows: Ints, classes: Ints, count: int, different: int) -> Bools:
    """The rows to judge among these numbered ones, which are some of ``count`` in ``different`` classes. What
    is drawn depends on the numbers alone, wherever and in whatever order the rows are looked at."""
    if count <= ENOUGH:
        return np.ones(len(rows), bool)
    whole = different * ENOUGH >= CLASSES * count
    hashed = hash_codes([classes if whole else rows]).view(np.uint64)
    return np.asarray(hashed < np.uint64(ENOUGH / count * 2.0**64))


def limited_rows(rows: Ints) -> Ints:
    """The places of the rows that stay, if a large class has brought more than enough."""
    return lowest_hashes(rows, SPREAD * ENOUGH)


def lowest_hashes(rows: Ints, most: int) -> Ints:
    """The places of so many of these numbered rows, at most, that have the smallest hashes."""
    if len(rows) <= most:
        return np.arange(len(rows))
    return np.sort(np.argsort(hash_codes([rows]).view(np.uint64))[:most])


def hidden_sample_size(columns: int) -> int:
    """How many rows are drawn among those that hide a cell of a column, if that is done for so many."""
    return max(ENOUGH // columns, HIDDEN)


def classes_by_first_row(classes: Ints, rows: Ints) -> Ints:
    """Classes known by the first of their numbered rows, as engines know them that see some rows at a time.

    >>> classes_by_first_row(np.array([0, 1, 0]), np.array([7, 3, 5])).tolist()
    [5, 3, 5]
    """
    first = np.full(int(classes.max(initial=0)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, classes, rows)
    return np.asarray(first[classes])
