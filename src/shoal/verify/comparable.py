"""Published cells of any kind, made comparable: one number per different cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.table.bridge import numpy_from_arrow
from shoal.table.numbers import is_text
from shoal.verify.cells import BadCells, Published
from shoal.verify.classes import class_numbers
from shoal.verify.sets import words_of

STAR = "*"


@dataclass(frozen=True)
class Comparable:
    """One number per different cell, and a mark for cells that are suppressed (1) or missing (2)."""

    codes: NDArray[np.int64]
    hidden: NDArray[np.int64]

    @property
    def keys(self) -> list[NDArray[np.int64]]:
        return [self.codes, self.hidden]


def comparable(published: Published, name: str) -> Comparable:
    """Numbers and ranges compare by value (1.0 is 1), everything else by what is written."""
    return published.once(("comparable", name), lambda: _comparable(published, name))


def _comparable(published: Published, name: str) -> Comparable:
    try:
        cells = published.cells(name)
        if cells.missing.all() and is_text(published.table.column(name).type):
            # no number says that an empty text is a missing number
            return _as_written(published.table.column(name))
    except BadCells as error:
        try:
            return _as_written(published.table.column(name))
        except pa.ArrowNotImplementedError:  # lists and other cells that Arrow cannot compare
            raise ShoalError([error.fault]) from None
    codes = cells.low
    if not np.array_equal(cells.low, cells.high):
        codes = class_numbers([cells.low, cells.high])
    return Comparable(codes, cells.suppressed + 2 * cells.missing.astype(np.int64))


def _one_way(word: str) -> str:
    """A set, however it is written, in one way: its words in order; a set of one is the word."""
    words = words_of(word)
    if words is None or len(words) == 1:
        return word if words is None else next(iter(words)) or word
    return "{" + ", ".join(sorted(repr(part) for part in words)) + "}"


def _as_written(column: Any) -> Comparable:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(array.type):  # whose words need not all differ
        array = array.dictionary_decode()
    encoded = array.dictionary_encode()
    if any(word and word.startswith("{") for word in encoded.dictionary.to_pylist() if isinstance(word, str)):
        words = [_one_way(word) for word in encoded.dictionary.to_pylist()]
        array = pa.array(words).take(encoded.indices)
        encoded = array.dictionary_encode()
    indices = encoded.indices.cast(pa.int64())
    codes = np.asarray(numpy_from_arrow(indices if indices.null_count == 0 else indices.fill_null(-1)))
    star = [at for at, word in enumerate(encoded.dictionary.to_pylist()) if word == STAR]
    return Comparable(codes, np.isin(codes, star) + 2 * (codes == -1).astype(np.int64))
