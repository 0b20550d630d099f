"""Columns of dates as whole numbers: the days since 1970."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import Numbers, is_text
from shoal.table.columns.spelling import same_values

ISO = r"^\s*\d{4}-\d{2}-\d{2}\s*$"
TIMED = r"^\s*\d{4}-\d{2}-\d{2}[Tt ][\d:.Zz +\-]*$"


def days_from_arrow(column: pa.ChunkedArray) -> Numbers | None:
    """A column of dates, or of text such as ``2024-02-29`` (or its midnight); None if it holds anything else.

    >>> days_from_arrow(pa.chunked_array([["1970-01-03", None]])).units.tolist()
    [2, 0]
    """
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not pa.types.is_date(array.type):
        array = _read(array) if is_text(array.type) else None
    if array is None:
        return None
    days = array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    missing = np.asarray(numpy_from_arrow(days.is_null()))
    return Numbers(np.asarray(numpy_from_arrow(days.fill_null(0))), 0, missing)


def calendar_days(column: pa.ChunkedArray) -> Numbers | None:
    """The same for times of which all are midnights, as other tools keep dates.

    >>> calendar_days(pa.chunked_array([[86_400_000_000]], pa.timestamp("us"))).units.tolist()
    [1]
    """
    if not pa.types.is_timestamp(column.type):
        return days_from_arrow(column)
    try:
        return days_from_arrow(column.cast(pa.timestamp(column.type.unit)).cast(pa.date32()))
    except pa.ArrowInvalid:  # a time of day would be lost
        return None


def days_to_arrow(days: Ints, kind: pa.DataType) -> pa.Array:
    """Days as dates, or as text such as ``2024-02-29`` where that was the type.

    >>> days_to_arrow(np.array([2]), pa.string()).to_pylist()
    ['1970-01-03']
    """
    dates = arrow_from_numpy(days).cast(pa.int32()).cast(pa.date32())
    return dates.cast(pa.string()) if is_text(kind) else dates


def _read(text: pa.Array) -> pa.Array | None:
    blank = pc.equal(pc.utf8_trim_whitespace(text), "")
    text = pc.if_else(blank, pa.scalar(None, text.type), text)
    if pc.any(pc.match_substring_regex(text, TIMED)).as_py():
        different = encode(text)
        text = same_values(different.cells).take(arrow_from_numpy(different.numbers))
    dated = pc.match_substring_regex(text, ISO)
    if dated.true_count < len(dated) - dated.null_count or dated.null_count == len(dated):
        return None
    try:
        return pc.utf8_trim_whitespace(text).cast(pa.date32())
    except pa.ArrowInvalid:  # 2023-02-30
        return None
