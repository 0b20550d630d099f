"""Rows leave when the condition is true of them, and only then."""

from datetime import date

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
