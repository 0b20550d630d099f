"""Which values have enough company in every range an attacker may know.

An attacker who knows f up to a share d, without knowing where in the range it lies, holds some
interval of width 2 d |f| that contains f. A record may be published as it is when each of these
intervals holds at least k records.
"""

from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Bools, Ints
from shoal.kernels.compiled import compiled
from shoal.methods.aggregates.knowledge import Tolerance

SLACK = 1e-9


def has_enough_nearby(ordered: AnyArray, k: int, within: Tolerance) -> Bools:
    """For ascending values: which have k of them in every range that the attacker may hold?"""
    share = strict_share(within)
    return (
        has_enough_in_every_band(ordered, share, k) if within.anywhere else band_counts(ordered, share) >= k
    )


def strict_share(within: Tolerance) -> float:
    """Bands are compared in floats, a little too strictly, never too loosely."""
    return within.share * (1 - SLACK)


def band_counts(ordered: AnyArray, share: float) -> Ints:
    """For ascending values: how many lie in the band v - d|v| .. v + d|v| around each.

    >>> band_counts(np.array([100, 104, 200]), 0.05).tolist()
    [2, 2, 1]
    """
    values = ordered.astype(np.float64)
    reach = share * np.abs(values)
    inside = np.searchsorted(values, values + reach, "right") - np.searchsorted(
        values, values - reach, "left"
    )
    return np.asarray(inside)


def has_enough_in_every_band(ordered: AnyArray, share: float, k: int) -> Bools:
    """For ascending values: has every interval of width 2 d |v| around v at least k of them?

    Shares above 1/2 are answered as if nothing but equal values were near, which is safe.

    >>> has_enough_in_every_band(np.array([90, 95, 100, 105, 110, 500]), 0.1, 3).tolist()
    [False, False, True, False, False, False]
    """
    values = ordered.astype(np.float64)
    width_share = 2 * share if share <= 0.5 else 0.0
    safe = np.zeros(len(values), np.bool_)
    zero = int(np.searchsorted(values, 0.0))
    _sweep(values, zero, width_share, k, safe)
    mirrored = np.zeros(len(values), np.bool_)
    _sweep(
        -values[::-1],
        len(values) - int(np.searchsorted(values, 0.0, "right")),
        width_share,
        k,
        mirrored,
    )
    safe[:zero] = mirrored[::-1][:zero]
    return safe


@compiled
def _sweep(values: Any, first: int, width_share: float, k: int, safe: Any) -> None:
    """Values from ``first`` on are not negative; their intervals only ever move to the right.

    The interval that starts just behind position p holds k values if the k-th next one is near:
    ``gap[p] = values[p + k] - values[p]``. A queue keeps the largest gap among the p in question.
    """
    rows = len(values)
    queue = np.empty(rows, np.int64)
    head, tail, entered, left = 0, 0, 0, 0
    for i in range(first, rows):
        value = values[i]
        width = width_share * value
        while entered < rows and values[entered] < value:
            if entered + 1 < rows and values[entered + 1] == values[entered]:
                entered += 1
                continue
            gap = values[entered + k] - values[entered] if entered + k < rows else np.inf
            while tail > head:
                other = queue[tail - 1]
                other_gap = values[other + k] - values[other] if other + k < rows else np.inf
                if other_gap > gap:
                    break
                tail -= 1
            queue[tail] = entered
            tail += 1
            entered += 1
        while values[left] < value - width:
            left += 1
        while head < tail and values[queue[head]] < value - width:
            head += 1
        right = i
        while right + 1 < rows and values[right + 1] == value:
            right += 1
        enough = right - left + 1 >= k
        if enough and head < tail:
            worst = queue[head]
            enough = worst + k < rows and values[worst + k] - values[worst] <= width
        safe[i] = enough
