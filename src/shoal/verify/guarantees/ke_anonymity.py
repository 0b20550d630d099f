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

from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.kernels.classes import class_numbers, one_of_each
from shoal.policy.model.guarantee import KeAnonymity
from shoal.policy.model.policy import Policy
from shoal.verify.cells.class_size_summary import ClassSizeSummary
from shoal.verify.cells.permutation_groups import permutation_groups
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.verdict import Verdict

NEAR = Fraction(1, 10)
WIDE = 2**61


@dataclass(frozen=True)
class KeAnonymityMeasure:
    """The fewest values and the least span of a group, in units of ``10**-scale``, and the largest shares."""

    sizes: ClassSizeSummary
    fewest: int
    least: int
    scale: int
    share: float
    share_near: float

    def joined(self, other: "KeAnonymityMeasure") -> "KeAnonymityMeasure":
        return KeAnonymityMeasure(
            self.sizes.joined(other.sizes),
            min(self.fewest, other.fewest),
            min(self.least, other.least),
            self.scale,
            max(self.share, other.share),
            max(self.share_near, other.share_near),
        )


def measure_ke_anonymity(published: PublishedTable, asked: KeAnonymity) -> KeAnonymityMeasure:
    """Measure the groups that lie in this part."""
    groups = permutation_groups(published)
    sizes = np.bincount(groups)
    column = published.points(asked.sensitive)
    there = ~column.missing
    if not np.bincount(groups[there], minlength=len(sizes)).all():
        raise ShoalError(
            f"there are groups without any value of {asked.sensitive!r}", "give every group its values."
        )
    sorted_values = _Sorted.of(groups[there], column.units[there])
    unit = Fraction(1, 10**column.scale)
    near = min(int(_needed(asked, column.scale) * NEAR), WIDE)
    return KeAnonymityMeasure(
        ClassSizeSummary.of(sizes, asked.k),
        int(sorted_values.apart(min(ceil(Fraction(asked.gap or 0) / unit), WIDE)).min()),
        int(sorted_values.spans().min()),
        column.scale,
        sorted_values.largest_share(0, sizes),
        sorted_values.largest_share(near, sizes),
    )


def _needed(asked: KeAnonymity, scale: int) -> int:
    """The span that is asked for, in units."""
    return ceil(Fraction(asked.e) / Fraction(1, 10**scale))


def verdict_ke_anonymity(asked: KeAnonymity, _policy: Policy, found: KeAnonymityMeasure) -> Verdict:
    """Judge by the fewest different values and by the smallest span of values in a group."""
    least = found.least
    return Verdict(
        kind=asked.kind,
        holds=found.fewest >= asked.k and least >= _needed(asked, found.scale),
        asked=asked.model_dump(mode="json", exclude_defaults=True, exclude={"kind"}),
        achieved={
            "k": found.fewest,
            "e": least if found.scale == 0 else float(Fraction(least, 10**found.scale)),
            "groups": found.sizes.classes,
            "largest_share": found.share,
            "largest_share_near": found.share_near,
        },
        sentence=_sentence(asked, found),
        worst=found.sizes.smallest,
    )


def _sentence(asked: KeAnonymity, found: KeAnonymityMeasure) -> str:
    fewest, least = found.fewest, found.least
    span = f"{least:,}" if found.scale == 0 else f"{least / 10**found.scale:,g}"
    apart = "" if asked.gap is None else f" at least {asked.gap:f} apart"
    return (
        f"In this table every group has at least {fewest:,} different values of {asked.sensitive}{apart} "
        f"({asked.k:,} were asked for), and they span at least {span} ({asked.e:f} was asked for)."
    )


@dataclass(frozen=True)
class _Sorted:
    """The different values of each group in rising order, one group behind the other: where each of them
    stands among the different values of the column, and how often the group has it."""

    different: Ints
    keys: Ints  # group and place among the different values, as one number
    counts: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, groups: Ints, values: Ints) -> "_Sorted":
        ranks = class_numbers([values])
        different = values[one_of_each(ranks)]
        if max(-int(different[0]), int(different[-1])) >= WIDE:
            different = different.astype(object)  # unbounded
        keys = np.sort(groups * len(different) + ranks)
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(np.append(firsts, len(keys)))
        keys = keys[firsts]
        starts = np.flatnonzero(np.diff(keys // len(different), prepend=-1))
        return cls(different, keys, counts, starts, np.append(starts[1:], len(keys)))

    def spans(self) -> Ints:
        lowest, highest = (self.different[self.keys[at] % len(self.different)]
                           for at in (self.starts, self.ends - 1))  # fmt: skip
        return np.asarray(highest - lowest)

    def apart(self, gap: int) -> Ints:
        """How many values of each group lie pairwise so far apart; without a gap, how many differ."""
        if gap <= 1:
            return self.ends - self.starts
        counted, at = np.ones(len(self.starts), np.int64), self.starts.copy()
        after, alive = self._after(gap - 1), np.arange(len(self.starts))
        while len(alive):
            at[alive] = after[at[alive]]
            alive = alive[at[alive] < self.ends[alive]]
            counted[alive] += 1
        return counted

    def _after(self, width: int) -> Ints:
        """For every value of a group, the first one of the group that lies more than this width above it; a
        place beyond the last value is one in the next group."""
        beyond = np.searchsorted(self.different, self.different + width, side="right")
        group, rank = np.divmod(self.keys, len(self.different))
        return np.searchsorted(self.keys, group * len(self.different) + beyond[rank])

    def largest_share(self, width: int, sizes: Ints) -> float:
        """The largest share of a group's records whose values fit into a window of this width."""
        before = np.cumsum(np.append(0, self.counts))
        inside = before[self._after(width)] - before[:-1]
        most = np.maximum.reduceat(inside, self.starts)
        return round(float((most / sizes).max()), 6)
