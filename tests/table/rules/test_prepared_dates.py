"""Years, months and ages of dates and times."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.rules.prepared_dates import AgeAt, DatePart
from tests.draws import draws

NEW_YEAR = datetime(1999, 12, 31, 23, 30, tzinfo=UTC)  # half past midnight in Berlin


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
        (pa.array([NEW_YEAR], pa.timestamp("us", "Europe/Berlin")), [2000], ["2000-01"]),
        (pa.array(["2000-01-01T00:30+01:00", "1999-12-31 23:30Z"]), ["2000", "1999"], ["2000-01", "1999-12"]),
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
