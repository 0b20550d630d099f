"""k^(f,d): the attacker knows the aggregate only up to a share d of it.

From the release alone: take every value v that some published record admits. Whatever range the
attacker holds when f is v, at least k records must admit a value in that range.

- centred: the range is [v - d|v|, v + d|v|];
- any: a range of width 2 d |v| that contains v, wherever it sits, which is stricter.

The count of records that meet a range changes only at ends of published ranges, so it is enough to
look there. All comparisons are exact: d is a fraction, ends are whole numbers.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints

SAFE = 2**61
POINTS_AT_ONCE = 100_000


def fewest_centred(low: Any, high: Any, share: Fraction) -> int:
    """The fewest records that meet the band around any admitted value.

    >>> fewest_centred(np.array([100, 104]), np.array([100, 104]), Fraction(1, 20))
    2
    """
    ends = _Ends(low, high)
    at_lows = ends.meeting(_centred_low(low, share), _centred_high(low, share))
    # just above v, where v - d|v| is a high end b, the record of that b is lost
    over, under = 1 + share, 1 - share
    admitted = ends.admits_just_above(_floor_by_sign(ends.highs, 1 / under, 1 / over))
    reach = _floor_by_sign(ends.highs, over / under, under / over)
    just_above = ends.begun_by(reach) - np.searchsorted(ends.highs, ends.highs, "right")
    return int(np.append(at_lows, just_above[admitted]).min())


def meeting_centred(points: Any, low: Any, high: Any, share: Fraction) -> Ints:
    """How many published records meet the band around each of these values."""
    return _Ends(low, high).meeting(_centred_low(points, share), _centred_high(points, share))


def band_ends(points: Any, share: Fraction) -> tuple[Any, Any]:
    """The smallest and the largest whole number in the band around each of these values.

    >>> [end.tolist() for end in band_ends(np.array([100, -7, 0]), Fraction(1, 20))]
    [[95, -7, 0], [105, -7, 0]]
    """
    return _centred_low(points, share), _centred_high(points, share)


def candidate_counts(low: Any, high: Any, share: Fraction, labels: Ints) -> Iterator[Ints]:
    """For every set of records that may fit an attacker's centred band: how often each label occurs in it.

    A record fits the band around v for the v of one interval; where none of these intervals and of the
    published ranges begins or ends, the set does not change.
    """
    p, q = share.numerator, share.denominator
    wide, narrow, plain = q * (q + p), q * (q - p), (q + p) * (q - p)
    first = np.where(low >= 0, _times(low, narrow), _times(low, wide))
    last = np.where(high >= 0, _times(high, wide), _times(high, narrow))
    begin, end = _times(low, plain), _times(high, plain)
    ends = np.unique(np.concatenate([first, last, begin, end]))
    points = np.concatenate([2 * ends, 2 * ends + 1])  # an end, and what lies just behind it
    begin, end = np.sort(2 * begin), np.sort(2 * end)
    admitted = np.searchsorted(begin, points, "right") > np.searchsorted(end, points, "left")
    points = points[admitted]
    groups = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
    intervals = [(np.sort(2 * first[group]), np.sort(2 * last[group])) for group in groups]
    for start in range(0, len(points), POINTS_AT_ONCE):
        part = points[start : start + POINTS_AT_ONCE]
        yield np.column_stack(
            [np.searchsorted(a, part, "right") - np.searchsorted(b, part, "left") for a, b in intervals]
        )


def fewest_anywhere(low: Any, high: Any, share: Fraction) -> int:
    """The fewest records that meet any range of width 2 d |v| containing an admitted value v.

    d is at most 1/2. The range loses records when its left end passes a high end b, and is shortest
    for the admitted v that is nearest to zero among those it reaches.
    """
    ends = _Ends(low, high)
    p, q = 2 * share.numerator, share.denominator
    lows, highs = _times(ends.lows, q), _times(ends.highs, q)  # so that q v - 2 p |v| is whole
    # the range begins as early as it can below an admitted v: [v - 2d|v|, v] for a low end v
    start = lows - _times(np.abs(ends.lows), p)
    met = np.searchsorted(lows, lows, "right") - np.searchsorted(highs, start, "left")
    fewest = int(met.min())
    lost = np.searchsorted(highs, highs, "right")
    for right, exists in (
        _nearest_positive(ends, highs, p, q),
        _nearest_negative(ends, highs, p, q),
    ):
        if exists.any():
            met = np.searchsorted(lows, right, "right") - lost
            fewest = min(fewest, int(met[exists].min()))
    return fewest


def _nearest_positive(ends: "_Ends", highs: Any, p: int, q: int) -> tuple[Any, Bools]:
    """Ranges that begin just behind a high end b and hold the first admitted v >= 0 behind it."""
    rank = np.searchsorted(ends.lows, ends.highs, "right")
    inside = rank - np.searchsorted(ends.highs, ends.highs, "right") > 0
    follows = rank < len(ends.lows)
    v = np.where(inside, ends.highs, ends.lows[np.minimum(rank, len(ends.lows) - 1)])
    right = highs + _times(np.abs(v), p)
    reaches = np.where(inside, True, _times(v, q) <= right)
    return right, np.asarray((v >= 0) & (inside | follows) & reaches, bool)


def _nearest_negative(ends: "_Ends", highs: Any, p: int, q: int) -> tuple[Any, Bools]:
    """Ranges that begin just behind b < 0 and hold the last admitted v <= b / (1 + 2d)."""
    product, bottom = _times(ends.highs, q), p + q  # v is at most product / bottom
    floor, ceil = product // bottom, -(-product // bottom)
    ended = np.searchsorted(ends.highs, ceil, "left")
    inside = np.searchsorted(ends.lows, floor, "right") - ended > 0
    v = ends.highs[np.maximum(ended - 1, 0)]
    right = np.where(inside, _times(floor, q), highs + _times(np.abs(v), p))
    exists = (ends.highs < 0) & (inside | ((ended > 0) & (v > ends.highs)))
    return right, np.asarray(exists, bool)


class _Ends:
    """All low ends and all high ends of the published ranges, each in order."""

    def __init__(self, low: Any, high: Any) -> None:
        self.lows, self.highs = np.sort(low), np.sort(high)

    def meeting(self, left: Any, right: Any) -> Ints:
        return np.asarray(self.begun_by(right) - np.searchsorted(self.highs, left, "left"))

    def begun_by(self, right: Any) -> Ints:
        return np.asarray(np.searchsorted(self.lows, right, "right"))

    def admits_just_above(self, floor: Any) -> Bools:
        """Does some range hold values just above the fractions that were rounded down to these?"""
        begun = np.searchsorted(self.lows, floor, "right")
        return np.asarray(begun - np.searchsorted(self.highs, floor, "right") > 0)


def _centred_low(points: Any, share: Fraction) -> Any:
    """The smallest whole number in the band: ceil(v - d|v|)."""
    return -_band_floor(-np.asarray(points), share)


def _centred_high(points: Any, share: Fraction) -> Any:
    return _band_floor(np.asarray(points), share)


def _band_floor(points: Any, share: Fraction) -> Any:
    """floor(v + d|v|)."""
    return _floor_by_sign(points, 1 + share, 1 - share)


def _floor_by_sign(values: Any, positive: Fraction, negative: Fraction) -> Any:
    """Each value times the factor of its sign, rounded down."""
    return np.where(values >= 0, _floor(values, positive), _floor(values, negative))


def _floor(values: Any, factor: Fraction) -> Any:
    return _holding(values, max(factor.as_integer_ratio())) * factor.numerator // factor.denominator


def _times(values: Any, factor: int) -> Any:
    return _holding(values, factor) * factor


def _holding(values: Any, factor: int) -> Any:
    """Widened to unbounded integers where products with this factor would not fit 64 bits."""
    array = np.asarray(values)
    if array.dtype == object or not array.size:
        return array
    reach = max(abs(int(array.min())), abs(int(array.max())), 1)
    return array.astype(object) if reach * factor >= SAFE else array
