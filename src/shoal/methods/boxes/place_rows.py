"""Rows into classes that are there already: each row goes to a class whose cells contain it.

A cell is a range of numbers or, in a column of words, a set of codes. Where several classes fit, one is
drawn by the keyed hash of the row number: taking the narrowest would tell that no narrower one fits.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose, siphash

NUMBERS = -1
MOST_BUCKETS = 1000


@dataclass(frozen=True)
class Boxes:
    """The cells of every class: ``low .. high`` in a column of numbers. In a column of words the codes that
    a class has are true in ``has``, whose columns for that column begin at ``begins``."""

    low: Ints
    high: Ints
    has: Bools
    begins: Ints  # NUMBERS in a column of numbers


@dataclass(frozen=True)
class _Index:
    """Which boxes come into question for a row: those of the bucket in which its value of one column lies.

    Bucket b has the boxes ``members[starts[b]:starts[b + 1]]``.
    """

    column: int
    cuts: Ints  # where buckets of numbers begin; of words, every code is one
    starts: Ints
    members: Ints

    def buckets(self, values: Ints, boxes: Boxes) -> Ints:
        own = values[:, self.column]
        return own if boxes.begins[self.column] != NUMBERS else np.searchsorted(self.cuts, own, "right")


def place_rows(values: Ints, boxes: Boxes, key: Key) -> Ints:
    """A class for every row; -1 where none fits.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> ages = Boxes(np.array([[20], [30]]), np.array([[29], [35]]), np.zeros((2, 0), bool), np.array([-1]))
    >>> place_rows(np.array([[31], [20], [40]]), ages, seeded_key(0)).tolist()
    [1, 0, -1]
    """
    found = np.empty(len(values), np.int64)
    index = min(
        (_index(boxes, column) for column in range(values.shape[1])),
        key=lambda one: len(one.members) / len(one.starts),
    )
    bucket_of = index.buckets(values, boxes)
    draws = (key[0], key[1], np.uint64(Purpose.CLASSES))

    def work(start: int, stop: int) -> None:
        _place(
            values, boxes.low, boxes.high, boxes.has, boxes.begins, index.starts, index.members, bucket_of,
            draws, start, stop, found,
        )  # fmt: skip

    over_ranges(work, len(values))
    return found


def _index(boxes: Boxes, column: int) -> _Index:
    begin, cuts = int(boxes.begins[column]), np.zeros(0, np.int64)
    if begin != NUMBERS:
        end = min((int(other) for other in boxes.begins if other > begin), default=boxes.has.shape[1])
        buckets, members = np.nonzero(boxes.has[:, begin:end].T)
        count = end - begin
    else:
        low, high = boxes.low[:, column], boxes.high[:, column]
        cuts = np.unique(np.quantile(low, np.linspace(0, 1, MOST_BUCKETS), method="nearest"))
        first, last = (np.searchsorted(cuts, end, "right") for end in (low, high))
        members = np.repeat(np.arange(len(low)), last - first + 1)
        ahead = np.cumsum(last - first + 1) - (last - first + 1)
        buckets = np.arange(len(members)) - ahead[members] + first[members]
        order = np.argsort(buckets, kind="stable")
        buckets, members, count = buckets[order], members[order], len(cuts) + 1
    return _Index(column, cuts, np.searchsorted(buckets, np.arange(count + 1)), members)


@compiled
def _place(
    values: Any, low: Any, high: Any, has: Any, begins: Any, starts: Any, members: Any, bucket_of: Any,
    draws: Any, start: int, stop: int, found: Any,
) -> None:  # fmt: skip
    for row in range(start, stop):
        found[row] = -1
        least = np.uint64(0)
        for at in range(starts[bucket_of[row]], starts[bucket_of[row] + 1]):
            box, fits = members[at], True
            for column in range(values.shape[1]):
                value = values[row, column]
                if begins[column] == NUMBERS:
                    fits = low[box, column] <= value <= high[box, column]
                else:
                    fits = has[box, begins[column] + value]
                if not fits:
                    break
            if not fits:
                continue
            drawn = siphash(
                draws[0], draws[1], draws[2], np.uint64(row) * np.uint64(4294967296) + np.uint64(box)
            )
            if found[row] < 0 or drawn < least:
                found[row], least = box, drawn
