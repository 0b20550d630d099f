"""(k,e)-anonymity (Zhang et al., ICDE 2007): a group has k different sensitive values that span at least e.

With a gap, k of the values lie pairwise at least so far apart: from the smallest up, each value counts that
lies a gap above the last one that counted, and no other choice has more.

Neither k nor e says how frequent a value is. So the largest share of one value in a group is measured too,
and the largest share of values that lie within a tenth of e.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.policy.guarantee import KeAnonymity
from shoal.policy.policy import Policy
from shoal.table.numbers import Numbers
from shoal.verify.cells import Published
from shoal.verify.groups import groups_of
from shoal.verify.verdict import Verdict, smallest_classes

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NEAR = Fraction(1, 10)
WIDE = 2**61


def verify_ke_anonymity(published: Published, asked: KeAnonymity, _policy: Policy) -> Verdict:
    groups = groups_of(published)
    sizes = np.bincount(groups)
    column = published.table.points(asked.sensitive)
    there = ~column.missing
    if len(np.unique(groups[there])) < len(sizes):
        raise ShoalError(
            f"there are groups without any value of {asked.sensitive!r}", "give every group its values."
        )
    sorted_values = _Sorted.of(groups[there], column.units[there])
    unit = Fraction(1, 10**column.scale)
    different = sorted_values.apart(min(ceil(Fraction(asked.gap or 0) / unit), WIDE))
    spans = sorted_values.spans()
    needed = ceil(Fraction(asked.e) / unit)
    fewest, least = int(different.min()), int(spans.min())
    return Verdict(
        kind=asked.kind,
        holds=fewest >= asked.k and least >= needed,
        asked=asked.model_dump(mode="json", exclude_defaults=True, exclude={"kind"}),
        achieved={
            "k": fewest,
            "e": least if column.scale == 0 else float(least * unit),
            "groups": len(sizes),
            "largest_share": sorted_values.largest_share(0, sizes),
            "largest_share_near": sorted_values.largest_share(min(int(needed * NEAR), WIDE), sizes),
        },
        sentence=_sentence(asked, column, fewest, least),
        worst=smallest_classes(sizes),
    )


def _sentence(asked: KeAnonymity, column: Numbers, fewest: int, least: int) -> str:
    span = f"{least:,}" if column.scale == 0 else f"{least / 10**column.scale:,g}"
    apart = "" if asked.gap is None else f" at least {asked.gap:f} apart"
    return (
        f"In this table every group has at least {fewest:,} different values of {asked.sensitive}{apart} "
        f"({asked.k:,} were asked for), and they span at least {span} ({asked.e:f} was asked for)."
    )


@dataclass(frozen=True)
class _Sorted:
    """The values of each group in rising order, one group behind the other."""

    values: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, groups: Ints, values: Ints) -> "_Sorted":
        order = np.lexsort((values, groups))
        ordered = groups[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        ascending = values[order]
        if max(-int(values.min()), int(values.max())) >= WIDE:
            ascending = ascending.astype(object)  # unbounded
        return cls(ascending, starts, np.append(starts[1:], len(values)))

    def spans(self) -> Ints:
        return np.asarray(self.values[self.ends - 1] - self.values[self.starts])

    def apart(self, gap: int) -> Ints:
        """How many values of each group lie pairwise so far apart; without a gap, how many differ."""
        counted, at = np.ones(len(self.starts), np.int64), self.starts.copy()
        alive = np.arange(len(self.starts))
        while len(alive):
            at[alive] = self._next(alive, self.values[at[alive]] + max(gap, 1))
            alive = alive[at[alive] < self.ends[alive]]
            counted[alive] += 1
        return counted

    def _next(self, groups: Ints, least: Ints) -> Ints:
        """The first place in each of these groups with at least this value, by halving."""
        low, high = self.starts[groups], self.ends[groups]
        while (open_ := low < high).any():
            middle = (low + high) // 2
            below = self.values[np.minimum(middle, len(self.values) - 1)] < least
            low, high = np.where(open_ & below, middle + 1, low), np.where(open_ & ~below, middle, high)
        return low

    def largest_share(self, width: int, sizes: Ints) -> float:
        """The largest share of a group's records whose values fit into a window of this width."""
        owner = np.repeat(np.arange(len(self.starts)), self.ends - self.starts)
        upper = self._next(owner, self.values + width + 1)
        most = np.maximum.reduceat(upper - np.arange(len(self.values)), self.starts)
        return round(float((most / sizes).max()), 6)
