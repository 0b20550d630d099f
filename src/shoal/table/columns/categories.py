"""Columns of words: one code per different value, in the order of the words; missing comes last.

A value has one word however its cells are spelt (``same_value``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools, Ints, SmallInts
from shoal.table.columns.arrow_numpy import numpy_from_arrow
from shoal.table.columns.dictionary_encoding import EncodedColumn, Uncomparable, encode
from shoal.table.columns.same_value import value_of
from shoal.table.columns.spelling import same_values


@dataclass(frozen=True)
class Categories:
    """``words[code]`` is what a cell says; None where it is missing. ``counts`` says for how many cells each
    of them stands, where that is not one."""

    codes: SmallInts
    words: tuple[str | None, ...]
    counts: Ints | None = None

    @property
    def missing(self) -> Bools:
        return self.codes == len(self.words) - 1 if None in self.words else np.zeros(len(self.codes), bool)

    def in_order(self, order: Sequence[str]) -> "Categories":
        """The same with these words first, one after the other; without an order words stay as they are.

        >>> categories_from_arrow(pa.chunked_array([["old", "young"]])).in_order(["young", "old"]).words
        ('young', 'old')
        """
        if not order:
            return self
        rank = {value_of(word): at for at, word in enumerate(order)}
        places = sorted(range(len(self.words)), key=lambda at: rank.get(self.words[at], len(rank)))
        new = np.empty(len(places), np.int32)
        new[places] = np.arange(len(places))
        return Categories(new[self.codes], tuple(self.words[at] for at in places), self.counts)

    def word_counts(self) -> dict[str | None, int]:
        """How often each word occurs."""
        occurs = np.bincount(self.codes, self.counts, len(self.words))
        return dict(zip(self.words, map(int, occurs), strict=True))


def categories_from_arrow(column: pa.ChunkedArray) -> Categories:
    """
    >>> found = categories_from_arrow(pa.chunked_array([["north", None, "east"]]))
    >>> found.codes.tolist(), found.words
    ([1, 2, 0], ('east', 'north', None))
    """
    return categories_of(encode(column))


def categories_of(encoded: EncodedColumn, counts: Ints | None = None) -> Categories:
    """The cells of an encoded column as words, one for each value."""
    try:
        words = encode(same_values(encoded.cells))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        what = "a column holds bytes that are no text, or cells that have no words"
        raise Uncomparable(what, "make text or numbers of them, or leave the column out.") from None
    rank = np.empty(len(words.cells), np.int32)
    rank[numpy_from_arrow(pc.sort_indices(words.cells))] = np.arange(len(words.cells))  # missing comes last
    ordered = words.cells.take(pc.sort_indices(words.cells)).to_pylist()
    return Categories(rank[words.numbers][encoded.numbers], tuple(ordered), counts)
