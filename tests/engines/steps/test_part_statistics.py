"""A part that is computed twice tells its figures on the same row, whatever the order of its rows."""

import numpy as np
import pyarrow as pa

from shoal.engines.steps.part_statistics import STATISTICS, PartStatistics
from shoal.table.columns.numbered_rows import ROW

FIGURES = PartStatistics(3, 1, (2.0,), 0)


def test_the_first_row_of_the_input_tells_it_in_any_order():
    table = pa.table({"x": ["a", "b", "c"], ROW: [7, 4, 9]})
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        on = FIGURES.on(table.take(order), np.zeros(3, np.int64))
        assert [row[ROW] for row in on.to_pylist() if row[STATISTICS] is not None] == [4]
        assert PartStatistics.read(on.column(STATISTICS).drop_null().to_pylist()) == FIGURES


def test_nobody_tells_of_a_part_without_rows():
    table = pa.table({ROW: pa.array([], pa.int64())})
    assert FIGURES.on(table, np.zeros(0, np.int64)).column(STATISTICS).to_pylist() == []
