"""All ways to give the values of classes to their people, and all points of published ranges."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from math import factorial, prod

import numpy as np

from shoal.arrays import Ints


def number_of_arrangements(codes: Ints, classes: Ints) -> int:
    """How many ways there are that differ.

    >>> number_of_arrangements(np.array([7, 7, 9, 1, 2]), np.array([0, 0, 0, 1, 1]))
    6
    """
    return prod(_ways(codes[classes == one].tolist()) for one in np.unique(classes))


def _ways(codes: list[int]) -> int:
    return factorial(len(codes)) // prod(factorial(count) for count in Counter(codes).values())


def all_arrangements(codes: Ints, classes: Ints) -> Iterator[Ints]:
    """All different ways to say from whom everybody has their value.

    >>> [way.tolist() for way in all_arrangements(np.array([7, 7, 9]), np.array([0, 0, 0]))]
    [[0, 0, 2], [0, 2, 0], [2, 0, 0]]
    """
    places = [np.flatnonzero(classes == one) for one in np.unique(classes)]
    sources = [{int(codes[at]): int(at) for at in own[::-1]} for own in places]
    for ways in product(*(list(_orders(Counter(codes[own].tolist()))) for own in places)):
        way = np.empty(len(codes), np.int64)
        for own, source, values in zip(places, sources, ways, strict=True):
            way[own] = [source[value] for value in values]
        yield way


def _orders(left: Counter[int]) -> Iterator[tuple[int, ...]]:
    if not left.total():
        yield ()
        return
    for value in sorted(left):
        if left[value]:
            rest = left.copy()
            rest[value] -= 1
            for order in _orders(rest):
                yield (value, *order)


def random_arrangement(classes: Ints, random: np.random.Generator) -> Ints:
    """One of the ways, at random."""
    shuffled = random.permutation(len(classes))
    by_class, sources = (
        np.argsort(classes, kind="stable"),
        shuffled[np.argsort(classes[shuffled], kind="stable")],
    )
    way = np.empty(len(classes), np.int64)
    way[by_class] = sources
    return way


def number_of_points(low: Ints, high: Ints) -> int:
    """How many tables lie in these ranges, a row per record.

    >>> number_of_points(np.array([[0, 5]]), np.array([[1, 7]]))
    6
    """
    return prod((high - low + 1).ravel().tolist())


def all_points(low: Ints, high: Ints, most: int) -> Ints:
    """These tables, one behind the other, up to so many."""
    cells = [
        range(first, last + 1)
        for first, last in zip(low.ravel().tolist(), high.ravel().tolist(), strict=True)
    ]
    found = list(islice(product(*cells), most))
    return np.array(found, np.int64).reshape(len(found), *low.shape)
