"""Published cells of any kind, made comparable: one number per different cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.table.encoded import encode
from shoal.table.numbers import is_text
from shoal.table.table import Table
from shoal.verify.cells import BadCells, Published
from shoal.verify.classes import class_numbers
from shoal.verify.sets import words_of

STAR = "*"
BITS = 50  # of a float, which are fifteen digits


@dataclass(frozen=True)
class Comparable:
    """One number per different cell, and a mark for cells that are suppressed (1) or missing (2)."""

    codes: NDArray[Any]
    hidden: NDArray[np.int8]

    def rows(self, taken: NDArray[np.int64]) -> "Comparable":
        return Comparable(self.codes[taken], self.hidden[taken])


def comparable(published: Published, name: str) -> Comparable:
    """Numbers and ranges compare by value (1.0 is 1), everything else by what is written."""
    return published.once(("comparable", name), lambda: _comparable(published, name))


def _comparable(published: Published, name: str) -> Comparable:
    few = published.encoded(name)
    if few is None:
        return _cell_by_cell(published, name)
    words = _cell_by_cell(Published(Table(pa.table({name: few.cells})), published.ways), name)
    small = class_numbers([words.codes]).astype(np.int32)
    return Comparable(small[few.numbers], words.hidden[few.numbers])


def _cell_by_cell(published: Published, name: str) -> Comparable:
    try:
        cells = published.cells(name)
        if not published.tells(name) and is_text(published.table.column(name).type):
            # no number says that an empty text is a missing number
            return _as_written(published.table.column(name))
    except BadCells as error:
        try:
            return _as_written(published.table.column(name))
        except pa.ArrowNotImplementedError:  # lists and other cells that Arrow cannot compare
            raise ShoalError([error.fault]) from None
    hidden = cells.suppressed + 2 * cells.missing.astype(np.int8)
    keys: list[Any] = [cells.low] if np.array_equal(cells.low, cells.high) else [cells.low, cells.high]
    if cells.reals is not None:  # a grid for the largest of them is too coarse for the smallest
        keys = [_ranks(cells.reals)]
    if hidden.any():
        keys.append(hidden)
    return Comparable(keys[0] if len(keys) == 1 else class_numbers(keys), hidden)


def _ranks(reals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of real numbers; those that agree in fifteen digits are one.

    >>> _ranks(np.array([1e9, 1e-7, 2e-7, 0.1 + 0.2, 0.3])).tolist()
    [3, 0, 1, 2, 2]
    """
    return np.unique(fifteen_digits(reals), return_inverse=True)[1].astype(np.int64)


def fifteen_digits(reals: NDArray[np.float64]) -> NDArray[np.float64]:
    parts, exponents = np.frexp(reals)
    return np.asarray(np.ldexp(np.rint(np.ldexp(parts, BITS)), exponents - BITS))


def one_way(word: str) -> str:
    """A star or a set, however it is written, in one way: words in order; a set of one is the word."""
    if not word.startswith("{"):
        return STAR if word.strip() == STAR else word
    words = words_of(word)
    if words is None or len(words) == 1:
        return word if words is None else next(iter(words)) or word
    return "{" + ", ".join(sorted(repr(part) for part in words)) + "}"


def _as_written(column: Any) -> Comparable:
    encoded = encode(column)
    words = encoded.cells.to_pylist()
    ways = [one_way(word) if isinstance(word, str) else word for word in words]
    numbers: dict[Any, int] = {}
    codes = np.array([numbers.setdefault(word, len(numbers)) for word in ways], np.int32)
    hidden = np.array([1 if word == STAR else 2 if word is None else 0 for word in ways], np.int8)
    return Comparable(codes[encoded.numbers], hidden[encoded.numbers])
