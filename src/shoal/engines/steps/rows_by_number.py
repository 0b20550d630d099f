"""A table cut into tables: the rows that have the same whole number in a column."""

import numpy as np
import pyarrow as pa

from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow


def rows_by_number(table: pa.Table, by: str) -> list[tuple[int, pa.Table]]:
    """The rows of each number, in the order in which they stood.

    >>> [(number, len(rows)) for number, rows in rows_by_number(pa.table({"part": [7, 3, 7]}), "part")]
    [(3, 1), (7, 2)]
    """
    if not len(table):
        return []
    numbers = numpy_from_arrow(table.column(by).combine_chunks())
    if numbers.min() == numbers.max():
        return [(int(numbers[0]), table)]
    present, codes, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    small = codes.astype(np.uint16) if len(present) < 2**16 else codes  # which sorts by radix
    table = table.take(arrow_from_numpy(np.argsort(small, kind="stable")))
    starts = np.cumsum(counts) - counts
    return [
        (number, table.slice(start, count))
        for number, start, count in zip(present.tolist(), starts.tolist(), counts.tolist(), strict=True)
    ]
