"""One number for several: rows that agree in all columns get the same code, others do not."""

import numpy as np

from shoal.arrays import AnyArray, Ints

DENSE = 50_000_000  # combinations that are marked in a table instead of sorted


def one_code(columns: list[AnyArray]) -> AnyArray:
    """A code for every row's combination of values.

    >>> one_code([np.array([7, 7, 5]), np.array([1, 2, 1])]).tolist()
    [2, 3, 0]
    """
    code = columns[0]
    for column in columns[1:]:
        ranks, others = (np.unique(values, return_inverse=True)[1] for values in (code, column))
        code = ranks * np.int64(others.max(initial=0) + 1) + others
    return code


def dense_codes(columns: list[AnyArray]) -> Ints:
    """A number from 0 on, without gaps, for every combination of columns that hold codes themselves.

    >>> dense_codes([np.array([2, 2, 0]), np.array([1, 4, 1])]).tolist()
    [1, 2, 0]
    """
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        joined = number * (int(column.max(initial=0)) + 1) + column
        most = int(joined.max(initial=0)) + 1
        if most <= DENSE:
            number = ranks_below(joined, most)
        else:
            number = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    return number


def ranks_below(numbers: Ints, most: int) -> Ints:
    """The ranks of numbers below ``most`` among those that occur, without sorting them.

    >>> ranks_below(np.array([7, 2, 7]), 8).tolist()
    [1, 0, 1]
    """
    occurs = np.zeros(most, bool)
    occurs[numbers] = True
    found = np.flatnonzero(occurs)
    rank = np.empty(most, np.int32)
    rank[found] = np.arange(len(found), dtype=np.int32)
    return rank[numbers].astype(np.int64)


def hash_codes(columns: list[AnyArray]) -> Ints:
    """The same without a look at other rows: a code of 64 bits that two combinations hardly ever share.

    >>> one, other, third = hash_codes([np.array([7, 7, 7]), np.array([1, 2, 1])]).tolist()
    >>> one == third, one == other
    (True, False)
    """
    code = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        code ^= (column + column.dtype.type(0)).view(np.uint64)  # -0.0 is 0.0
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            code = (code ^ (code >> np.uint64(shift))) * np.uint64(factor)
        code ^= code >> np.uint64(31)
        code += np.uint64(0x9E3779B97F4A7C15)
    return code.view(np.int64)
