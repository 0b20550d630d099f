"""Columns of words: one code per different value, in the order of the words; missing comes last."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.table.bridge import numpy_from_arrow

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Categories:
    """``words[code]`` is what a cell says; None where it is missing."""

    codes: Ints
    words: tuple[str | None, ...]

    @property
    def missing(self) -> NDArray[np.bool_]:
        return self.codes == len(self.words) - 1 if None in self.words else np.zeros(len(self.codes), bool)

    def stripped_counts(self) -> Counter[str | None]:
        """How often each word occurs, blanks around it taken away."""
        counts: Counter[str | None] = Counter()
        for word, count in zip(self.words, np.bincount(self.codes, minlength=len(self.words)), strict=True):
            counts[stripped(word)] += int(count)
        return counts


def stripped(word: str | None) -> str | None:
    return None if word is None else word.strip()


def categories_from_arrow(column: pa.ChunkedArray) -> Categories:
    """
    >>> found = categories_from_arrow(pa.chunked_array([["north", None, "east"]]))
    >>> found.codes.tolist(), found.words
    ([1, 2, 0], ('east', 'north', None))
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(array.type):  # whose words need not all differ
        array = array.dictionary_decode()
    encoded = array.cast(pa.string()).dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    words = encoded.dictionary.take(order).to_pylist()
    rank = np.empty(len(words) + 1, np.int64)
    rank[numpy_from_arrow(order)] = np.arange(len(words))
    rank[-1] = len(words)
    indices = encoded.indices.cast(pa.int64())
    codes = rank[numpy_from_arrow(indices.fill_null(-1) if indices.null_count else indices)]
    return Categories(codes, (*words, None) if indices.null_count else tuple(words))
