"""Published cells as the query engine reads them, and SQL's ways around them."""

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.query.answer import Bounds
from tests.query import releases
from tests.query.generalized_releases import NINE, ask


def policy(**more: Any) -> Policy:
    roles = {"x": "quasi", "pay": "sensitive"}
    return Policy(**({"columns": roles, "guarantees": [{"kind": "k-anonymity", "k": 2}]} | more))


def counted(cells: list[Any], where: str, **more: Any) -> tuple[Any, Any]:
    """Bounds of the number of records that match."""
    table = pa.table({"x": cells, "pay": list(range(len(cells)))})
    (row,) = ask(f"select count(*) as n from data where {where}", table, policy(**more)).rows
    return row["n"].lower, row["n"].upper


@pytest.mark.parametrize(
    ("sql", "lower", "upper"),
    [
        ("select avg(salary) as x from data where age > 50", 80000, 80000),
        ("select sum(salary) as x from data where age between 35 and 55", 210000, 615000),
        ("select min(salary) as x from data where gender = 'F'", 54000, 85000),
    ],
)
def test_the_three_questions_of_the_paper(sql: str, lower: int, upper: int) -> None:
    (row,) = ask(sql).rows
    assert (row["x"].lower, row["x"].upper) == (lower, upper)


@pytest.mark.parametrize("aggregate", ["sum", "avg", "min", "max", "median", "var_pop", "count"])
@pytest.mark.parametrize(
    "where", ["age > 50", "age between 35 and 55", "gender = 'F'", "zipcode like '272%' or age < 40", "true"]
)
def test_generalized_bounds_contain_the_permuted_ones(aggregate: str, where: str) -> None:
    """Theorem 2 of the paper: the same partition, permuted, is never told worse."""
    sql = f"select {aggregate}(salary) as x from data where {where}"
    (wide,), (narrow,) = ask(sql).rows, releases.ask(sql).rows
    assert wide["x"].lower <= narrow["x"].lower * (1 + 1e-9)
    assert narrow["x"].upper <= wide["x"].upper * (1 + 1e-9)


def test_parquet_ranges_and_text_ranges_are_the_same() -> None:
    lows, highs = [31] * 3 + [41] * 3 + [51] * 3, [40] * 3 + [50] * 3 + [60] * 3
    struct = pa.StructArray.from_arrays([pa.array(lows), pa.array(highs)], ["lo", "hi"])
    table = NINE.set_column(0, "age", struct)
    sql = "select sum(salary) as x, avg(age) as y from data where age between 35 and 55"
    assert ask(sql, table).rows == ask(sql).rows


@pytest.mark.parametrize(
    ("cells", "where", "bounds"),
    [
        (["[1, 3]", "5", "*"], "x > 2", (1, 3)),
        (["[1, 3]", "5", "*"], "x is null", (0, 1)),
        (["[1, 3]", "5", None], "x <> 2", (1, 2)),
        (["[0.5, 1.5)", "0.1"], "x < 0.5", (1, 1)),
        (["{a, b}", "c", '{"d, e", }'], "x = 'd, e'", (0, 1)),
        (["{a, b}", "c", "*"], "x in ('a', 'b')", (1, 2)),
        (["{a, b}", "c", "*"], "not (x = 'c')", (1, 2)),
        (["*", "*"], "x > 3", (0, 2)),
        (["*", "*"], "x = 'a'", (0, 2)),
        ([None, None], "x > 3", (0, 0)),
        (["0815", "{0815, 0816}"], "x = '0815'", (1, 2)),
    ],
)
def test_cells_are_read(cells: list[Any], where: str, bounds: tuple[int, int]) -> None:
    assert counted(cells, where) == bounds


@pytest.mark.parametrize(
    ("cells", "where", "bounds"),
    [
        (["2011-05", "2011", "2011-05-17"], "x >= '2011-05-01'", (2, 3)),
        (["2010s", "1900 to 1999", "2011-Q2"], "year(x) = 2011", (1, 2)),
        (["2011-W01", "*"], "x < '2011-02-01'", (1, 2)),
        (["2011-W01", "{2011-05-17, 2011-06-01}"], "x between '2011-05-01' and '2011-06-01'", (1, 1)),
    ],
)
def test_labels_of_dates_are_spans_of_days(cells: list[Any], where: str, bounds: tuple[int, int]) -> None:
    assert counted(cells, where, hierarchies={"x": {"dates": ["month", "year"]}}) == bounds


