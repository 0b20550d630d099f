"""Rows in Arrow tables that know their numbers, and their whole numbers as arrays."""

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.table.columns.arrow_numpy import numpy_from_arrow

ROW = "shoal:row"  # of the input, from 0 on; every row keeps its own wherever it goes


def ints_of(table: pa.Table, name: str) -> Ints:
    """A column of whole numbers, of which none is missing."""
    return np.asarray(numpy_from_arrow(table.column(name).combine_chunks()))


def ids_of(table: pa.Table) -> Ints:
    """The number of every row."""
    return ints_of(table, ROW)


def matrix_of(table: pa.Table, names: list[str]) -> Ints:
    """These columns of whole numbers beside each other."""
    values = np.empty((len(table), len(names)), np.int64)
    for at, name in enumerate(names):
        values[:, at] = ints_of(table, name)
    return values
