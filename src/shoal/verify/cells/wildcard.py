"""The reading of hidden cells in which they match anything.

It makes classes look larger than they are to an attacker who knows more than the table: nothing is
promised by it unless a policy asks for it; it is reported beside the verdict, since other tools count so.
"""

from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Bools, Ints
from shoal.kernels.classes import class_numbers

MOST_STEPS = 10_000_000_000  # before the question is left open
PER_ROW, PER_PAIR = 100, 30_000  # steps to group a row, and to begin with a pair of patterns
WORD = 2**62


def fewest_compatible(codes: AnyArray, hidden: Bools, times: Ints | None = None) -> int | None:
    """The fewest records that agree with a record wherever neither cell is hidden; None if too costly.
    A row may stand for several records, as many as ``times`` says.

    >>> codes = np.array([[1, 5], [1, 6], [0, 5]])
    >>> fewest_compatible(codes, np.array([[False, False], [False, False], [True, False]]))
    1
    """
    found = compatible_counts(codes, hidden, times)
    return None if found is None else int(found.min())


def compatible_counts(codes: AnyArray, hidden: Bools, times: Ints | None = None) -> Ints | None:
    """How many records agree with each one wherever neither cell is hidden; None if too costly."""
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in codes.T]) + 1
    rows = np.where(hidden, 0, ranks)
    number = class_numbers(list(rows.T))
    first = np.unique(number, return_index=True)[1]
    different, counts = rows[first], np.bincount(number, times).astype(np.int64)
    patterns, of_row = np.unique(different == 0, axis=0, return_inverse=True)
    by_pattern = len(patterns) * (len(different) * PER_ROW + len(patterns) * PER_PAIR)
    one_by_one = int((different == 0).any(axis=1).sum()) * len(different) * 3
    if min(by_pattern, one_by_one) > MOST_STEPS:
        return None
    if by_pattern < one_by_one:
        return _by_pattern(different, counts, patterns, of_row.ravel())[number]
    return _one_by_one(different, counts)[number]


def _one_by_one(rows: Ints, counts: Ints) -> Ints:
    """Every row with hidden cells is compared with all, the columns that tell most apart first."""
    order = np.argsort(-rows.max(axis=0), kind="stable")
    columns: list[Any] = [np.ascontiguousarray(rows[:, at]) for at in order]
    plain: Any = (rows > 0).all(axis=1)
    totals = np.where(plain, counts, 0)
    for at in np.flatnonzero(~plain):
        agreeing = np.arange(len(rows))
        for column in columns:
            if column[at]:
                cells = column[agreeing]
                agreeing = agreeing[(cells == column[at]) | (cells == 0)]
        totals[at] = counts[agreeing].sum()
        totals[agreeing[plain[agreeing]]] += counts[at]
    return totals


def _by_pattern(rows: Ints, counts: Ints, patterns: Bools, of_row: Ints) -> Ints:
    """Rows that hide the same columns are counted together, by what both they and others show."""
    members = [np.flatnonzero(of_row == number) for number in range(len(patterns))]
    totals = np.zeros(len(rows), np.int64)
    strides = _strides(rows)
    for one in range(len(patterns)):
        for two in range(one, len(patterns)):
            shown = ~(patterns[one] | patterns[two])
            both = np.concatenate([members[one], members[two]])
            if strides is None:
                keys = class_numbers([rows[both, at] for at in np.flatnonzero(shown)] or [both * 0])
            else:
                keys = np.unique(rows[both][:, shown] @ strides[shown], return_inverse=True)[1]
            ours, theirs = keys[: len(members[one])], keys[len(members[one]) :]
            totals[members[one]] += _sums(theirs, counts[members[two]], len(both))[ours]
            if one != two:
                totals[members[two]] += _sums(ours, counts[members[one]], len(both))[theirs]
    return totals


def _strides(rows: Ints) -> Ints | None:
    """Factors that make one number of a row; None if it would be too large for a word."""
    values = [int(most) + 1 for most in rows.max(axis=0)]
    strides = [1]
    for count in values[:-1]:
        strides.append(strides[-1] * count)
    return np.array(strides, np.int64) if strides[-1] * values[-1] < WORD else None


def _sums(keys: Ints, counts: Ints, most: int) -> Ints:
    return np.bincount(keys, counts, most).astype(np.int64)
