"""Columns by name, their kinds, and where rows stood."""

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.table.source_lines import SourceLines
from shoal.table.table import Table

TABLE = Table(
    pa.table(
        {
            "count": ["1", "2"],
            "rate": [0.5, 1.0],
            "zip": ["01", "02"],
            "name": ["Ann", "secret"],
            "grown": [True, False],
        }
    )
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("count", "integer"), ("rate", "decimal"), ("zip", "text"), ("name", "text"), ("grown", "bool")],
)
def test_kinds_are_told_by_what_the_cells_are(name, kind):
    assert TABLE.kind(name) == kind


def test_a_column_that_is_no_number_is_refused_without_a_cell():
    with pytest.raises(ShoalError) as refused:
        TABLE.numbers("name")
    assert "column 'name' has 2 of 2 cells that are text, not numbers (rows 1, 2)" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert refused.value.faults[0].hint


@pytest.mark.parametrize(
    ("first_line", "rows", "place"),
    [
        (None, [0], "row 1"),
        (None, [0, 3], "rows 1, 4"),
        (2, [0], "line 2"),
        (1, range(5), "lines 1, 2, 3, 4, 5"),
        (2, range(6), "lines 2, 3, 4, 5, 6, ..."),
    ],
)
def test_rows_are_named_as_the_source_counts_them(first_line, rows, place):
    assert Table(pa.table({"a": list(range(9))}), first_line and SourceLines(first_line)).place(rows) == place


def test_lines_inside_cells_count_only_where_the_source_is_made_of_lines():
    arrow = pa.table({"note": ["one\ntwo\nthree", None, "x"], "n": [1, 2, 3]})
    assert Table(arrow, SourceLines(2, multiline=True)).place([0, 1, 2]) == "lines 2, 5, 6"
    assert Table(arrow, SourceLines(2)).place([0, 1, 2]) == "lines 2, 3, 4"


@pytest.mark.parametrize("cells", [[[1], [2]], [{"lo": 1}, {"lo": 2}]])
def test_cells_that_cannot_be_compared_are_refused(cells):
    with pytest.raises(ShoalError, match="column 'x' holds lists or structs"):
        Table(pa.table({"x": cells})).words("x")
