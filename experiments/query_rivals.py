"""What the paper compares permuted tables with: generalized tables, swapped tables, its own programme.

Arrays only. A generalized table tells of every row whether it surely or possibly fits a condition; a swapped
one, from which ranks a value may have come.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from shoal.arrays import Bools, Ints
from shoal.kernels.compiled import compiled
from shoal.utility.workload import Rows, SumBounds

Flags = Bools


# Generalized tables


def average_bounds(values: Ints, sure: Flags, possible: Flags) -> SumBounds:
    """AVG over the sure rows and any of the possible ones; over one row at least.

    The largest average takes the largest of the possible values, as many as make it larger.

    >>> average_bounds(np.array([10, 0, 100]), np.array([1, 0, 0]) > 0, np.array([0, 1, 1]) > 0)
    Bounds(lower=5.0, upper=55.0)
    """
    total, count = values[sure].sum(), int(sure.sum())
    ascending = np.sort(values[possible])
    lower, upper = (
        (total + np.append(0, np.cumsum(ordered))) / np.maximum(count + np.arange(len(ordered) + 1), 1)
        for ordered in (ascending, ascending[::-1])
    )
    first = 0 if count else 1  # the average of nothing is none
    return SumBounds(float(lower[first:].min()), float(upper[first:].max()))


def range_fits(low: Ints, high: Ints, first: int, last: int) -> tuple[Flags, Flags]:
    """The rows whose generalized value lies whole, or in part, between first and last."""
    sure = (first <= low) & (high <= last)
    return sure, (low <= last) & (high >= first) & ~sure


# Swapped tables


@dataclass(frozen=True)
class SwappedColumn:
    """Values that changed places in pairs of near rank (Moore, 1996), every row in at most one pair.

    The value that is published at a rank may have come from any rank between ``low`` and ``high``.
    """

    ordered: Ints  # the values, ascending
    published: Ints  # the rank of every row's published value
    low: Ints
    high: Ints

    @classmethod
    def of(cls, values: Ints, k: int, e: int, random: np.random.Generator) -> "SwappedColumn":
        """The paper's windows: as many ranks to both sides as make the values inside (k,e)-anonymous."""
        order = np.lexsort((random.random(len(values)), values))
        ordered = values[order]
        ranks = np.arange(len(values))
        reach = reaches(ordered, k, e)
        published = np.empty(len(values), np.int64)
        published[order] = _partners(reach, random)
        low = np.minimum(ranks - reach, np.searchsorted(ranks + reach, ranks))
        high = np.maximum(ranks + reach, np.searchsorted(ranks - reach, ranks, "right") - 1)
        return cls(ordered, published, low, high)

    def bounds(self, picked: Rows) -> SumBounds:
        """The tightest of SUM: exchanges inside a query change nothing, those with the rest are matched."""
        inside, outside = self._ranks(picked)
        total = int(self.ordered[inside].sum())
        near = (outside >= self.low[inside, None]) & (outside <= self.high[inside, None])
        more = np.where(near, self.ordered[outside] - self.ordered[inside, None], 0)
        return SumBounds(total - _largest(-more), total + _largest(more))

    def covered_bounds(self, picked: Rows) -> SumBounds:
        """Of SUM, as the paper reasons: what surely stays in a query is what all near ranks are covered by.

        Any other value may be that of the furthest near rank that is not covered, several times over.
        """
        inside, outside = self._ranks(picked)
        below = np.append(outside, len(self.ordered))[np.searchsorted(outside, self.low[inside])]
        above = np.append(-1, outside)[np.searchsorted(outside, self.high[inside], "right")]
        lowest, highest = np.minimum(below, inside), np.maximum(above, inside)
        return SumBounds(int(self.ordered[lowest].sum()), int(self.ordered[highest].sum()))

    def _ranks(self, picked: Rows) -> tuple[Ints, Ints]:
        """The published ranks that a query picks, and the others."""
        met = np.zeros(len(self.ordered), np.bool_)
        met[self.published[picked]] = True
        return np.flatnonzero(met), np.flatnonzero(~met)


def reaches(ordered: Ints, k: int, e: int) -> Ints:
    """For every rank the fewest ranks to both sides whose values are k different ones, e apart.

    >>> reaches(np.array([1, 1, 1, 2, 3]), 2, 1).tolist()
    [3, 2, 1, 1, 1]
    """
    ranks, last = np.arange(len(ordered)), len(ordered) - 1
    distinct = np.append(0, np.cumsum(np.diff(ordered) > 0))
    low, high = np.zeros_like(ranks), np.full_like(ranks, last)
    while (low < high).any():
        middle = (low + high) // 2
        left, right = np.maximum(ranks - middle, 0), np.minimum(ranks + middle, last)
        fits = (distinct[right] - distinct[left] >= k - 1) & (ordered[right] - ordered[left] >= e)
        low, high = np.where(fits, low, np.minimum(middle + 1, high)), np.where(fits, middle, high)
    return low


def _partners(reach: Ints, random: np.random.Generator) -> Ints:
    """From the lowest rank up, each one still free changes places with a free one within its reach."""
    partner = np.arange(len(reach))
    free = np.ones(len(reach), np.bool_)
    for rank, steps in enumerate(reach.tolist()):
        if not free[rank]:
            continue
        free[rank] = False
        start = max(rank - steps, 0)
        near = np.flatnonzero(free[start : rank + steps + 1])
        if len(near):
            other = start + random.choice(near)
            free[other] = False
            partner[rank], partner[other] = other, rank
    return partner


def _largest(gains: Ints) -> int:
    """The largest sum of gains with one of every row and column at most."""
    useful = np.maximum(gains, 0)
    rows, columns = useful.any(axis=1), useful.any(axis=0)
    useful = useful[rows][:, columns]
    return int(useful[linear_sum_assignment(useful, maximize=True)].sum())


# The paper's programme


@compiled
def quadratic_min_sum(ordered: Any, k: int, e: int) -> int:
    """The least sum of ranges by the paper's algorithm 1, put right: O(n^2)."""
    count = len(ordered)
    distinct = np.zeros(count, np.int64)
    for i in range(1, count):
        distinct[i] = distinct[i - 1] + (ordered[i] != ordered[i - 1])
    least = np.full(count + 1, np.iinfo(np.int64).max)
    least[0] = 0
    for i in range(count):
        for d in range(i + 1):
            width = ordered[i] - ordered[d]
            valid = distinct[i] - distinct[d] >= k - 1 and width >= e
            if valid and least[d] != np.iinfo(np.int64).max and least[d] + width < least[i + 1]:
                least[i + 1] = least[d] + width
    return int(least[count])
