"""The help table is made from the permuted table alone."""

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.query.database import open_database


def test_hits_run_from_one_to_the_size_of_each_group() -> None:
    table = pa.table({"salary": [5, 1, 1, 9], "shoal_group": ["a", "a", "a", "b"]})
    connection, _ = open_database(table, ["salary"])
    figures = ("sum_lower", "sum_upper", "min_upper", "max_lower")
    columns = ", ".join(["shoal_group", "hits", "group_size", *(f"salary_{figure}" for figure in figures)])
    rows = connection.execute(f"select {columns} from help order by all").fetchall()
    assert rows == [
        ("a", 1, 3, 1, 5, 5, 1),
        ("a", 2, 3, 2, 6, 1, 1),
        ("a", 3, 3, 7, 7, 1, 5),
        ("b", 1, 1, 9, 9, 9, 9),
    ]


@pytest.mark.parametrize(
    ("salaries", "groups", "message"),
    [
        ([1, None], [1, 1], "'salary' has 1 missing"),
        ([1, 2], [1, None], "'shoal_group' has 1 missing"),
        (["a", "b"], [1, 1], "not numeric"),
        ([float("inf"), 1.0], [1, 1], "not numeric"),
        ([float("nan"), 1.0], [1, 1], "1 values that are not finite"),
    ],
)
def test_what_would_make_bounds_wrong_is_refused(salaries: list, groups: list, message: str) -> None:
    with pytest.raises(ShoalError, match=message):
        open_database(pa.table({"salary": salaries, "shoal_group": groups}), ["salary"])


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(ShoalError, match="'shoal_group' is not in the table"):
        open_database(pa.table({"salary": [1]}), ["salary"])
    with pytest.raises(ShoalError, match="'pay' is not in the table"):
        open_database(pa.table({"salary": [1], "shoal_group": [1]}), ["pay"])
