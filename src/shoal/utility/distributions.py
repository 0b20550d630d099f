"""Each column's distribution before and after, small enough to draw, and one distance between the two.

Numbers and dates lie on a grid (of whole numbers, of hundredths, of days, ...). A published range counts
evenly for all grid values that it covers, a star for the whole domain, a class mean for itself. A permuted
column has the distribution that it had. Words are shared out as `word_pair` says. Bins count records; missing
numbers are counted beside.

The distance of numbers is the area between the two cumulative distributions as a share of the range of the
values: the earth mover's distance, 0 for equal ones and at most 1. That of words is half the sum of all
differences of shares: the total variation, over all words, not only those drawn.

Edges of bins and words are values of the original. ``public()`` leaves them out, and all counts with them.
"""

from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np

from shoal.arrays import Floats
from shoal.policy.model.policy import Policy
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.numeric_pair import EPOCH, NumericPair
from shoal.utility.word_pair import WordPair

MOST_BINS = 20
MOST_WORDS = 12
FINEST = 2.0**30  # values of the grid that distances are measured on: floats cannot add up finer ones


@dataclass(frozen=True)
class Distribution:
    """The distribution of one column before and after. ``before`` and ``after`` are records per bin or word;
    the last word may be others."""

    column: str
    kind: Literal["number", "date", "word"]
    bins: tuple[Any, ...]  # the least and the largest value of each bin, or the words
    others: bool  # is the last bin that of all other words?
    before: tuple[float, ...]
    after: tuple[float, ...]
    missing_before: int
    missing_after: int
    distance: float | None  # None if one side has no values at all
    domain: tuple[float, float] | None = None  # as the policy declares it

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the owner: bins are values of the original."""
        found = asdict(self)
        found["bins"] = [[_plain(end) for end in one] if isinstance(one, tuple) else one for one in self.bins]
        return found | {"before": list(self.before), "after": list(self.after),
                        "domain": None if self.domain is None else list(self.domain)}  # fmt: skip

    def public(self) -> dict[str, Any]:
        """What holds no value of the original."""
        return {
            "column": self.column,
            "kind": self.kind,
            "bins": len(self.bins),
            "distance": self.distance,
            "domain": None if self.domain is None else list(self.domain),
        }


def _plain(end: Any) -> Any:
    return end.isoformat() if isinstance(end, date) else end


def distributions(pairs: ColumnPairs) -> tuple[Distribution, ...]:
    """Distributions of all columns whose cells can be compared, in the order of the release."""
    found = ((name, pairs[name]) for name in pairs.names)
    return tuple(
        numeric_distribution(name, pair, pairs.policy)
        if isinstance(pair, NumericPair)
        else word_distribution(name, pair)
        for name, pair in found
        if pair is not None
    )


def numeric_distribution(name: str, pair: NumericPair, policy: Policy) -> Distribution:
    """Counts of a number column in bins, before and after."""
    values, (low, high) = pair.known_values(), pair.known_ranges()
    declared = policy.domains.get(name)
    ends = pair.domain if declared else _extent(values, low, high)
    last = bin_ends(*ends)
    before, after = counts_within(values, values, last), counts_within(low, high, last)
    first = np.append(ends[0], last[:-1] + 1)
    return Distribution(
        name,
        "date" if pair.dates else "number",
        tuple((_value(one, pair), _value(other, pair)) for one, other in zip(first, last, strict=True)),
        False,
        tuple(before.tolist()),
        tuple(after.tolist()),
        int(pair.values_missing.sum()),
        int(pair.missing.sum()),
        earth_movers_distance(values, low, high),
        None if declared is None else (float(declared[0]), float(declared[1])),
    )


def _extent(values: Floats, low: Floats, high: Floats) -> tuple[float, float]:
    return (
        float(np.floor(min(values.min(), low.min(initial=np.inf)))),
        float(np.ceil(max(values.max(), high.max(initial=-np.inf)))),
    )


def _value(units: float, pair: NumericPair) -> float | date:
    return EPOCH + timedelta(days=int(units)) if pair.dates else float(units / pair.unit)


def bin_ends(low: float, high: float) -> Floats:
    """The largest grid value of each bin: at most 20 bins of equal width, or one per value.

    >>> bin_ends(0, 99).tolist()[:3], bin_ends(5, 7).tolist()
    ([4.0, 9.0, 14.0], [5.0, 6.0, 7.0])
    """
    values = high - low + 1
    count = int(min(values, MOST_BINS))
    return np.asarray(low + np.floor(np.arange(1, count + 1) * values / count) - 1)


def counts_within(low: Floats, high: Floats, last: Floats) -> Floats:
    """How many of the ranges fall into each bin, evenly spread; what lies outside counts at the ends.

    >>> counts_within(np.array([0.0, 2]), np.array([3.0, 2]), np.array([1.0, 3, 5])).tolist()
    [0.5, 1.5, 0.0]
    """
    width = high - low + 1
    upto = [float(np.clip((end + 1 - low) / width, 0, 1).sum()) for end in last[:-1]]
    return np.diff([0.0, *upto, float(len(low))])


def earth_movers_distance(values: Floats, low: Floats, high: Floats) -> float | None:
    """The area between the cumulative distributions of grid values and of evenly spread ranges, as a share of
    the distance from the smallest to the largest; None if one of them is empty.

    >>> earth_movers_distance(np.array([0.0, 10]), np.array([5.0, 5]), np.array([5.0, 5]))
    0.5
    """
    if not len(values) or not len(low):
        return None
    start, end = min(values.min(), low.min()), max(values.max(), high.max())
    coarse = max((end - start) / FINEST, 1.0)
    if coarse > 1:
        values, low, high = (np.floor((one - start) / coarse) for one in (values, low, high))
    places, apart, slope = _difference(values, low, high)
    if len(places) == 1:
        return 0.0
    areas = _areas(apart[:-1], slope[:-1], np.diff(places))
    return float(min(areas.sum() / (places[-1] - places[0]), 1.0))


def _difference(values: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Where the difference of the cumulative shares bends, how large it is there, and by how much it changes
    from one grid value to the next until it bends again."""
    exact = low == high
    low, high, points = low[~exact], high[~exact], low[exact]
    places = np.unique(np.concatenate([values, points, low, high]))
    density = 1 / (high - low + 1)
    begin, end = np.searchsorted(places, low), np.searchsorted(places, high)
    begun, ended = (np.bincount(at, density, len(places)) for at in (begin, end))
    slope = np.cumsum(begun - ended)
    # a range begins with the share of its first value, and has all of it at its last
    spread = np.cumsum(begun + np.append(0.0, slope[:-1] * np.diff(places)))
    shares = [
        np.cumsum(np.bincount(np.searchsorted(places, one), minlength=len(places)))
        for one in (values, points)
    ]
    published = len(points) + len(low)
    return places, shares[0] / len(values) - (shares[1] + spread) / published, -slope / published


