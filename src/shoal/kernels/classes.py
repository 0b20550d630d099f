"""Classes: records that an attacker cannot tell apart by what was published."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.codes import ranks_below

MOST_COMBINATIONS = 30_000_000
MOST_COUNTS = 10_000_000


def class_sizes(keys: list[Any]) -> Ints:
    """How often each combination of keys occurs.

    >>> sorted(class_sizes([np.array([1, 1, 2]), np.array([5, 5, 5])]).tolist())
    [1, 2]
    """
    return np.bincount(class_numbers(keys))


def class_numbers(keys: list[Any]) -> Ints:
    """The class of every record, numbered from 0 on. After every key the combinations that occur are numbered
    anew, in order, so they never outgrow a table; few of them without sorting.

    >>> class_numbers([np.array([7, 5, 7])]).tolist()
    [1, 0, 1]
    """
    number = np.zeros(len(keys[0]), np.int64)
    if not len(number):
        return number
    classes = 1
    for key in keys:
        plain = _plain(key)
        if classes * _span(plain) > MOST_COMBINATIONS and not _holds(number, plain):
            plain = dense_numbers(plain)
        combinations = classes * _span(plain)
        number *= _span(plain)
        number += plain
        number -= int(plain.min())
        number = (
            ranks_below(number, combinations) if combinations <= MOST_COMBINATIONS else dense_numbers(number)
        )
        classes = int(number.max()) + 1
    return number


def _span(key: Any) -> int:
    return int(key.max()) - int(key.min()) + 1


def in_order(values: Any) -> tuple[Ints, Any]:
    """The places of values in ascending order, and the values there, less the least of them.

    Value and place are sorted as one number where they fit 64 bits, which is much faster.

    >>> order, values = in_order(np.array([7, 5, 7]))
    >>> order.tolist(), values.tolist()
    ([1, 0, 2], [0, 2, 2])
    """
    if not len(values):
        return np.zeros(0, np.int64), values
    bits = max(len(values) - 1, 1).bit_length()
    least = int(values.min())
    if (int(values.max()) - least).bit_length() + bits > 63:
        order = np.argsort(values, kind="stable")
        return order, np.unique(values[order], return_inverse=True)[1]
    packed = (values.astype(np.int64, copy=False) - least) << bits
    packed |= np.arange(len(values))
    packed.sort()
    return packed & ((1 << bits) - 1), packed >> bits


def dense_numbers(values: Any) -> Ints:
    """Equal values have equal numbers, from 0 on and in order.

    >>> dense_numbers(np.array([70, 5, 70])).tolist()
    [1, 0, 1]
    """
    order, ordered = in_order(values)
    numbers = np.zeros(len(values), np.int64)
    numbers[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return numbers


def _holds(number: Ints, key: Any) -> bool:
    """Do pairs of these, beside a place, fit 64 bits?"""
    pairs = (int(number.max(initial=0)) + 1) * (int(key.max(initial=0)) - int(key.min(initial=0)) + 1)
    return pairs.bit_length() + len(number).bit_length() < 63


def counts_by_class(classes: Ints, values: Ints, width: int) -> Iterator[Ints]:
    """How often each value occurs in each class, in the order of the classes, some of them at a time.

    >>> [counts.tolist() for counts in counts_by_class(np.array([4, 2, 4]), np.array([0, 1, 1]), 2)]
    [[[0, 1], [1, 1]]]
    """
    number = np.unique(classes, return_inverse=True)[1]
    at_once = max(MOST_COUNTS // width, 1)
    order = np.argsort(number, kind="stable")
    number, values = number[order], values[order]
    for first in range(0, int(number[-1]) + 1, at_once):
        part = slice(*np.searchsorted(number, [first, first + at_once]))
        rows = int(number[part][-1]) - first + 1
        places = (number[part] - first) * width + values[part]
        yield np.bincount(places, minlength=rows * width).reshape(rows, width)


def one_of_each(numbers: Ints) -> Ints:
    """A record of every class, in the order of their numbers.

    >>> one_of_each(np.array([1, 0, 1])).tolist()
    [1, 2]
    """
    found = np.empty(int(numbers.max(initial=-1)) + 1, np.int64)
    found[numbers] = np.arange(len(numbers))
    return found


def _plain(key: Any) -> Any:
    """Unbounded integers as ranks, which sort alike."""
    return np.unique(key, return_inverse=True)[1] if key.dtype == object else key
