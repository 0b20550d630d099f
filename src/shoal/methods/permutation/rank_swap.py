"""rank-swap (Moore, 1996): a baseline without a guarantee, swaps values of near rank.

From the smallest value up, each one not yet swapped is swapped with another drawn at random among those not
yet swapped in the next p percent of the ranks (one rank at least), so no value moves further. Near the top
one may find no partner and stays. Equal values are ranked at random. O(n) after sorting.
"""

from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.compiled import compiled
from shoal.kernels.keyed_hash import Key, Purpose, siphash
from shoal.kernels.order import random_tie_order


def rank_swap(values: Ints, p: float, key: Key) -> Ints:
    """For every row the row whose value it receives.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> rank_swap(np.array([30, 10, 20, 40]), 25, seeded_key(0)).tolist()
    [3, 2, 1, 0]
    """
    order = random_tie_order(values, key)
    window = max(1, int(len(values) * p / 100))
    partner = _partners(len(values), window, key[0], key[1], np.uint64(Purpose.GROUPS))
    source = np.empty(len(values), np.int64)
    source[order] = order[partner]
    return source


@compiled
def _partners(count: int, window: int, key0: Any, key1: Any, purpose: Any) -> Any:
    """The rank that each rank is swapped with, itself if with none."""
    partner = np.arange(count)
    waiting, place = np.empty(count, np.int64), np.empty(count, np.int64)
    size, entered = 0, 0
    for rank in range(count):
        while entered < count and entered <= rank + window:
            waiting[size], place[entered] = entered, size
            size += 1
            entered += 1
        if partner[rank] != rank:
            continue
        size = _leave(waiting, place, size, rank)
        if size == 0:
            continue
        other = waiting[siphash(key0, key1, purpose, np.uint64(rank)) % np.uint64(size)]
        size = _leave(waiting, place, size, other)
        partner[rank], partner[other] = other, rank
    return partner


@compiled
def _leave(waiting: Any, place: Any, size: int, rank: int) -> int:
    last = waiting[size - 1]
    waiting[place[rank]], place[last] = last, place[rank]
    return size - 1
