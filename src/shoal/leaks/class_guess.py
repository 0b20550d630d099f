"""What the class alone lets one guess of a hidden cell: what a leak has to beat.

Whoever finds the class of a person knows at best how frequent each value is in it, and names the most
frequent one; or the middle one, if being near is enough.
"""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.leaks.prediction import combined_codes


def best_guess(classes: Ints, codes: Ints, k: int) -> Floats:
    """The chance of each row that the most frequent value of its class is its own; 1/k in a class of which
    one row alone is known.

    >>> best_guess(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7]), 2).round(2).tolist()
    [0.67, 0.67, 0.67, 0.5]
    """
    pairs = combined_codes(classes, codes)
    most = np.zeros(int(classes.max(initial=0)) + 1, np.int64)
    np.maximum.at(most, classes, np.bincount(pairs)[pairs])
    sizes = np.bincount(classes)
    return np.where(sizes[classes] > 1, most[classes] / sizes[classes], 1 / k)


def middle_error(classes: Ints, line: Floats) -> Floats:
    """How far each value lies from the middle one of its class; NaN in a class of one row."""
    rows = np.flatnonzero(~np.isnan(line))
    order = rows[np.lexsort((line[rows], classes[rows]))]
    sizes = np.bincount(classes[rows], minlength=int(classes.max(initial=0)) + 1)
    starts = np.cumsum(sizes) - sizes
    found = np.full(len(sizes), np.nan)
    several = sizes > 1
    low, high = (starts + (sizes - 1) // 2)[several], (starts + sizes // 2)[several]
    found[several] = (line[order[low]] + line[order[high]]) / 2
    return np.asarray(np.abs(line - found[classes]))


def room(classes: Ints, line: Floats) -> tuple[Floats, Floats]:
    """The ends between which a guess is nearer to a row's value than to any other value of its class; NaN in
    a class of one row, to which any guess would be the nearest.

    >>> [side.tolist() for side in room(np.zeros(3, int), np.array([10.0, 20.0, 20.0]))]
    [[-inf, 15.0, 15.0], [15.0, inf, inf]]
    """
    order = np.lexsort((line, classes))
    own, of_class = line[order], classes[order]
    new = np.append(True, (np.diff(own) != 0) | (np.diff(of_class) != 0))
    run = np.cumsum(new) - 1
    values, owners = own[new], of_class[new]
    same = np.diff(owners) == 0
    halves = (values[1:] + values[:-1]) / 2
    low = np.append(-np.inf, np.where(same, halves, -np.inf))
    high = np.append(np.where(same, halves, np.inf), np.inf)
    ends = np.empty((2, len(line)))
    ends[0][order], ends[1][order] = low[run], high[run]
    ends[:, np.bincount(classes)[classes] == 1] = np.nan
    return ends[0], ends[1]
