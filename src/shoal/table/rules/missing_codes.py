"""Codes that say that nothing is known, such as -9 or NA: cells that hold one are missing, everywhere.

A code is a value, not a spelling: -9, -9.0 and " -9" are one (``same_value``); NA is NA and not na.
"""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import Uncomparable, decode_columns, encode
from shoal.table.columns.same_value import DIGITS, MOMENT, NUMBER, value_of
from shoal.table.columns.spelling import same_values

BLANK = r"[\s\x0b\x1c-\x1f]"
EVERY = "*"  # in place of a column: all of them


@dataclass(frozen=True)
class MissingCodes:
    """The rule: the codes of each column, and of all.

    >>> rule = MissingCodes((("*", ("NA",)), ("age", ("-9",))))
    >>> rule(pa.table({"age": ["-9.0", "30"], "town": ["NA", "-9"]})).to_pylist()
    [{'age': None, 'town': None}, {'age': '30', 'town': '-9'}]
    """

    codes: tuple[tuple[str, tuple[str, ...]], ...]
    keeps_rows = True

    def __call__(self, rows: pa.Table) -> pa.Table:
        of_column = dict(self.codes)
        for at, name in enumerate(rows.column_names):
            codes = (*of_column.get(EVERY, ()), *of_column.get(name, ()))
            if codes and not name.startswith("shoal:"):
                column = decode_columns(rows.select([at]), [name]).column(0)  # alike with and without codes
                rows = rows.set_column(at, name, _without(column, codes))
        return rows


def _without(column: pa.ChunkedArray, codes: tuple[str, ...]) -> pa.ChunkedArray:
    values = frozenset(value for code in codes if (value := value_of(code)) is not None)
    try:
        few = encode(column)
        words = few.cells.cast(pa.string())
    except (Uncomparable, pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, or bytes: no codes
        return column
    maybe = pc.match_substring_regex(words, _possible(values)).fill_null(False)
    maybe = pc.or_(maybe, pc.invert(pc.string_is_ascii(words)).fill_null(False))
    places = np.flatnonzero(numpy_from_arrow(maybe))
    found = same_values(words.take(arrow_from_numpy(places)))
    places = places[numpy_from_arrow(pc.is_in(found, value_set=pa.array(sorted(values), pa.string())))]
    if not len(places):
        return column
    gone = np.zeros(len(words), bool)
    gone[places] = True
    cells = pc.if_else(arrow_from_numpy(gone), pa.scalar(None, few.cells.type), few.cells)
    return pa.chunked_array([cells.take(arrow_from_numpy(few.numbers))])


@cache
def _possible(values: frozenset[str]) -> str:
    """A pattern of all plain letters that may say one of these values: few cells are looked at more closely.

    Of numbers these are all with their digits, with an exponent, or as long as a float may be; of dates all
    that begin with theirs, or the day before or after.
    """
    ways = [re.escape(word).replace("\\ ", " ").replace(" ", f"{BLANK}+") for word in sorted(values)]
    numbers = [word for word in values if NUMBER.fullmatch(word)]
    ways += [rf"[+-]?[0.]*{re.escape(digits)}[0.]*" for digits in {_digits(word) for word in numbers}]
    if numbers:
        ways.append(rf"[+-]?[\d.]+[eE][+-]?\d+|[+-]?[\d.]{{{DIGITS + 1},}}")
    if any(MOMENT.fullmatch(word) for word in values):
        ways.append(r"\d{4}-\d\d-\d\d.*")
    return rf"^{BLANK}*(?:{'|'.join(ways)}){BLANK}*$" if ways else "^$"


def _digits(word: str) -> str:
    """The digits of a number from the first to the last that is not 0, with the point between them."""
    plain = word.lstrip("+-").lower().partition("e")[0]
    return plain.strip("0.") or "0"
