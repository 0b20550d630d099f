"""The bounds of each aggregate over records that surely or possibly match, with values between two ends.

Whoever wants the least takes every sure record at its low end, and of the possible ones those that help.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from sqlglot import exp

from shoal.arrays import AnyArray, Bools
from shoal.errors import ShoalError

Figure = int | float | Decimal | Fraction
Pair = tuple[Figure | None, Figure | None]
NOTHING: Pair = (None, None)
SAMPLE = (exp.Variance, exp.Stddev, exp.StddevSamp)  # NULL of a single value
ROOT = (exp.Stddev, exp.StddevSamp, exp.StddevPop)
CONTINUOUS = (exp.Median, exp.PercentileCont)
ROUNDING = 1e-12  # squares of real numbers leave this much room
FINEST = 10**9
STEPS = 16  # of the golden section; any centre is safe
HALVINGS = 45  # of the search for the one centre that is exact


@dataclass(frozen=True)
class Records:
    """What may be aggregated: values from ``low`` to ``high``; ``unknown`` more may be anything.

    Values that are ``broken`` are decimals, in units of their last digit.
    """

    sure: Bools
    low: AnyArray
    high: AnyArray
    unknown: int = 0
    broken: bool = False

    def mirrored(self) -> "Records":
        return Records(self.sure, -self.high, -self.low, self.unknown, self.broken)


def sum_bounds(records: Records, call: exp.Expression) -> Pair:  # noqa: ARG001
    """No record at all counts as 0.

    >>> sum_bounds(Records(np.array([True, False]), np.array([5, -3]), np.array([7, 2])), exp.Sum())
    (2, 9)
    """
    if records.unknown or not len(records.sure):
        return NOTHING
    low = np.where(records.sure, records.low, np.minimum(records.low, 0))
    high = np.where(records.sure, records.high, np.maximum(records.high, 0))
    return total(low), total(high)


def avg_bounds(records: Records, call: exp.Expression) -> Pair:  # noqa: ARG001
    """
    >>> ends = np.array([10, 0, 100])
    >>> [float(end) for end in avg_bounds(Records(np.array([True, False, False]), ends, ends), exp.Avg())]
    [5.0, 55.0]
    """
    if records.unknown or not len(records.sure):
        return NOTHING
    least = largest_ratio(-records.low, records.sure)
    return -least, largest_ratio(records.high, records.sure)


def min_bounds(records: Records, call: exp.Expression) -> Pair:  # noqa: ARG001
    """Bounds of a minimum. Without a sure record one alone may match, the highest."""
    if not len(records.sure):
        return NOTHING
    lower = None if records.unknown else _plain(records.low.min())
    if records.sure.any():
        return lower, _plain(records.high[records.sure].min())
    return lower, None if records.unknown else _plain(records.high.max())


def max_bounds(records: Records, call: exp.Expression) -> Pair:
    """The least and the largest that MAX can be, from MIN of the mirrored values."""
    return _turned(min_bounds(records.mirrored(), call))


def quantile_bounds(records: Records, call: exp.Expression) -> Pair:
    """The lowest choice of so many possible records, for each number of them; the least quantile of these."""
    if records.unknown or not len(records.sure):
        return NOTHING
    lower = _least_quantile(records, call, from_above=False)
    return lower, -_least_quantile(records.mirrored(), call, from_above=True)


def variance_bounds(records: Records, call: exp.Expression) -> Pair:
    """Both are safe; the lower one is attained where all records are sure, and both if these are exact."""
    minus = 1 if isinstance(call, SAMPLE) else 0
    if records.unknown or len(records.sure) <= minus:
        return NOTHING
    low, high = _centred(records)
    room = ROUNDING * float(np.maximum(low * low, high * high).sum())
    squares = _least_squares(low[records.sure], high[records.sure])
    lower = max(squares - room, 0.0) / (len(low) - minus)
    upper = _most_squares(low, high, records.sure, minus) + room
    return (lower**0.5, upper**0.5) if isinstance(call, ROOT) else (lower, upper)


def total(values: AnyArray) -> int | float:
    """Whole numbers are added exactly, however large they grow."""
    if values.dtype == np.int64 and len(values) * float(np.abs(values.astype(float)).max(initial=0)) > 2**62:
        return int(sum(values.tolist()))
    return _plain(values.sum())


def largest_ratio(values: AnyArray, sure: Bools, minus: int = 0) -> Figure:
    """The largest sum / (count - minus) over all choices of possible records that make a count above minus.

    Taking all values above the ratio reached so far can only raise it (Dinkelbach 1967); few steps do.
    """
    forced = sure.copy()
    if (short := minus + 1 - int(sure.sum())) > 0:
        others = np.flatnonzero(~sure)
        forced[others[np.argsort(values[others])[-short:]]] = True
    base, size, others = total(values[forced]), int(forced.sum()) - minus, values[~forced]
    best = _ratio(base, size)
    while True:
        others = others[others > float(best)]
        reached = _ratio(base + total(others), size + len(others))
        if reached <= best:
            return best
        best = reached


def _ratio(amount: int | float, count: int) -> Figure:
    return Fraction(amount, count) if isinstance(amount, int) else amount / count


def _plain(number: Any) -> int | float:
    return int(number) if isinstance(number, np.integer) else float(number)


def _turned(pair: Pair) -> Pair:
    lower, upper = (None if end is None else -end for end in pair)
    return upper, lower


def _least_quantile(records: Records, call: exp.Expression, from_above: bool) -> Figure:
    """The least quantile. In order, the k-th value of all sure and j possible records is the k-th of all if
    it lies below the j-th possible one, else the (k - j)-th sure one."""
    continuous, sure = isinstance(call, CONTINUOUS), records.sure
    values = records.low.astype(float) if continuous else records.low  # every digit of what is not halved
    order = np.argsort(values)
    merged, alone = values[order], np.append(np.sort(values[sure]), values.max())
    ends = np.append(0, np.flatnonzero(~sure[order]) + 1)  # where the j-th possible one stands
    taken = np.arange(len(ends))[(0 if sure.any() else 1) :]
    counts = int(sure.sum()) + taken

    def ranked(at: AnyArray) -> AnyArray:
        inside = at < ends[taken]
        return np.where(inside, merged[np.where(inside, at, 0)], alone[np.where(inside, 0, at - taken)])

    def between(place: AnyArray, rest: AnyArray, cut: bool) -> float:
        first, second = ranked(place), ranked(place + (rest > 0))
        found = first + rest * (second - first)
        return float(np.where(first < second, _towards_zero(found), first).min() if cut else found.min())

    if not continuous:
        return _plain(ranked(_places(call, counts, from_above)[0]).min())
    least = between(*_places(call, counts, from_above), cut=False)
    if records.broken:
        least = min(least, between(*_rounded_places(call, counts, from_above), cut=True))
    if least.is_integer():
        return int(least)
    return Decimal(repr(least)) if records.broken else least


def _places(call: exp.Expression, counts: AnyArray, from_above: bool) -> tuple[AnyArray, AnyArray]:
    """The place of a quantile among so many values, counted from 0, and how far it lies towards the next
    one."""
    share = share_of(call)
    if isinstance(call, CONTINUOUS):
        steps = share.numerator * (counts - 1)
    else:
        steps = (np.maximum(-(-share.numerator * counts // share.denominator), 1) - 1) * share.denominator
    if from_above:
        steps = share.denominator * (counts - 1) - steps
    return steps // share.denominator, steps % share.denominator / share.denominator


def _rounded_places(call: exp.Expression, counts: AnyArray, from_above: bool) -> tuple[AnyArray, AnyArray]:
    """The same in floats, as an engine counts: 29 % of 100 steps are 28.999999999999996."""
    steps = (counts - 1) * float(share_of(call))
    steps = counts - 1 - steps if from_above else steps
    place = np.floor(steps).astype(int)
    return place, steps - place


def _towards_zero(values: AnyArray) -> AnyArray:
    """Decimals as an engine cuts them to their last digit, after as much rounding as it may have done."""
    return np.asarray(np.trunc(values - ROUNDING * np.abs(values)))


def share_of(call: exp.Expression) -> Fraction:
    """The share at which a quantile lies, as an exact fraction; one half for the median."""
    if isinstance(call, exp.Median):
        return Fraction(1, 2)
    share = call.args.get("quantile") or call.args.get("expression")
    if isinstance(share, exp.Literal) and not share.is_string and len(share.this) < 20:
        found = Fraction(share.this)
        if 0 <= found <= 1 and found.denominator <= FINEST:
            return found
    raise ShoalError(
        "the share of a quantile is a number from 0 to 1 of at most nine digits",
        "ask like this: quantile_cont(salary, 0.25).",
    )


def _centred(records: Records) -> tuple[AnyArray, AnyArray]:
    """Numbers near 0 keep their digits when they are squared."""
    low, high = records.low.astype(float), records.high.astype(float)
    centre = (low.mean() + high.mean()) / 2
    return low - centre, high - centre


def _least_squares(low: AnyArray, high: AnyArray) -> float:
    """The least sum of squared deviations from a common centre, which lies where both sides pull alike."""
    if not len(low) or low.max() <= high.min():
        return 0.0
    first, last = float(high.min()), float(low.max())
    for _ in range(HALVINGS):
        centre = (first + last) / 2
        if np.maximum(low - centre, 0).sum() > np.maximum(centre - high, 0).sum():
            first = centre
        else:
            last = centre
    return float((np.maximum(np.maximum(low - centre, centre - high), 0) ** 2).sum())


def _most_squares(low: AnyArray, high: AnyArray, sure: Bools, minus: int) -> float:
    """The largest mean square around a centre is at least the variance, for any centre; the best of some.

    It is convex in the centre: the golden section finds the least.
    """

    def around(centre: float) -> float:
        return float(largest_ratio(np.maximum(centre - low, high - centre) ** 2, sure, minus))

    if sure.all() and np.array_equal(low, high):
        return around(float(low.mean()))
    first, last, golden = float(low.min()), float(high.max()), (5**0.5 - 1) / 2
    inner = [last - golden * (last - first), first + golden * (last - first)]
    found = [around(centre) for centre in inner]
    best = min(found)
    for _ in range(STEPS):
        if found[0] < found[1]:
            last, inner, found = inner[1], [inner[1] - golden * (inner[1] - first), inner[0]], [0.0, found[0]]
            found[0] = around(inner[0])
        else:
            first, inner, found = inner[0], [inner[1], inner[0] + golden * (last - inner[0])], [found[1], 0.0]
            found[1] = around(inner[1])
        best = min(best, *found)
    return best


Rule = Callable[[Records, exp.Expression], Pair]
RULES: dict[type[exp.Expression], Rule] = {
    exp.Sum: sum_bounds,
    exp.Avg: avg_bounds,
    exp.Min: min_bounds,
    exp.Max: max_bounds,
    exp.Median: quantile_bounds,
    exp.PercentileCont: quantile_bounds,
    exp.PercentileDisc: quantile_bounds,
    exp.Quantile: quantile_bounds,
    exp.Variance: variance_bounds,
    exp.VariancePop: variance_bounds,
    exp.Stddev: variance_bounds,
    exp.StddevSamp: variance_bounds,
    exp.StddevPop: variance_bounds,
}
