"""A format says a whole date, in words that mean the same on every machine."""

import pytest

from shoal.table.rules.date_format import format_fault


@pytest.mark.parametrize("format", ["%d.%m.%Y", "%Y%m%d", "%j/%Y", "%d %b %Y %I:%M %p", "%d%% %B %Y"])
def test_a_whole_date_is_a_format(format):
    assert format_fault(format, None) is None


@pytest.mark.parametrize(
    ("format", "why"),
    [
        ("%m/%Y", "no whole date"),
        ("%Y", "no whole date"),
        ("%x", "%x"),
        ("%d.%m.%y", "century"),
        ("%", "%"),
        ("%d.%m.%Y.%d", "twice"),
        ("%d.%m.%Y %y", "twice"),
        ("%d.%m.%Y %j", "twice"),
    ],
)
def test_what_leaves_a_date_open_is_refused(format, why):
    assert why in (format_fault(format, None) or "")


def test_a_stated_hundred_years_settle_two_digits():
    assert format_fault("%d.%m.%y", 1930) is None
