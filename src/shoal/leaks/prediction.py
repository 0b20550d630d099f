"""What other rows let one say of a row: the value that most rows with the same cell have, or the one between
its neighbours in order. The row itself never counts, so a column with another cell in every row tells
nothing."""

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.codes import hash_codes, ranks_below

SMALL = 4  # a table of so many places per row is faster than sorting the rows


def combined_codes(*columns: Ints) -> Ints:
    """One number per combination of cells, from 0 on."""
    keys = columns[0].astype(np.int64)
    for column in columns[1:]:
        keys = _dense(keys * (int(column.max(initial=0)) + 1) + column)
    return _dense(keys)


def _dense(keys: Ints) -> Ints:
    most = int(keys.max(initial=0)) + 1
    if most > SMALL * len(keys):
        return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return ranks_below(keys, most)


def sizes_of(keys: Ints) -> Ints:
    """How many rows have the key of each row."""
    return np.bincount(keys)[keys]


def chance_by_others(keys: Ints, codes: Ints) -> Floats:
    """The chance that the value of a row is the one that most of the other rows with its key have: 1 or 0,
    and between them where several values are as frequent.

    >>> chance_by_others(np.array([0, 0, 0, 0, 1, 2, 2, 2]), np.array([5, 5, 5, 2, 5, 1, 1, 3])).tolist()
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.0]
    """
    pairs = combined_codes(keys, codes)
    counts, key_of, most, second = _ranked(keys, pairs)
    rivals = np.bincount(key_of, counts == second[key_of])
    others = counts - 1
    first = (counts == most[key_of]) & (others > 0)
    chance = np.where(others == second[key_of], 1 / (1 + rivals[key_of]), others > second[key_of])
    return np.where(first, chance, 0.0)[pairs]


def agreement_of_others(keys: Ints, codes: Ints) -> Floats:
    """The share of the other rows with the key of each row that have the most frequent value among them; 0
    where there is none.

    >>> agreement_of_others(np.array([0, 0, 0, 0, 1]), np.array([5, 5, 5, 2, 5])).round(2).tolist()
    [0.67, 0.67, 0.67, 1.0, 0.0]
    """
    pairs = combined_codes(keys, codes)
    counts, _, most, second = _ranked(keys, pairs)
    own, others = counts[pairs], sizes_of(keys) - 1
    agreed = np.where(own == most[keys], np.maximum(own - 1, second[keys]), most[keys])
    return np.asarray(agreed / np.maximum(others, 1))


def _ranked(keys: Ints, pairs: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """The rows of each pair of key and value, and its key; of each key, the rows with its most frequent value
    and with the next one."""
    counts = np.bincount(pairs)
    key_of = np.empty(len(counts), np.int64)
    key_of[pairs] = keys
    order = np.lexsort((counts, key_of))
    last = np.flatnonzero(np.diff(key_of[order], append=-1))
    most, second = np.zeros((2, int(keys.max(initial=0)) + 1), np.int64)
    ends, before = key_of[order[last]], np.maximum(last - 1, 0)
    most[ends] = counts[order[last]]
    several = (last > 0) & (key_of[order[before]] == ends)
    second[ends[several]] = counts[order[before[several]]]
    return counts, key_of, most, second


def mean_of_others(keys: Ints, line: Floats) -> Floats:
    """The mean of the other rows with the key of each row; NaN where there is none."""
    there = ~np.isnan(line)
    filled = np.where(there, line, 0.0)
    counts = np.bincount(keys, there)[keys] - there
    sums = np.bincount(keys, filled)[keys] - filled
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, np.nan)


def between_neighbours(order: Floats, line: Floats) -> Floats:
    """The value on a straight line between the two neighbours of each row in an order; NaN without them.

    >>> between_neighbours(np.array([1.0, 3.0, 2.0]), np.array([10.0, 30.0, 21.0])).tolist()
    [21.0, 21.0, 20.0]
    """
    before, after = neighbours(order)
    known = (before >= 0) & (after >= 0)
    before, after = np.where(before < 0, after, before), np.where(after < 0, before, after)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (order - order[before]) / (order[after] - order[before])
        found = line[before] + np.where(np.isfinite(share), share, 0.0) * (line[after] - line[before])
    return np.where(known | (before >= 0), found, np.nan)


def neighbours(order: Floats) -> tuple[Ints, Ints]:
    """The row before and the row after each one in an order; -1 where there is none.

    Rows with the same place in it stand in no order of their own: that of the table would be told by the
    table, not by the column."""
    rows = np.flatnonzero(~np.isnan(order))
    ranked = rows[np.lexsort((hash_codes([rows]), order[rows]))]
    before, after = np.full((2, len(order)), -1, np.int64)
    before[ranked[1:]], after[ranked[:-1]] = ranked[:-1], ranked[1:]
    return before, after


def nearest_neighbour(order: Floats) -> Ints:
    """The nearest other row of each one in an order; -1 where there is none."""
    before, after = neighbours(order)
    with np.errstate(invalid="ignore"):
        to_before = np.where(before >= 0, np.abs(order - order[before]), np.inf)
        to_after = np.where(after >= 0, np.abs(order - order[after]), np.inf)
    return np.where(to_before <= to_after, before, after)
