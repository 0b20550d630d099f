"""Years, months and ages of dates and times."""

from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.rules.prepared_dates import AgeAt, DatePart
from tests.draws import draws


@pytest.mark.parametrize(
    ("cells", "year", "month"),
    [
        (
            pa.array(["2011-04-03", None, "2011-12-31 05:00"]),
            ["2011", None, "2011"],
            ["2011-04", None, "2011-12"],
        ),
        (pa.array([date(2011, 4, 3)]), [2011], ["2011-04"]),
        (pa.array([datetime(2011, 4, 3, 5)]), [2011], ["2011-04"]),
    ],
)
def test_a_date_has_a_year_and_a_month(cells, year, month):
    assert DatePart("year").read(cells).cells.to_pylist() == year
    assert DatePart("month").read(cells).cells.to_pylist() == month


@draws(100)
@given(st.dates(date(1900, 1, 1), date(2024, 2, 29)))
def test_an_age_grows_on_birthdays(born):
    (age,) = AgeAt(date(2024, 2, 29)).read(pa.array([born])).cells.to_pylist()
    assert (
        (born.year + age, born.month, born.day) <= (2024, 2, 29) < (born.year + age + 1, born.month, born.day)
    )


def test_what_is_no_date_or_later_is_not_read():
    cells = pa.array(["31.12.1999", "2024-01-01", "2025-01-01", None, "2011", "2011-02-30"])
    assert DatePart("year").read(cells).unread.tolist() == [True, False, False, False, True, True]
    assert AgeAt(date(2024, 12, 31)).read(cells).unread.tolist() == [True, False, True, False, True, True]
    assert DatePart("year").read(pa.array([2011, None])).unread.tolist() == [True, False]
