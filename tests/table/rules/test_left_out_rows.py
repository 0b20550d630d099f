"""Rows leave when the condition is true of them, and only then."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from shoal.table.rules.left_out_rows import LeftOutRows
from shoal.table.rules.unreadable_cells import UnreadableCells

ROWS = pa.table(
    {
        "id": [0, 1, 2, 3],
        "age": ["12", "30", None, "15.0"],
        "status": ["test", "real ", None, "real"],
        "born": [date(2012, 1, 1), date(1990, 5, 5), None, date(2009, 1, 1)],
    }
)


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("age < 15", [1, 2, 3]),
        ("not (age < 15)", [0, 2]),
        ("age = 15", [0, 1, 2]),
        ("age != 15", [2, 3]),
        ("age < 15 or status = 'real'", [2]),
        ("age < 15 and status = 'real'", [0, 1, 2, 3]),
        ("status in ('test', 'other')", [1, 2, 3]),
        ("age in (12, 15)", [1, 2]),
        ("age between 15 and 30", [0, 2]),
        ("status is null", [0, 1, 3]),
        ("status is not null", [2]),
        ("born < '2000-01-01'", [0, 2, 3]),
        ("age * 2 >= 30", [0, 2]),
        ("absent = 1", [0, 1, 2, 3]),
    ],
)
def test_what_is_open_for_a_missing_cell_keeps_the_row(condition, left):
    assert LeftOutRows(condition)(ROWS).column("id").to_pylist() == left


def test_words_are_not_compared_with_numbers():
    with pytest.raises(UnreadableCells) as refused:
        LeftOutRows("status < 3")(ROWS)
    assert refused.value.found[0].rows.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    "condition", ["born > '2006-01-01'", "born between '2006-01-01' and '2009-01-01'", "'2006-01-01' <= born"]
)
def test_dates_in_another_spelling_are_not_put_into_an_order(condition):
    rows = pa.table({"born": ["31.12.1999", "2007-01-01", None, "2007-02-30", "01/02/2010 "]})
    with pytest.raises(UnreadableCells) as refused:
        LeftOutRows(condition)(rows)
    (found,) = refused.value.found
    assert (found.column, found.rows.tolist()) == ("born", [0, 3, 4])
    assert "[types]" in found.hint


def test_dates_and_times_have_an_order():
    rows = pa.table(
        {"id": [0, 1, 2, 3], "at": ["2007-01-01", "2007-01-01T09:30", "2007-01-01 09:30:01", None]}
    )
    assert LeftOutRows("at > '2007-01-01 09:30'")(rows).column("id").to_pylist() == [0, 1, 3]


@pytest.mark.parametrize("condition", ["at < '2000-01-01'", "at = '1999-12-31 23:30'"])
def test_times_count_as_the_clock_in_their_own_zone_shows_them(condition):
    new_year = datetime(1999, 12, 31, 23, 30, tzinfo=UTC)  # half past midnight in Berlin
    rows = pa.table({"at": pa.array([new_year], pa.timestamp("us", "Europe/Berlin"))})
    assert len(LeftOutRows(condition)(rows)) == 1
    assert len(LeftOutRows(condition)(rows.cast(pa.schema({"at": pa.timestamp("us", "UTC")})))) == 0
