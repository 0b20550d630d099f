"""Published cells of any kind, made comparable: one number per different cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.arrays import AnyArray, Floats, Ints
from shoal.errors import ShoalError
from shoal.kernels.classes import class_numbers
from shoal.table.columns.dictionary_encoding import EncodedColumn, encode
from shoal.table.columns.numbers import is_text
from shoal.table.columns.same_value import fifteen_digits
from shoal.table.columns.spelling import same_values
from shoal.table.table import Table
from shoal.verify.cells.published_table import BadCells, PublishedTable, ends_of
from shoal.verify.cells.word_cells import values_of_cell

STAR = "*"
STARRED, MISSING = 1, 2  # how hidden cells are marked
NO_WORD = frozenset([None])


@dataclass(frozen=True)
class CellCodes:
    """One number per different cell, and a mark for cells that are suppressed or missing."""

    codes: AnyArray
    hidden: NDArray[np.int8]

    def rows(self, taken: Ints) -> "CellCodes":
        return CellCodes(self.codes[taken], self.hidden[taken])


def cell_codes(published: PublishedTable, name: str) -> CellCodes:
    """Numbers and ranges compare by value, everything else as ``same_value`` says."""
    return published.once(("comparable", name), lambda: _comparable(published, name))


def _comparable(published: PublishedTable, name: str) -> CellCodes:
    few = published.encoded(name)
    if few is None:
        return _cell_by_cell(published, name)
    words = _cell_by_cell(PublishedTable(Table(pa.table({name: few.cells})), published.ways), name)
    small = class_numbers([words.codes]).astype(np.int32)
    return CellCodes(small[few.numbers], words.hidden[few.numbers])


def _cell_by_cell(published: PublishedTable, name: str) -> CellCodes:
    try:
        cells = published.cells(name)
        if not published.tells(name) and is_text(published.table.column(name).type):
            # no number says that an empty text is a missing number
            return _as_written(published.table.column(name))
    except BadCells as error:
        try:
            return _as_written(published.table.column(name))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, bytes that are no text
            raise ShoalError([error.fault]) from None
    hidden = cells.suppressed + 2 * cells.missing.astype(np.int8)
    keys: list[Any] = [cells.low] if np.array_equal(cells.low, cells.high) else [cells.low, cells.high]
    if cells.reals is not None:  # a grid for the largest of them is too coarse for the smallest
        keys = [_ranks(cells.reals)]
    if hidden.any():
        keys.append(hidden)
    return CellCodes(keys[0] if len(keys) == 1 else class_numbers(keys), hidden)


def _ranks(reals: Floats) -> Ints:
    """Ranks of real numbers; those that agree in fifteen digits are one.

    >>> _ranks(np.array([1e9, 1e-7, 2e-7, 0.1 + 0.2, 0.3])).tolist()
    [3, 0, 1, 2, 2]
    """
    return np.unique(fifteen_digits(reals), return_inverse=True)[1].astype(np.int64)


def encoded_cells(column: Any) -> EncodedColumn:
    """The different cells of a column; ranges of which an end is missing as ``[20, ]``."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_struct(whole.type) or set(whole.type.names) != {"lo", "hi"}:
        return encode(column)
    ends = [same_values(end).fill_null("") for end in ends_of(whole)]
    missing = pc.and_(*(pc.equal(end, "") for end in ends))
    joined = pc.binary_join_element_wise(pc.binary_join_element_wise("[", ends[0], ""), ends[1], ", ")
    labels = pc.binary_join_element_wise(joined, "]", "")
    return encode(pc.if_else(missing, pa.scalar(None, pa.string()), labels))


def possible_values(cells: pa.Array) -> list[frozenset[str | None] | None]:
    """The values that each cell stands for: one, those of a set, or None for a star."""
    return [_possible_words(word) for word in same_values(cells).to_pylist()]


def _possible_words(word: str | None) -> frozenset[str | None] | None:
    if word is not None and word.startswith("{"):
        return frozenset(values_of_cell(word) or ())
    return None if word == STAR else frozenset([word])


def _as_written(column: Any) -> CellCodes:
    encoded = encoded_cells(column)
    meant = possible_values(encoded.cells)
    numbers: dict[Any, int] = {}
    codes = np.array([numbers.setdefault(values, len(numbers)) for values in meant], np.int32)
    hidden = np.array([1 if values is None else 2 * (values == NO_WORD) for values in meant], np.int8)
    return CellCodes(codes[encoded.numbers], hidden[encoded.numbers])
