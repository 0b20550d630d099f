"""Arrow columns in which every value has one spelling (``same_value`` says when two cells are one)."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Bools
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.same_value import NO_WIDTH, PLAIN_NUMBER, PLAIN_WORD, value_of
from shoal.table.columns.text_bytes import text_bytes

BLANKS = " \t\n\v\f\r\x1c\x1d\x1e\x1f"
WIDE_BLANKS = "\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
WIDE_BLANKS += "\u2028\u2029\u202f\u205f\u3000"
PLAIN_CODE = r"^[!-~]*[A-DF-SU-Ya-df-su-y][!-~]*$"  # a letter that stands in no number and in no time
NOT_A_NUMBER = r"^(?i)nan$"
LOWER = ord("a") - ord("A")  # the bit of small letters


def same_values(cells: Any) -> pa.Array:
    """The same for an array of cells of any kind, as words.

    >>> same_values(pa.array(["flu ", "flu", "1.0", None])).to_pylist()
    ['flu', 'flu', '1', None]
    """
    words = cells.cast(pa.string())
    ways = (f"^{PLAIN_WORD}$", f"^{PLAIN_NUMBER}$", PLAIN_CODE)
    word, number, code = (pc.match_substring_regex(words, way) for way in ways)
    plain = pc.or_(pc.or_(word, number), code)
    odd = pc.or_(pc.invert(plain), pc.match_substring_regex(words, NOT_A_NUMBER)).fill_null(False)
    if not pc.any(odd).as_py():
        return words
    values = [value_of(word) for word in words.filter(odd).to_pylist()]
    return pc.replace_with_mask(words, odd, pa.array(values, pa.string()))


def one_spelling(column: Any) -> Any:
    """A column as it is published where nobody asks for more: words without blanks around them, in composed
    form, and one way to be missing. Numbers and dates stay as they are written.

    >>> one_spelling(pa.chunked_array([["flu ", "nan", "", "1.0"]])).to_pylist()
    ['flu', None, None, '1.0']
    """
    kind = column.type
    if pa.types.is_floating(kind):
        return _one_zero(column)
    if pa.types.is_dictionary(kind):
        return _of_dictionary(column)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return column
    return _tidy(column.cast(pa.string())).cast(kind) if pa.types.is_string_view(kind) else _tidy(column)


def is_in_one_spelling(column: Any) -> bool:
    """Is a column just as ``one_spelling`` leaves it?

    >>> [is_in_one_spelling(pa.chunked_array([cells])) for cells in (["flu", "flu "], [-0.0], ["flu"])]
    [False, False, True]
    """
    if pa.types.is_floating(column.type) and _has_signed_zero(column):
        return False
    return bool(one_spelling(column).equals(column))


def words_by_value(column: Any) -> Any:
    """A column of words with one spelling for each value, for those who compare words letter by letter; a
    column of another kind is left as it is.

    >>> words_by_value(pa.chunked_array([["New  York", "5e4", "nan"]])).to_pylist()
    ['New York', '50000', None]
    """
    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return column
    few = encode(column)
    values = same_values(few.cells)
    return column if values.equals(few.cells) else values.take(arrow_from_numpy(few.numbers)).cast(kind)


def table_in_one_spelling(table: pa.Table) -> pa.Table:
    """A table with every column in one spelling."""
    return pa.table([one_spelling(column) for column in table.columns], schema=table.schema)


def _tidy(column: Any) -> Any:
    """Only cells that may be out of order are taken apart: most columns have none."""
    if isinstance(column, pa.ChunkedArray):
        tidy = [_tidy(chunk) for chunk in column.chunks]
        same = all(new is old for new, old in zip(tidy, column.chunks, strict=True))
        return column if same else pa.chunked_array(tidy, column.type)
    odd = _out_of_order(column)
    if not odd.any():
        return column
    mask = arrow_from_numpy(odd)
    return pc.replace_with_mask(column, mask, _tidied(column.filter(mask)))


def _out_of_order(cells: pa.Array) -> Bools:
    """Which cells are empty, begin or end with a blank, may be ``nan``, or hold more than plain letters: told
    by their first and last byte and their length.

    >>> _out_of_order(pa.array(["flu", "flu ", "", "nan", "caf\u00e9", None])).tolist()
    [False, True, True, True, True, False]
    """
    found = text_bytes(cells)
    blank, n = ord(" "), ord("n")
    odd = (found.lengths == 0) | (found.first <= blank) | (found.last <= blank)
    odd |= (found.lengths == len("nan")) & (found.first | LOWER == n) & (found.last | LOWER == n)
    if not found.ascii_only:
        odd |= ~numpy_from_arrow(pc.string_is_ascii(cells).fill_null(True))
    return np.asarray(odd & numpy_from_arrow(cells.is_valid())) if cells.null_count else odd


def _tidied(cells: pa.Array) -> pa.Array:
    composed = pc.utf8_normalize(cells, form="NFC")
    trimmed = pc.utf8_trim(composed, characters=BLANKS + WIDE_BLANKS + NO_WIDTH)
    lengths = pc.binary_length(trimmed)
    gone = pc.equal(lengths, 0)
    if pc.any(pc.equal(lengths, len("nan"))).as_py():
        gone = pc.or_(gone, pc.is_in(trimmed, value_set=_nans().cast(trimmed.type)))
    return pc.if_else(gone, pa.scalar(None, cells.type), trimmed) if gone.true_count else trimmed


@cache
def _nans() -> pa.Array:
    """Made when they are needed: to make an array of words brings pandas up."""
    return pa.array(["".join(letters) for letters in product("nN", "aA", "nN")])


def _one_zero(column: Any) -> Any:
    """NaN is missing, and minus zero is zero."""
    if pc.any(pc.is_nan(column)).as_py():
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return pc.add(column, pa.scalar(0, column.type))


def _has_signed_zero(column: Any) -> bool:
    reals = [numpy_from_arrow(chunk.drop_null()) for chunk in column.chunks]
    return any(bool((np.signbit(found) & (found == 0)).any()) for found in reals)


def _of_dictionary(column: Any) -> Any:
    whole = column.unify_dictionaries().combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    words = whole.dictionary
    tidy = one_spelling(words)
    if tidy is words or tidy.equals(words):
        return column
    made = pa.DictionaryArray.from_arrays(whole.indices, tidy, ordered=column.type.ordered)
    return pa.chunked_array([made]) if isinstance(column, pa.ChunkedArray) else made
