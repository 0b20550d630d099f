"""The other reading of suppressed and missing cells, in which they match anything.

It makes classes look larger than they are to an attacker who knows that a cell was hidden, so nothing
is ever promised by it; it is reported beside the verdict, since other tools count this way.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_COMPARISONS = 300_000_000


def fewest_compatible(
    codes: NDArray[Any], hidden: NDArray[np.bool_], times: NDArray[np.int64] | None = None
) -> int | None:
    """The fewest records that agree with a record wherever neither cell is hidden; None if too costly.
    A row may stand for several records, as many as ``times`` says.

    >>> codes = np.array([[1, 5], [1, 6], [0, 5]])
    >>> fewest_compatible(codes, np.array([[False, False], [False, False], [True, False]]))
    1
    """
    rows = np.hstack([np.where(hidden, 0, codes), hidden])
    different, place = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(place.ravel(), times).astype(np.int64)
    values, stars = different[:, : codes.shape[1]], different[:, codes.shape[1] :].astype(bool)
    starred = np.flatnonzero(stars.any(axis=1))
    if len(starred) * different.size > MOST_COMPARISONS:
        return None
    totals = np.where(stars.any(axis=1), 0, counts)
    for at in starred:
        agrees: Any = (stars | stars[at] | (values == values[at])).all(axis=1)
        totals[at] = counts[agrees].sum()
        plain = agrees & ~stars.any(axis=1)
        totals[plain] += counts[at]
    return int(totals.min())
