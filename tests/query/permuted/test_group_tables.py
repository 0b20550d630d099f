"""What stands beside the data is made from the permuted table alone."""

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.query.permuted.database import help_batches, open_database
from tests.query.releases import NINE


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
        ([1, None], [1, 1], "in every cell"),
        ([1, 2], [1, None], "'shoal_group' has 1 missing"),
        (["a", "b"], [1, 1], "in every cell"),
        ([float("inf"), 1.0], [1, 1], "in every cell"),
        ([float("nan"), 1.0], [1, 1], "in every cell"),
    ],
)
def test_what_would_make_bounds_wrong_is_refused(salaries: list, groups: list, message: str) -> None:
    with pytest.raises(ShoalError, match=message):
        open_database(pa.table({"salary": salaries, "shoal_group": groups}), ["salary"])


def test_a_group_lists_its_values_in_order_and_their_running_sums() -> None:
    table = pa.table({"salary": [5, -1, 2, 9], "shoal_group": [7, 7, 7, 8]})
    connection, _ = open_database(table, ["salary"])
    rows = connection.execute(
        "select shoal_group, group_size, salary_values, salary_sums from groups"
    ).fetchall()
    assert rows == [(7, 3, [-1, 2, 5], [-1, 1, 6]), (8, 1, [9], [9])]


def test_the_mapping_tells_the_group_of_what_is_exact_and_no_sensitive_value() -> None:
    connection, _ = open_database(NINE, ["salary"])
    found = connection.sql("from mapping").to_arrow_table()
    assert found.column_names == ["age", "zipcode", "gender", "shoal_group"]
    assert found.num_rows == 9


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([1, 2], ("INTEGER[]", "BIGINT[]")),
        ([2**40, 1], ("BIGINT[]", "BIGINT[]")),
        ([2**62, 2**62], ("BIGINT[]", "HUGEINT[]")),
        ([0.5, 0.25], ("DECIMAL(18,2)[]", "DECIMAL(18,2)[]")),
        ([Decimal("99999999999999999.1")] * 20, ("DECIMAL(18,1)[]", "DECIMAL(38,1)[]")),
        ([0.1, 2 / 3], ("DOUBLE[]", "DOUBLE[]")),
        ([date(2000, 1, 1), date(1950, 5, 5)], ("INTEGER[]", "BIGINT[]")),
    ],
)
def test_lists_have_the_narrowest_types_that_hold_them(values: list, kinds: tuple[str, str]) -> None:
    table = pa.table({"salary": values, "shoal_group": [1] * len(values)})
    connection, _ = open_database(table, ["salary"])
    found = dict(connection.execute("select column_name, column_type from (describe groups)").fetchall())
    assert (found["salary_values"], found["salary_sums"]) == kinds
    (last,) = connection.execute("select salary_sums[group_size] from groups").fetchone() or (None,)
    assert date in map(type, values) or float(last) == pytest.approx(float(sum(values)), rel=1e-15)


def test_the_help_table_comes_in_order_a_part_at_a_time() -> None:
    connection, _ = open_database(NINE, ["salary"])
    found = help_batches(connection).read_all().to_pylist()
    assert [(row["shoal_group"], row["hits"]) for row in found] == [
        (g, h) for g in (1, 2, 3) for h in (1, 2, 3)
    ]
    assert (found[1]["salary_avg_lower"], found[1]["salary_avg_upper"]) == (54500, 55500)
    assert (found[1]["salary_max_lower"], found[1]["salary_max_upper"]) == (55000, 56000)


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(ShoalError, match="'shoal_group' is not in the table"):
        open_database(pa.table({"salary": [1]}), ["salary"])
    with pytest.raises(ShoalError, match="'pay' is not in the table"):
        open_database(pa.table({"salary": [1], "shoal_group": [1]}), ["pay"])
