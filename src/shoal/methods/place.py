"""Rows into classes that are there already: each row goes to a class whose cells contain it.

A cell is a range of numbers or, in a column of words, a set of codes. Where several classes fit, one is
drawn by the keyed hash of the row number: taking the narrowest would tell that no narrower one fits.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.methods.compiled import compiled, over_ranges
from shoal.methods.keyed_hash import Key, Purpose, siphash
from shoal.methods.ranges import Ints

NUMBERS = -1


@dataclass(frozen=True)
class Boxes:
    """The cells of every class: ``low .. high`` in a column of numbers. In a column of words the codes that
    a class has are true in ``has``, whose columns for that column begin at ``begins``."""

    low: Ints
    high: Ints
    has: NDArray[np.bool_]
    begins: Ints  # NUMBERS in a column of numbers


def place(values: Ints, boxes: Boxes, key: Key) -> Ints:
    """A class for every row; -1 where none fits.

    >>> from shoal.methods.keyed_hash import seeded_key
    >>> ages = Boxes(np.array([[20], [30]]), np.array([[29], [35]]), np.zeros((2, 0), bool), np.array([-1]))
    >>> place(np.array([[31], [20], [40]]), ages, seeded_key(0)).tolist()
    [1, 0, -1]
    """
    found = np.empty(len(values), np.int64)
    draws = (key[0], key[1], np.uint64(Purpose.CLASSES))

    def work(start: int, stop: int) -> None:
        _place(values, boxes.low, boxes.high, boxes.has, boxes.begins, draws, start, stop, found)

    over_ranges(work, len(values))
    return found


@compiled
def _place(
    values: Any, low: Any, high: Any, has: Any, begins: Any, draws: Any, start: int, stop: int, found: Any
) -> None:
    for row in range(start, stop):
        found[row] = -1
        least = np.uint64(0)
        for box in range(len(low)):
            fits = True
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