@pytest.mark.parametrize(
    ("cells", "where", "bounds"),
    [
        (["27***", "28130", "*"], "x like '27%'", (1, 2)),
        (["27***", "28130", "*"], "x like '271%'", (0, 2)),
        (["27***", "28130", "*"], "x = '28130'", (1, 2)),
        (["27***", "28130"], "x like '%130'", (1, 2)),
        (["27***", "28130"], "x >= '28'", (1, 1)),
    ],
)
def test_masked_words_tell_how_they_begin(cells: list[Any], where: str, bounds: tuple[int, int]) -> None:
    assert counted(cells, where, hierarchies={"x": {"mask": "right"}}) == bounds


def test_a_star_is_any_leaf_and_perhaps_missing() -> None:
    tree = {"x": {"tree": {"south": ["Ulm", "Bonn"], "north": ["Kiel"]}}}
    assert counted(["*", "north"], "x in ('Ulm', 'Bonn', 'Kiel')", hierarchies=tree) == (1, 2)
    assert counted(
        ["*", "north"], "x in ('Ulm', 'Bonn', 'Kiel')", hierarchies=tree, missing={"x": "error"}
    ) == (2, 2)


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.decimal128(9, 2)])
@pytest.mark.parametrize("pair", [(20, None), (None, 20), (90, 20)])
@pytest.mark.parametrize("where", ["x > 30", "x < 10", "x is null", "x in (7, 40)", "not (x = 5)"])
def test_a_pair_that_is_no_range_may_be_anything(
    kind: pa.DataType, pair: tuple[int | None, int | None], where: str
) -> None:
    cells = pa.array(
        [{"lo": pair[0], "hi": pair[1]}, {"lo": 5, "hi": 5}], pa.struct({"lo": kind, "hi": kind})
    )
    (row,) = ask(
        f"select count(*) as n, sum(x) as s from data where {where}",
        pa.table({"x": cells, "pay": [1, 2]}),
        policy(),
    ).rows
    sure = 1 if where == "x < 10" else 0
    assert (row["n"].lower, row["n"].upper) == (sure, sure + 1)
    assert (row["s"].lower, row["s"].upper) == (None, None)


def test_columns_that_are_not_quasi_are_what_they_say() -> None:
    table = pa.table({"x": ["1", "2"], "pay": ["[1, 3]", "*"]})
    (row,) = ask("select count(*) as n from data where pay = '[1, 3]'", table, policy()).rows
    assert row["n"] == Bounds(1, 1, 1, 0.0, 1)


def test_numbers_of_text_files_are_added_exactly() -> None:
    table = pa.table({"x": ["[1, 2]", "[1, 2]", "3"], "pay": ["0.1", "0.2", "0.3"]})
    (row,) = ask("select sum(pay) as a, sum(x) as b from data", table, policy()).rows
    assert row["a"] == Bounds(*[Decimal("0.6")] * 3, 0.0, 3)
    assert row["b"] == Bounds(5, None, 7, None, 3)


def test_the_average_takes_the_possible_records_that_help() -> None:
    table = pa.table({"x": ["1", "[0, 1]", "[0, 1]"], "pay": [10, 0, 100]})
    (row,) = ask("select avg(pay) as a from data where x = 1", table, policy()).rows
    assert (row["a"].lower, row["a"].upper) == (5, 55)


def test_no_match_is_null() -> None:
    found = ask("select sum(salary) as s, min(salary) as m, count(*) as n from data where age > 100")
    assert found.rows == (
        {
            "s": Bounds(None, None, None, None, 0),
            "m": Bounds(None, None, None, None, 0),
            "n": Bounds(0, 0, 0, 0.0, 0),
        },
    )


def test_a_star_has_no_sum_but_one_end_of_the_minimum() -> None:
    table = pa.table({"x": ["[1, 3]", "*"], "pay": [1, 2]})
    (row,) = ask("select sum(x) as s, min(x) as m, max(x) as h from data", table, policy()).rows
    assert [(found.lower, found.upper) for found in row.values()] == [(None, None), (None, 3), (1, None)]


def test_notes_say_what_is_outside_and_what_may_match() -> None:
    notes = ask("select sum(salary) from data where age > 55", suppressed=1234).notes
    assert notes[0].startswith("1,234 records were suppressed")
    assert any("3 more may" in note for note in notes)
    assert any("NULL" in note for note in notes)


