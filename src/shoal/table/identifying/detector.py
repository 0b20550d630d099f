"""What detectors have in common: words go in, and out come those of a shape and those that pass its test.

Words may pass by chance: of all numbers of 16 digits one in ten has the check digit of a payment card. So
hits are judged by how many of the words of that shape would pass if they were none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow

PLAIN_NUMBER = r"^[+-]?(\d{1,8}(\.\d*)?|\.\d+)$"  # too short to name anybody
DIGITS = r"\d\D*\d\D*\d\D*\d"


@dataclass(frozen=True)
class DifferentWords:
    """Different words of a column, without missing ones and short numbers."""

    cells: pa.Array

    @cached_property
    def places(self) -> Ints:
        return np.arange(len(self.cells))

    @cached_property
    def with_digits(self) -> Ints:
        return np.flatnonzero(matching(self.cells, DIGITS))


@dataclass(frozen=True)
class Found:
    """Of some words: the places of those with the shape, which of these pass, and which are counted where the
    column is found to hold such values (those that pass, if nothing else is said)."""

    shaped: Ints
    passed: Bools
    likely: Bools | None = None

    @property
    def counted(self) -> Ints:
        return self.shaped[self.passed if self.likely is None else self.passed | self.likely]


@dataclass(frozen=True)
class Detector:
    """A kind of value that names people, and how a cell of it is called. So many of the words of its shape
    pass by ``chance``, fewer than so many different hits are none, and none of them has more than so many
    rows on average."""

    kind: str
    find: Callable[[DifferentWords], Found]
    chance: float = 0.0
    fewest: int = 1
    most_rows: float = np.inf


def all_pass(cells: pa.Array) -> Bools:
    """Of some shapes every word is one."""
    return np.ones(len(cells), bool)


def by_shape(
    shape: str, passes: Callable[[pa.Array], Bools] = all_pass, having: str = ""
) -> Callable[[DifferentWords], Found]:
    """Find words with digits by a regular expression and a test; of words that ``have`` some sign instead.

    >>> by_shape(r"^\\d{4}-\\d{4}$")(DifferentWords(pa.array(["a", "1234-5678"]))).shaped.tolist()
    [1]
    """

    def find(words: DifferentWords) -> Found:
        places = words.with_digits
        if having:
            places = np.flatnonzero(numpy_from_arrow(pc.match_substring(words.cells, having)))
        shaped = (
            places[matching(words.cells.take(arrow_from_numpy(places)), shape)] if len(places) else places
        )
        return Found(shaped, passes(words.cells.take(arrow_from_numpy(shaped))))

    return find


def matching(cells: pa.Array, shape: str) -> Bools:
    """Which cells have a place that matches."""
    found: Bools = numpy_from_arrow(pc.match_substring_regex(cells, shape))
    return found
