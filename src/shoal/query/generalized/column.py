"""A published column as its recipient reads it: exact cells, ranges between two ends, or sets of words.

Only quasi columns are generalized; every other column is what it was.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Bools, SmallInts
from shoal.hierarchy.hierarchy import TOP
from shoal.policy.model.policy import Policy
from shoal.query.generalized.label_ends import ends_by
from shoal.query.generalized.words import leaves_below, possible_words
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode
from shoal.table.columns.numbers import NotNumeric, is_text, numbers_from_arrow
from shoal.table.columns.same_value import value_of
from shoal.table.columns.spelling import words_by_value

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RANGE = rf"^\s*\[\s*(?P<lo>{NUMBER})\s*,\s*(?P<hi>{NUMBER})\s*[\])]\s*$"  # [0, 2.5) is within [0, 2.5]


@dataclass(frozen=True)
class ExactCells:
    """Cells as they were."""

    cells: pa.Array


@dataclass(frozen=True)
class RangeCells:
    """Anything from ``low`` to ``high``; missing where both are; anything at all where ``unknown``."""

    low: pa.Array
    high: pa.Array
    unknown: pa.Array

    def take(self, rows: AnyArray) -> "RangeCells":
        taken = arrow_from_numpy(rows)
        return RangeCells(self.low.take(taken), self.high.take(taken), self.unknown.take(taken))


@dataclass(frozen=True)
class WordCells:
    """One of the ``leaves`` of the record's code; None among them is a missing cell. A code that has none may
    be anything."""

    codes: SmallInts
    owners: SmallInts  # the code of each leaf
    leaves: pa.Array
    anything: Bools  # by code


PublishedColumn = ExactCells | RangeCells | WordCells


def read_column(cells: pa.ChunkedArray, name: str, policy: Policy) -> PublishedColumn:
    """
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> found = read_column(pa.chunked_array([["[31, 40]", "7"]]), "age", policy)
    >>> found.low.to_pylist(), found.high.to_pylist()
    ([31, 7], [40, 7])
    """
    if pa.types.is_struct(cells.type):
        return _from_struct(cells)
    few = encode(cells)
    if policy.columns.get(name) != "quasi" or not is_text(few.cells.type):
        return ExactCells(_plain(few.cells).take(arrow_from_numpy(few.numbers)))
    return _exact_if_all_are(_from_text(few, name, policy))


def _from_struct(cells: pa.ChunkedArray) -> PublishedColumn:
    array = cells.combine_chunks()
    low, high = _pair(pc.struct_field(array, "lo"), pc.struct_field(array, "hi"))
    return _exact_if_all_are(_ranges(low, high, arrow_from_numpy(np.zeros(len(array), bool))))


def _from_text(few: EncodedColumn, name: str, policy: Policy) -> PublishedColumn:
    """Each different cell is read once."""
    below = leaves_below(name, policy)
    ends = ends_by(policy.hierarchies.get(name))
    if ends is not None:
        return _ordered(few.cells, ends).take(few.numbers)
    labels = all(value_of(cell) in below for cell in few.cells.to_pylist()) if below else False
    ranges = None if labels else _numeric(few.cells.cast(pa.string()))
    return _words(few, below) if ranges is None else ranges.take(few.numbers)


def _numeric(cells: pa.Array) -> RangeCells | None:
    """Numbers, ranges of numbers and stars; None if there is anything else."""
    star = pc.equal(pc.utf8_trim_whitespace(cells), TOP).fill_null(False)
    ends = pc.extract_regex(cells, RANGE)
    pair = [
        pc.if_else(star, pa.scalar(None, pa.string()), pc.coalesce(pc.struct_field(ends, end), cells))
        for end in ("lo", "hi")
    ]
    try:
        low, high = _pair(*pair)
    except NotNumeric:
        return None
    return None if low.null_count == len(low) else _ranges(low, high, star)


def _ranges(low: pa.Array, high: pa.Array, star: pa.Array) -> RangeCells:
    """A pair that is no range, with one end or with the higher end first, may stand for anything."""
    one_end = pc.xor(low.is_null(nan_is_null=True), high.is_null(nan_is_null=True))
    unknown = pc.or_(pc.or_(star, one_end), pc.greater(low, high).fill_null(False))
    low, high = (pc.if_else(unknown, pa.scalar(None, low.type), end) for end in (low, high))
    return RangeCells(low, high, unknown)


def _pair(low: pa.Array, high: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Both ends as numbers of one type."""
    both = _as_numbers(one_below_the_other(low, high))
    return both[: len(low)], both[len(low) :]


def _as_numbers(cells: pa.Array) -> pa.Array:
    """Whole numbers or decimals where these are exact, floats elsewhere."""
    numbers = numbers_from_arrow(cells)
    if not numbers.exact:
        return cells.cast(pa.float64())
    values = numbers.to_arrow(numbers.units)
    if not numbers.any_missing:
        return values
    return pc.if_else(arrow_from_numpy(numbers.missing), pa.scalar(None, values.type), values)


def _plain(cells: pa.Array) -> pa.Array:
    """The cells as numbers if all are, as words by their value otherwise, and as they are where they are
    neither."""
    if not (is_text(cells.type) or pa.types.is_floating(cells.type)):
        return cells
    try:
        values = _as_numbers(cells)
    except NotNumeric:
        return words_by_value(cells)
    return cells if is_text(cells.type) and values.null_count == len(values) else values


def _ordered(cells: pa.Array, ends: Any) -> RangeCells:
    pairs = [None if cell is None else ends(cell) for cell in cells.to_pylist()]
    low, high = (pa.array([None if pair is None else pair[at] for pair in pairs]) for at in (0, 1))
    unknown = [pair is None and cell.is_valid for pair, cell in zip(pairs, cells, strict=True)]
    return RangeCells(low, high, pa.array(unknown, pa.bool_()))


def _words(few: EncodedColumn, below: Any) -> WordCells:
    found = [possible_words(cell, below) for cell in few.cells.to_pylist()]
    pairs = [(code, word) for code, words in enumerate(found) for word in sorted(words or (), key=str)]
    leaves = _plain(pa.array([word for _, word in pairs], pa.string()))
    owners = np.array([code for code, _ in pairs], np.int32)
    return WordCells(few.numbers, owners, leaves, np.array([words is None for words in found], bool))


def _exact_if_all_are(column: PublishedColumn) -> PublishedColumn:
    match column:
        case RangeCells() if not pc.any(column.unknown).as_py() and column.low.equals(column.high):
            return ExactCells(column.low)
        case WordCells() if not column.anything.any() and len(column.owners) == len(column.anything):
            return ExactCells(column.leaves.take(arrow_from_numpy(column.codes)))
    return column


def one_below_the_other(low: pa.Array, high: pa.Array) -> pa.Array:
    """Ends that may be decimals of different length, in one type."""
    parts = [pa.table({"end": part}) for part in (low, high)]
    return pa.concat_tables(parts, promote_options="permissive")["end"].combine_chunks()
