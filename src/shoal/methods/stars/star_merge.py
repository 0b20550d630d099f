"""Classes that are too small, or not diverse enough, join others where that takes the fewest stars."""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.codes import dense_codes
from shoal.kernels.compiled import compiled
from shoal.methods.diversity import Diversity, diverse
from shoal.methods.stars.star_sets import star_cost

MOST_LOOKS = 20_000_000  # at classes, in all
FEWEST_LOOKS = 1_000  # to place one class
SUPPRESSED = -1


class StarMerge(NamedTuple):
    """Classes of starred records as arrays while they are merged."""

    sizes: Any  # 0 once a class has gone into another one
    stars: Any
    heads: Any  # one record of every class
    counts: Any  # of the sensitive values of every class
    into: Any  # the class that each has gone into


def merge_classes(
    codes: Ints, class_of: Ints, k: int, weights: Floats, diversity: Diversity, limit: int
) -> Ints:
    """Classes of at least k records, diverse enough; SUPPRESSED for at most ``limit`` records.

    Records without a class, below 0, begin as one with those that are equal. Suppressing a record counts
    as much as starring all of it.
    """
    alone = np.where(class_of < 0, 1 + dense_codes(list(codes.T)), 0)
    classes = dense_codes([class_of + 1, alone])
    sizes = np.bincount(classes)
    heads = np.zeros(len(sizes), np.int64)
    heads[classes] = np.arange(len(classes))
    counts: Any = np.zeros((len(sizes), *diversity.counters().shape), np.int32)
    for at in range(len(diversity.rules)):
        np.add.at(counts[:, at], (classes, diversity.codes[:, at]), 1)
    merging = StarMerge(sizes, class_stars(codes, classes, heads), heads, counts, np.arange(len(sizes)))
    _merge(merging, codes, k, weights, diversity.rules, 0 if diversity else limit)
    return np.asarray(merging.into[classes])


def class_stars(codes: Ints, classes: Ints, heads: Ints) -> Ints:
    """For every class, the columns in which its records differ, as a bit mask.

    >>> class_stars(np.array([[1, 5], [1, 6], [2, 5]]), np.array([0, 0, 1]), np.array([0, 2])).tolist()
    [2, 0]
    """
    stars = np.zeros(len(heads), np.int64)
    for at, column in enumerate(codes.T):
        different = np.unique(classes[column != column[heads[classes]]])
        stars[different] |= 1 << at
    return stars


@compiled
def _merge(merging: Any, codes: Any, k: int, weights: Any, rules: Any, limit: int) -> None:
    failing = 0
    for number in range(len(merging.sizes)):
        failing += not _passes(merging, number, k, rules)
    passing = len(merging.sizes) - failing
    looks = max(FEWEST_LOOKS, MOST_LOOKS // max(failing, 1))
    for number in range(len(merging.sizes)):
        while merging.sizes[number] > 0 and not _passes(merging, number, k, rules):
            other, cost = _cheapest(merging, codes, number, looks, weights)
            if other < 0:
                break
            if passing and merging.sizes[number] <= limit and cost > merging.sizes[number] * weights.sum():
                limit -= merging.sizes[number]
                merging.sizes[number] = 0
                merging.into[number] = SUPPRESSED
                break
            passing -= _passes(merging, other, k, rules)
            _join(merging, codes, number, other)
            passing += _passes(merging, number, k, rules)
    for number in range(len(merging.into)):
        end = merging.into[number]
        while end >= 0 and merging.into[end] != end:
            end = merging.into[end]
        merging.into[number] = end


@compiled
def _passes(merging: Any, number: int, k: int, rules: Any) -> bool:
    return merging.sizes[number] >= k and (len(rules) == 0 or diverse(merging.counts[number], rules))


@compiled
def _cheapest(merging: Any, codes: Any, number: int, looks: int, weights: Any) -> Any:
    """The class that is cheapest to join among the next ones, and what that costs."""
    best, least, seen = -1, np.inf, 0
    for step in range(1, len(merging.sizes)):
        other = (number + step) % len(merging.sizes)
        if merging.sizes[other] == 0:
            continue
        seen += 1
        if seen > looks:
            break
        stars = _common_stars(merging, codes, number, other)
        cost = 0.0
        for one in (number, other):
            cost += merging.sizes[one] * star_cost(stars & ~merging.stars[one], weights)
        if cost < least:
            best, least = other, cost
    return best, least


@compiled
def _common_stars(merging: Any, codes: Any, number: int, other: int) -> Any:
    stars = merging.stars[number] | merging.stars[other]
    one, two = merging.heads[number], merging.heads[other]
    for at in range(codes.shape[1]):
        stars |= np.int64(codes[one, at] != codes[two, at]) << at
    return stars


@compiled
def _join(merging: Any, codes: Any, number: int, other: int) -> None:
    merging.stars[number] = _common_stars(merging, codes, number, other)
    merging.sizes[number] += merging.sizes[other]
    merging.counts[number] += merging.counts[other]
    merging.sizes[other] = 0
    merging.into[other] = number
