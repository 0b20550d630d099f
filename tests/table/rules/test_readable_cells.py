"""Cells of a declared spelling are read; whatever else stands in the column stays."""

import pyarrow as pa
import pytest

from shoal.table.rules.date_spelling import DateSpelling
from shoal.table.rules.number_spelling import NumberSpelling
from shoal.table.rules.readable_cells import ReadableCells
from shoal.table.rules.words import Words


@pytest.mark.parametrize(
    ("reader", "cells", "read"),
    [
        (NumberSpelling(","), ["1,5", "1.5", None, "*"], ["1.5", "1.5", None, "*"]),
        (DateSpelling("%d.%m.%Y"), ["31.12.1999", "1999"], ["1999-12-31", "1999"]),
        (Words(("low", "high")), ["high", "higher"], ["high", "higher"]),
        (NumberSpelling(","), [True, False], [True, False]),
    ],
)
def test_what_cannot_be_read_stays_as_it_is_written(reader, cells, read):
    found = ReadableCells(reader).read(pa.array(cells))
    assert found.cells.to_pylist() == read
    assert not found.unread.any()
