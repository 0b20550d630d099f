"""Dates that are spelled in a format and read by it are the dates that they were."""

from datetime import date, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.rules.date_spelling import USUAL, DateSpelling
from tests.draws import draws

MOMENTS = st.datetimes(datetime(1930, 1, 1), datetime(2029, 12, 31))


@draws(100)
@given(st.lists(MOMENTS, min_size=1), st.sampled_from(USUAL))
def test_what_is_spelled_in_a_format_and_read_by_it_is_the_same_moment(moments, format):
    found = DateSpelling(format, 1930).read(pa.array([moment.strftime(format) for moment in moments]))
    assert not found.unread.any()
    read = map(datetime.fromisoformat, found.cells.to_pylist())
    assert [moment.strftime(format) for moment in read] == [moment.strftime(format) for moment in moments]


@draws(100)
@given(st.integers(1, 9900), st.dates(date(1, 1, 1), date(9900, 12, 31)))
def test_two_digits_are_a_year_of_the_stated_hundred(first, day):
    cells = pa.array([f"{day.day}.{day.month}.{day.year % 100:02d}"])
    (read,) = DateSpelling("%d.%m.%y", first).read(cells).cells.to_pylist()
    if read is None:  # the 29th of February of a year that has none
        assert (day.month, day.day) == (2, 29)
    else:
        assert first <= int(read[:4]) < first + 100
        assert int(read[:4]) % 100 == day.year % 100


@pytest.mark.parametrize(
    ("format", "cell", "read"),
    [
        ("%d.%m.%Y", "3.4.2011", "2011-04-03"),
        ("%m/%d/%Y", "03/04/2011", "2011-03-04"),
        ("%d/%m/%Y", "03/04/2011", "2011-04-03"),
        ("%d.%m.%Y", "31.02.2011", None),
        ("%d.%m.%Y", "31.12.2011 05:00", None),
        ("%d.%m.%Y %H:%M", "31.12.2011 05:06", "2011-12-31 05:06:00"),
        ("%Y-%m-%dT%H:%M:%S%z", "2011-12-31T23:30:00-02:00", "2011-12-31 23:30:00"),
        (None, "2011-12-31", "2011-12-31"),
        (None, "2011-12-31T05:06", "2011-12-31 05:06:00"),
        ("%Y-%m-%d %H:%M%z", "0001-01-01 00:00+0200", "0001-01-01 00:00:00"),
        (None, "2000-01-01T00:30+01:00", "2000-01-01 00:30:00"),
        (None, "0001-01-01 00:00:00+02:00", "0001-01-01"),
        (None, "31.12.2011", None),
        (None, "2011", None),
    ],
)
def test_a_cell_is_read_by_the_format_or_not_at_all(format, cell, read):
    found = DateSpelling(format).read(pa.array([cell, None]))
    assert found.cells.to_pylist() == [read, None]
    assert found.unread.tolist() == [read is None, False]


def test_dates_of_a_frame_stay_and_numbers_are_read_by_their_digits():
    days = pa.array([date(2011, 4, 3) + timedelta(1)])
    assert DateSpelling("%d.%m.%Y").read(days).cells.equals(days)
    assert DateSpelling("%Y%m%d").read(pa.array([20110403])).cells.to_pylist() == ["2011-04-03"]


def test_the_hint_never_chooses_between_day_and_month():
    assert 'format = "%d.%m.%Y"' in DateSpelling().hint(pa.array(["31.12.1999"]))
    hint = DateSpelling().hint(pa.array(["03/04/2011"]))
    assert '"%d/%m/%Y"' in hint
    assert '"%m/%d/%Y"' in hint
    assert "only you know which" in hint
    assert "years_from" in DateSpelling().hint(pa.array(["31.12.99"]))
    assert "[missing]" in DateSpelling().hint(pa.array(["soon"]))


@pytest.mark.parametrize(
    "word", ["2011-02-30", "2011-13-01", "9999-99-99", "0000-01-01", "2011-04-03 25:00", "2011-13"]
)
def test_days_that_no_calendar_has_are_no_dates(word):
    assert DateSpelling().read(pa.array([word, "2011-04-03"])).cells.to_pylist() == [None, "2011-04-03"]


@pytest.mark.parametrize(("format", "word"), [("%d%m%Y", "1112011"), ("%Y%m%d", "2011113")])
def test_a_date_that_has_lost_a_zero_between_numbers_is_not_guessed(format, word):
    assert DateSpelling(format).read(pa.array([word])).cells.to_pylist() == [None]
    whole = datetime(2011, 11, 3).strftime(format)
    assert DateSpelling(format).read(pa.array([whole])).cells.to_pylist() == ["2011-11-03"]
