"""Columns that are published by their own values, each in one spelling."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.anonymizer.leaf_matrix import column_with_zeros
from shoal.arrays import AnyArray, Ints, SmallInts
from shoal.engines.protocol import Rows
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.categories import categories_of
from shoal.table.columns.dictionary_encoding import take_rows
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import fifteen_digits
from shoal.table.columns.word_set import cell_of
from shoal.table.table import Table

WORDS = pa.dictionary(pa.int32(), pa.string())


def text_type(rows: Rows) -> pa.DataType:
    """How published text is held until it is written: in memory each different cell once."""
    return WORDS if rows.whole else pa.string()


def words_of_codes(codes: AnyArray, words: Sequence[str | None]) -> pa.DictionaryArray:
    """A column of text by the numbers of its words."""
    return pa.DictionaryArray.from_arrays(
        arrow_from_numpy(codes.astype(np.int32, copy=False)), pa.array(words, pa.string())
    )


def column_in_one_spelling(
    table: Table, policy: Policy, name: str, rows: Ints, kind: pa.DataType | None = None
) -> Any:
    """A quasi column of text by its values, each in one spelling: several would tell records apart that count
    as alike. Words that would be read as a set, a range or a star are a set of one (``word_set``). Text of
    others that is to be held by its different cells is, if they are few."""
    other = policy.columns[name] == "other"
    if other and kind == WORDS and (few := table.encoded_if_few(name)) is not None:
        return _in_words(few.numbers[rows], few.cells.to_pylist())
    encoded = None if other else column_with_zeros(table, policy, name)
    if encoded is None or not is_text(encoded.cells.type):
        return _in_fifteen_digits(take_rows(table.column(name), arrow_from_numpy(rows)), policy.columns[name])
    if policy.columns[name] != "quasi":
        return _in_words(encoded.numbers[rows], encoded.cells.to_pylist())
    values = categories_of(encoded)
    return _in_words(values.codes[rows], [cell_of([word]) for word in values.words])


def _in_fifteen_digits(column: Any, role: str) -> Any:
    """Floats that count as one number are published as one where they tell people apart."""
    if role != "quasi" or not pa.types.is_float64(column.type):
        return column
    reals = fifteen_digits(numpy_from_arrow(column.combine_chunks().fill_null(0.0)))
    return pc.if_else(column.is_valid(), arrow_from_numpy(reals), pa.scalar(None, pa.float64()))


def _in_words(numbers: SmallInts, words: list[str | None]) -> pa.DictionaryArray:
    """An encoded column; missing cells are missing numbers, not words."""
    if None not in words:
        return words_of_codes(numbers, words)
    gap = words.index(None)
    closed = arrow_from_numpy(numbers - (numbers > gap).astype(np.int32))
    indices = pc.if_else(arrow_from_numpy(numbers == gap), pa.scalar(None, pa.int32()), closed)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words[:gap] + words[gap + 1 :], pa.string()))
