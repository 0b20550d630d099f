"""Dates as days, from any way to write them."""

from datetime import date

import pyarrow as pa
import pytest

from shoal.table.columns.dates import days_from_arrow

DAYS = [date(2024, 2, 29), None, date(1969, 12, 31)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(DAYS, pa.date32()),
        pa.array(DAYS, pa.date64()),
        pa.array(["2024-02-29", None, " 1969-12-31"]),
        pa.array(["2024-02-29", "", "1969-12-31"]).dictionary_encode(),
    ],
    ids=str,
)
def test_days_since_1970(column):
    found = days_from_arrow(pa.chunked_array([column]))
    assert found.units.tolist() == [19782, 0, -1]
    assert found.missing.tolist() == [False, True, False]


@pytest.mark.parametrize("cells", [["2024-02-30"], ["2024-02-29", "soon"], ["20240229"], [None], [""], ["5"]])
def test_other_text_is_no_date(cells):
    assert days_from_arrow(pa.chunked_array([pa.array(cells, pa.string())])) is None


def test_numbers_are_no_dates():
    assert days_from_arrow(pa.chunked_array([[1, 2]])) is None
