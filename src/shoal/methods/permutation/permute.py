"""Permute values inside groups: every permutation of every group is equally likely, fixed points included.

The rows of a group are shuffled (Fisher and Yates), in the order of their numbers, by the keyed hash of them,
so what a group gets does not depend on the others. One-row groups stay as
they are. O(n), 8 bytes a row besides the result.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose, siphash


def permute(
    groups: Ints, key: Key, purpose: Purpose = Purpose.PERMUTE, stream: int = 0, ids: Ints | None = None
) -> Ints:
    """For every row, the row whose value it receives, given the numbers 0, 1, ... of the rows' groups. Each
    stream, say a column, has permutations of its own. ``ids`` are the rows' numbers, where they are not 0, 1
    and so on.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> permute(np.array([0, 1, 0, 0, 2, 2]), seeded_key(6)).tolist()
    [2, 1, 3, 0, 5, 4]
    """
    if ids is not None and not np.array_equal(ids, np.arange(len(ids))):
        order = np.argsort(ids)
        source = np.empty(len(groups), np.int64)
        source[order] = order[_permuted(groups[order], ids[order], key, purpose, stream)]
        return source
    return _permuted(groups, np.empty(0, np.int64), key, purpose, stream)


def _permuted(groups: Ints, ids: Ints, key: Key, purpose: Purpose, stream: int) -> Ints:
    """The same for rows in the order of their numbers; without any these are 0, 1 and so on."""
    begins = np.append(0, np.cumsum(np.bincount(groups)))
    rows, shuffled = np.empty((2, len(groups)), np.int32)
    _by_group(groups, begins[:-1].copy(), rows)
    source = np.empty(len(groups), np.int64)
    first_word = np.uint64(purpose + (stream << 32))

    def work(start: int, stop: int) -> None:
        _shuffle(begins, rows, shuffled, ids, key[0], key[1], first_word, start, stop, source)

    over_ranges(work, len(begins) - 1, weight=len(groups) // max(len(begins) - 1, 1))
    return source


@compiled
def _by_group(groups: Any, next_place: Any, rows: Any) -> None:
    for row in range(len(groups)):
        rows[next_place[groups[row]]] = row
        next_place[groups[row]] += 1


@compiled
def _shuffle(
    begins: Any, rows: Any, shuffled: Any, ids: Any, key0: Any, key1: Any, first_word: Any,
    start: int, stop: int, source: Any,
) -> None:  # fmt: skip
    """Each row of the groups start..stop changes places with one of those before it or stays."""
    for group in range(start, stop):
        begin = begins[group]
        for i in range(begin, begins[group + 1]):
            number = ids[rows[i]] if len(ids) > 0 else np.int64(rows[i])
            draw = siphash(key0, key1, first_word, np.uint64(number)) % np.uint64(i - begin + 1)
            place = begin + np.int64(draw)
            shuffled[i] = shuffled[place]
            shuffled[place] = rows[i]
        for i in range(begin, begins[group + 1]):
            source[rows[i]] = shuffled[i]
