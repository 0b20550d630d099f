"""Whole means that keep a total, each the true mean rounded down or up.

Let a group of s rows have the sum s f + r with 0 <= r < s. Some of the groups with r > 0 are raised from f to
f + 1, such that their sizes add up to the sum of all r; among groups of one size, those with the largest r
come first, and raising one costs s - 2r in squared distance. So what is sought is how many of each size.
Groups are raised in the order of r / s while there is enough; from there, a dynamic programme over the sizes
finds the cheapest way to make up what is lacking, with a few more of some sizes and a few less of others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.methods.means.whole_means import floors_of

WORK = 200_000_000  # additions that a search may take
REACH = 2  # of the largest groups: how far from 0 sums may go on the way, and steps of one size


def split_means(values: Ints, group_of: Ints) -> Ints | None:
    """The mean of every group, rounded down or up such that the total is that of the values; None if that
    cannot be, or is not found in reasonable time.

    >>> split_means(np.array([0, 0, 1, 0, 1, 1, 0]), np.array([0, 0, 0, 1, 1, 2, 2])).tolist()
    [1, 0, 0]
    """
    floors, rests, sizes = floors_of(values, group_of, int(group_of.max(initial=-1)) + 1)
    total = int(rests.sum())
    if total == 0:
        return np.asarray(floors)
    free = np.flatnonzero(rests > 0)
    order = free[np.argsort(-rests[free] / sizes[free], kind="stable")]
    taken = int(np.searchsorted(np.cumsum(sizes[order]), total, side="right"))
    kinds = [
        _Size(int(size), order[sizes[order] == size], int((sizes[order[:taken]] == size).sum()))
        for size in np.unique(sizes[order])
    ]
    steps = _cheapest_steps(kinds, rests, total - int(sizes[order[:taken]].sum()))
    if steps is None:
        return None
    means = floors.copy()
    for kind, step in zip(kinds, steps, strict=True):
        means[kind.groups[: kind.raised + step]] += 1
    return np.asarray(means)


@dataclass(frozen=True)
class _Size:
    """The groups of one size in the order in which they are raised, and how many of them are."""

    size: int
    groups: Ints
    raised: int

    def costs(self, rests: Ints, reach: int) -> tuple[int, Any]:
        """The fewest steps that can be taken, and what this and each further number of steps cost."""
        prices = np.append(0, np.cumsum(self.size - 2 * rests[self.groups]))
        first = max(self.raised - reach, 0)
        return first - self.raised, prices[first : self.raised + reach + 1] - prices[self.raised]


def _cheapest_steps(kinds: list[_Size], rests: Ints, lacking: int) -> list[int] | None:
    """How many more groups of each size have to be raised."""
    largest = max(kind.size for kind in kinds)
    reach = REACH * largest
    if len(kinds) * (2 * reach + 1) ** 2 > WORK:
        return None
    best = np.full(2 * reach + 1, np.inf)
    best[reach] = 0.0
    choices = []
    for kind in kinds:
        first, costs = kind.costs(rests, reach)
        found, chosen = np.full(len(best), np.inf), np.zeros(len(best), np.int64)
        for step, cost in enumerate(costs.tolist(), first):
            moved = _shifted(best, step * kind.size) + cost
            better = moved < found
            found[better], chosen[better] = moved[better], step
        best = found
        choices.append(chosen)
    at = reach + lacking
    if best[at] == np.inf:
        return None
    steps = []
    for kind, chosen in zip(reversed(kinds), reversed(choices), strict=True):
        steps.append(int(chosen[at]))
        at -= steps[-1] * kind.size
    return steps[::-1]


def _shifted(values: Any, by: int) -> Any:
    """Every value so many places further, and nothing where none comes from."""
    moved = np.full(len(values), np.inf)
    if abs(by) < len(values):
        moved[max(by, 0) : len(values) + min(by, 0)] = values[max(-by, 0) : len(values) - max(by, 0)]
    return moved