def _areas(first: Floats, slope: Floats, steps: Floats) -> Floats:
    """The sum of |first + slope j| over j = 0 .. steps - 1, part by part: up to where the sign changes."""
    turn = np.divide(-first, slope, out=np.full(len(first), np.inf), where=slope != 0)
    before = np.where(turn > 0, np.clip(np.ceil(turn), 0, steps), steps)
    whole, part = (first * count + slope * count * (count - 1) / 2 for count in (steps, before))
    return np.asarray(np.abs(part) + np.abs(whole - part))


def word_distribution(name: str, pair: WordPair) -> Distribution:
    """Counts of the most frequent words of a column, before and after, and of all others together."""
    before, after = pair.counts_before(), pair.counts_after()
    order = np.lexsort((np.arange(len(before)), -after, -before))
    shown, rest = order[:MOST_WORDS], order[MOST_WORDS:]
    others = len(rest) > 0
    counts = [
        [*one[shown].tolist(), *([float(one[rest].sum())] if others else [])] for one in (before, after)
    ]
    missing = pair.words.index(None) if None in pair.words else None
    gone, left = (0 if missing is None else round(float(one[missing])) for one in (before, after))
    return Distribution(
        name,
        "word",
        (*(pair.words[word] for word in shown.tolist()), *(["others"] if others else [])),
        others,
        tuple(counts[0]),
        tuple(counts[1]),
        gone,
        left,
        total_variation(before, after),
    )


def total_variation(before: Floats, after: Floats) -> float | None:
    """Half the sum of the differences of shares; None if one side has no records.

    >>> total_variation(np.array([1.0, 1]), np.array([3.0, 1]))
    0.25
    """
    if not before.sum() or not after.sum():
        return None
    return float(min(np.abs(before / before.sum() - after / after.sum()).sum() / 2, 1.0))
