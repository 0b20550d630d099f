"""Codes that say that nothing is known, such as -9 or NA: cells that hold one are missing, everywhere.

A code is a value, not a spelling: -9, -9.0 and " -9" are one (``same_value``); NA is NA and not na.
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.dictionary_encoding import Uncomparable, encode
from shoal.table.columns.same_value import value_of
from shoal.table.columns.spelling import same_values

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
                rows = rows.set_column(at, name, _without(rows.column(at), codes))
        return rows


def _without(column: pa.ChunkedArray, codes: tuple[str, ...]) -> pa.ChunkedArray:
    try:
        few = encode(column)
        values = same_values(few.cells)
    except (Uncomparable, pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, or bytes: no codes
        return column
    wanted = pa.array([value for code in codes if (value := value_of(code)) is not None], pa.string())
    gone = pc.is_in(values, value_set=wanted)
    if not pc.any(gone).as_py():
        return column
    cells = pc.if_else(gone, pa.scalar(None, few.cells.type), few.cells)
    return pa.chunked_array([cells.take(arrow_from_numpy(few.numbers))])
