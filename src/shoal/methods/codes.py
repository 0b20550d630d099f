"""One number for several: rows that agree in all columns get the same code, others do not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def one_code(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """A code for every row's combination of values.

    >>> one_code([np.array([7, 7, 5]), np.array([1, 2, 1])]).tolist()
    [2, 3, 0]
    """
    code = columns[0]
    for column in columns[1:]:
        ranks, others = (np.unique(values, return_inverse=True)[1] for values in (code, column))
        code = ranks * np.int64(others.max(initial=0) + 1) + others
    return code
