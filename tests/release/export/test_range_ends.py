import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.release.export.range_ends import with_range_ends


def test_stars_sets_labels_and_missing_cells_have_no_ends() -> None:
    cells = ["[1, 2.5]", "3", "*", "{1, 2}", "20-29", "low", None]
    found = with_range_ends(pa.table({"pay": cells}))
    assert [None if one is None else float(one) for one in found["pay_lo"].to_pylist()] == [1, 3, *[None] * 5]
    assert [None if one is None else float(one) for one in found["pay_hi"].to_pylist()] == [
        2.5,
        3,
        *[None] * 5,
    ]


def test_columns_without_ranges_stay_alone() -> None:
    table = pa.table(
        {"age": ["31", "*"], "town": ["[sic]", "{a, b}"], "none": pa.array([None, None], pa.string())}
    )
    assert with_range_ends(table).column_names == ["age", "town", "none"]


def test_ranges_of_days_have_days_as_ends() -> None:
    found = with_range_ends(pa.table({"born": ["[1999-01-01, 1999-12-31]", "2001-01-01"]}))
    assert [str(one) for one in found["born_hi"].to_pylist()] == ["1999-12-31", "2001-01-01"]


def test_a_clash_of_names_is_an_error() -> None:
    table = pa.table({"age": ["[1, 2]"], "age_hi": ["x"]})
    with pytest.raises(ShoalError, match="has a column 'age_hi' of its own"):
        with_range_ends(table)