@pytest.mark.parametrize(
    ("item", "where", "may_be"),
    [
        ("avg(pay)", "", False),
        ("avg(pay)", "where x = 1", True),
        ("count(pay)", "where x = 1", False),
        ("min(pay)", "where x >= 1 and x <= 2", False),
        ("max(pay)", "where x > 2", True),
        ("variance(pay)", "where x < 2", True),
        ("variance(pay)", "where x < 4", False),
    ],
)
def test_a_note_says_where_an_answer_with_bounds_may_be_null(item: str, where: str, may_be: bool) -> None:
    """The record with x = 3 surely has an x above 2, and no pay."""
    table = pa.table({"x": ["0", "[1, 2]", "3", "[0, 3]"], "pay": [3, 5, None, 7]})
    found = ask(f"select {item} as y from data {where}", table, policy())
    assert found.rows[0]["y"].lower is not None
    assert any("NULL" in note for note in found.notes) == may_be


def test_a_note_says_where_a_row_with_bounds_may_be_null() -> None:
    table = pa.table({"x": ["{a, b}", "{a, b}", "a"], "pay": [3, None, None]})
    notes = ask("select x, avg(pay) as y from data group by x", table, policy()).notes
    assert any("NULL" in note for note in notes)
    notes = ask("select x, avg(pay) as y from data where pay > 0 group by x", table, policy()).notes
    assert not any("NULL" in note for note in notes)


def test_a_discrete_quantile_keeps_every_digit() -> None:
    large = 2**53 + 1  # no float
    table = pa.table({"x": ["[1, 2]"] * 3, "pay": [large, large + 2, large + 4]})
    (row,) = ask("select quantile_disc(pay, 0.5) as y from data", table, policy()).rows
    assert row["y"].lower == row["y"].upper == large + 2


@pytest.mark.parametrize(
    ("pays", "having", "kept"),
    [
        ([2**53 + 1, 2**53 + 2], f"sum(pay) = {2**53 + 1}", [2**53 + 1]),
        ([Decimal("0.1"), Decimal("0.3")], "sum(pay) + min(pay) = 0.2", [Decimal("0.1")]),
        ([Decimal("90071992547409.93"), 5], "max(pay) > 90071992547409.92", [Decimal("90071992547409.93")]),
        ([1, 2], "count(*) // 2 = 0 and avg(pay) > 1.5", [2]),
        ([1, 2**53 + 1], "avg(pay) > 1", [2**53 + 1]),
    ],
)
def test_having_sees_every_digit(pays: list[Any], having: str, kept: list[Any]) -> None:
    kind = pa.int64() if isinstance(pays[0], int) else pa.decimal128(18, 2)
    table = pa.table({"x": ["[1, 2]"] * 2, "pay": pa.array(pays, kind)})
    rows = ask(f"select pay, count(*) as n from data group by pay having {having}", table, policy()).rows
    assert [row["pay"] for row in rows] == kept


def test_rows_are_kept_ordered_and_cut() -> None:
    sql = (
        "select salary as s, count(*) as n, avg(age) as a from data "
        "group by salary having count(*) = 1 order by a desc, s desc limit 2"
    )
    assert [row["s"] for row in ask(sql).rows] == [85000, 80000]


def test_names_that_differ_in_capitals_are_told_apart_as_they_are_written() -> None:
    table = pa.table({"x": ["[1, 2]"] * 2, "pay": [1, 2], "Pay": [10, 20]})
    roles = {"x": "quasi", "pay": "sensitive", "Pay": "sensitive"}
    (row,) = ask('select sum(pay) as low, sum("Pay") as high from data', table, policy(columns=roles)).rows
    assert (row["low"].lower, row["high"].lower) == (3, 30)
    with pytest.raises(ShoalError, match="column 'PAY' is not in the release"):
        ask("select sum(PAY) from data", table, policy(columns=roles))


def test_ends_may_be_decimals_of_different_length() -> None:
    low, high = (pa.array([Decimal(end)] * 2, kind) for end, kind in
                 (("0.5", pa.decimal128(18, 9)), ("1234567890.5", pa.decimal128(19, 9))))  # fmt: skip
    table = pa.table({"x": pa.StructArray.from_arrays([low, high], ["lo", "hi"]), "pay": [1, 2]})
    (row,) = ask("select sum(x) as x from data", table, policy()).rows
    assert (row["x"].lower, row["x"].upper) == (1, 2469135781)
