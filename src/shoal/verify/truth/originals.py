"""The original beside a release: its words, who of it was published, and which columns are as they were."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools, Ints
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.categories import Categories
from shoal.table.columns.dictionary_encoding import cell_by_cell, take_rows
from shoal.verify.cells.published_table import PublishedTable


def original_words(original: PublishedTable, policy: Policy, name: str) -> Categories:
    """The words of an original column, with "0" in missing cells where the policy says so."""
    words = original.table.words(name)
    if policy.missing_counts.get(name) != "zero":
        return words
    return replace(words, words=tuple("0" if word is None else word for word in words.words))


def first_publications(input_rows: Ints) -> Bools:
    """Nobody is published twice: of records made from one original only the first is true.

    >>> first_publications(np.array([4, 2, 4])).tolist()
    [True, True, False]
    """
    first = np.empty(int(input_rows.max(initial=-1)) + 1, np.int64)
    places = np.arange(len(input_rows))
    first[input_rows[::-1]] = places[::-1]
    return np.asarray(first[input_rows] == places)


def changed_columns(
    published: PublishedTable, original: PublishedTable, policy: Policy, input_rows: Ints | None
) -> list[str]:
    """Columns published as they are must hold the values they had (in any order without the link)."""
    taken = None if input_rows is None else arrow_from_numpy(input_rows)
    names = [*policy.having("sensitive"), *policy.having("other")]
    return [name for name in names if not _unchanged(published, original, name, taken)]


def _unchanged(published: PublishedTable, original: PublishedTable, name: str, taken: Any) -> bool:
    few, source = published.encoded(name), original.encoded(name)
    if few is None or source is None or taken is None:
        return _same(published.table.column(name), original.table.column(name), taken)
    numbers = {word: number for number, word in enumerate(source.cells.to_pylist())}
    of_word = np.array([numbers.get(word, -1) for word in few.cells.to_pylist()], np.int32)
    return bool(np.array_equal(of_word[few.numbers], source.numbers[numpy_from_arrow(taken)]))


def _same(column: Any, source: Any, taken: Any) -> bool:
    if taken is not None:
        source = take_rows(source, taken)
    column, source = (cell_by_cell(one) for one in (column, source))
    if column.type != source.type or pa.types.is_floating(column.type):  # as numbers, nan is never nan
        column, source = column.cast(pa.string()), source.cast(pa.string())
    if taken is not None:
        return bool(column.combine_chunks().equals(source.combine_chunks()))
    return not _counts(column) - _counts(source)


def _counts(column: Any) -> Counter[Any]:
    try:
        return Counter({entry["values"]: entry["counts"] for entry in column.value_counts().to_pylist()})
    except pa.ArrowNotImplementedError:  # lists and structs
        return Counter(map(str, column.to_pylist()))
