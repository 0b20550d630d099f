"""Merge neighbouring groups until each of them satisfies every demand.

(k,e)-anonymity and the rules of ``diversity`` survive the union of groups, so merging ends: at the latest
when all rows are one group.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.diversity import Diversity, diverse
from shoal.methods.permutation.partition import GroupDemand


def merge_groups(
    groups: Ints, demands: Sequence[tuple[Ints, GroupDemand]], diversity: Diversity | None = None
) -> Ints | None:
    """The group of every row, numbered from 0 on; None if even all rows together fail.

    >>> values, demand = np.array([5, 5, 5, 6, 7, 8]), GroupDemand(2, 1, 1)
    >>> merge_groups(np.array([0, 0, 1, 1, 2, 2]), [(values, demand)]).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    groups = np.unique(groups, return_inverse=True)[1]
    while (failed := failing_groups(groups, demands, diversity)).any():
        if len(failed) == 1:
            return None
        groups = join_failing(failed)[groups]
    return groups


def failing_groups(
    groups: Ints, demands: Sequence[tuple[Ints, GroupDemand]], diversity: Diversity | None
) -> Bools:
    """Which groups fall short of some demand."""
    failed = np.zeros(int(groups.max(initial=-1)) + 1, bool)
    for values, demand in demands:
        order = np.lexsort((values, groups))
        _mark_narrow(groups[order], values[order], demand.k, demand.e, demand.gap, failed)
    if diversity:
        order = np.argsort(groups, kind="stable")
        _mark_alike(groups[order], diversity.codes[order], diversity.rules, diversity.counters(), failed)
    return failed


@compiled
def _mark_narrow(groups: Any, values: Any, k: int, e: int, gap: int, failed: Any) -> None:
    """Values ascend inside their group; from below, each that lies a gap above the last one counts."""
    start, counted, last = 0, 0, 0
    for row in range(len(groups)):
        if row == 0 or groups[row] != groups[row - 1]:
            start, counted, last = row, 1, values[row]
        elif values[row] - last >= max(gap, 1):
            counted, last = counted + 1, values[row]
        if row + 1 == len(groups) or groups[row + 1] != groups[row]:
            failed[groups[row]] |= counted < k or values[row] - values[start] < e


@compiled
def _mark_alike(groups: Any, codes: Any, rules: Any, counts: Any, failed: Any) -> None:
    for row in range(len(groups)):
        for at in range(len(rules)):
            counts[at, codes[row, at]] += 1
        if row + 1 == len(groups) or groups[row + 1] != groups[row]:
            failed[groups[row]] |= not diverse(counts, rules)
            counts[:] = 0


@compiled
def join_failing(failed: Any) -> Any:
    """The new number of every group: one that fails takes the next with it, the last joins the one before."""
    number, waiting, count = np.empty(len(failed), np.int64), False, 0
    for group in range(len(failed)):
        number[group] = count
        waiting = failed[group] and not waiting
        count += not waiting
    if waiting:
        number[-1] = count - 1
    return number
