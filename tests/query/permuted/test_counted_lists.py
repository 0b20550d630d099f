"""Groups whose values repeat are asked by counts of values: the answers are those of lists of all values."""

import re
from dataclasses import astuple
from datetime import date, timedelta

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.query.answer import Bounds, answer
from shoal.query.permuted.database import schema_of, write_database
from shoal.query.permuted.large_database import write_large_database
from tests.draws import draws

ITEMS = (
    "sum(salary)", "avg(salary)", "min(salary)", "max(salary)", "count(*)", "variance(salary)",
    "stddev_pop(salary)", "median(salary)", "quantile_cont(salary, 0.3)", "quantile_disc(salary, 0.3)",
)  # fmt: skip
IN_ANY = "count(*)", "sum(salary)", "avg(salary)", "min(salary)", "max(salary)"
CONDITIONS = "salary > 3", "salary between -2 and 4", "salary <> 0", "salary in (1, 2, 9)"
SHARES = "0", "0.0", "0.1", "0.25", "0.33", "0.625", "0.9", "1e-1", "1.0", "1"
QUANTILES = [f"quantile_{kind}(salary, {share})" for kind in ("cont", "disc") for share in SHARES]
QUESTIONS = [
    f"select {', '.join(ITEMS)} from data where age = 1",
    f"select sex, avg(bonus), {', '.join(IN_ANY)}, median(salary) from data group by sex",
    *(f"select {', '.join(IN_ANY)} from data where age = 1 and {one}" for one in CONDITIONS),
    *(f"select sex, {', '.join(IN_ANY)} from data where {one} group by sex" for one in CONDITIONS),
    f"select {', '.join(ITEMS)} from data",
    f"select sex, {', '.join(QUANTILES)} from data group by sex",
    "select sum(salary * 2), max(salary) from data where age = 7",
    "select sum(3 - salary * 2), median(-salary), min(bonus * bonus) from data where age = 1",
    "select sum(bonus * 1.5), quantile_cont(salary * 3, 0.3), variance(2 * salary) from data where sex = 1",
    "select avg(salary * 2), max(2 * salary) from data where age = 1 and salary * salary > 3",
    "select quantile_disc(salary * 2.5, 0.3) from data where age = 1",
    "select case when sex = 1 then 'a' end as letter, sum(salary), median(salary) from data group by letter",
    "select 1 - sex as other, sum(salary), median(salary) from data group by 1 - sex",
]
ROUNDED = ("variance(", "stddev")  # squares of real numbers, added in another order
BETWEEN = re.compile(r"quantile_cont\(salary, ([0-9.e-]+)\)")  # what lies between values, rounded


@st.composite
def tables(draw):
    groups = sorted(draw(st.lists(st.integers(0, 3), min_size=1, max_size=20)))

    def cells(low, high):
        return draw(st.lists(st.integers(low, high), min_size=len(groups), max_size=len(groups)))

    columns = {"age": cells(0, 1), "sex": cells(0, 1), "salary": cells(-4, 5), "bonus": cells(0, 10**9)}
    return pa.table(columns | {"shoal_group": groups})


def both(table, sensitive):
    """Connections with lists of all values, and with counts beside them; and what is known of each."""
    whole, large = duckdb.connect(), duckdb.connect()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.query.permuted.counted_table.REPEATED", 0)
        written = write_large_database(large, lambda: iter([table]), sensitive, 5).schema
    assert written == schema_of(large, sensitive)
    return (whole, write_database(whole, table, sensitive)), (large, written)


def assert_same_answer(found, expected, sql):
    """Bounds are the same, digit by digit; what is expected is rounded."""
    assert (found.columns, found.notes) == (expected.columns, expected.notes)
    for one, other in zip(found.rows, expected.rows, strict=True):
        for name, bounds in other.items():
            if (share := BETWEEN.fullmatch(name)) and float(share[1]) * 1024 % 1:
                assert_rounded_only(one[name], bounds)
            elif not isinstance(bounds, Bounds) or not name.startswith(ROUNDED):
                assert ends(one[name]) == ends(bounds), (sql, name)
            if isinstance(bounds, Bounds):
                assert close(one[name], bounds), (sql, name)


def assert_rounded_only(one, other):
    """Nor wider than rounding asks for."""
    if other.lower == other.upper:
        assert one.lower == one.upper
    elif other.hits:
        for found, rounded, further in ((one.lower, other.lower, -1), (one.upper, other.upper, 1)):
            room = 1e-14 * (1 + abs(rounded))
            assert abs(found - rounded) <= room
            assert found == round(found) or further * (found - rounded) >= 0


def ends(bounds):
    return (bounds.lower, bounds.upper, bounds.hits) if isinstance(bounds, Bounds) else bounds


def close(one, other):
    pairs = list(zip(astuple(one), astuple(other), strict=True))
    return all(a == b or pytest.approx(b, rel=1e-7, abs=1e-6) == a for a, b in pairs)


@pytest.mark.long
@given(tables(), st.integers(0, 8))
@draws(50)
def test_counts_give_the_answers_of_lists(table, first):
    (whole, schema), (large, counted) = both(table, ["salary", "bonus"])
    assert (schema.counted, counted.counted) == ((), ("salary", "bonus"))
    with whole, large:
        for sql in QUESTIONS[first::9]:  # all of them, over a few tables
            assert_same_answer(answer(large, counted, sql), answer(whole, schema, sql), sql)


def test_dates_are_counted_too():
    days = [date(2024, 1, 1) + timedelta(days=day) for day in (0, 0, 3, 3, 3, 9)]
    table = pa.table({"age": [1, 0, 1, 1, 0, 1], "day": days, "shoal_group": [1] * 6})
    sql = "select min(day), max(day), avg(day), median(day) from data where age = 1"
    (whole, schema), (large, counted) = both(table, ["day"])
    assert counted.counted == ("day",)
    assert answer(large, counted, sql) == answer(whole, schema, sql)
    quantiles = "select quantile_cont(day, 0.3), quantile_disc(day, 0.3) from data where age = 1"
    assert_same_answer(answer(large, counted, quantiles), answer(whole, schema, quantiles), quantiles)
    in_part = "select count(*), min(day), avg(day) from data where age = 1 and day <> '2024-01-04'"
    assert answer(large, counted, in_part) == answer(whole, schema, in_part)


@pytest.mark.parametrize("name", ["times", "value", "runs", "data", "last"])
def test_a_counted_column_may_have_any_name(name):
    table = pa.table({"age": [1, 0, 1, 1], name: [3, 3, 3, 5], "shoal_group": [1] * 4})
    sql = f"select sum({name}), sum({name} * 2) from data where age = 1 and {name} <> 5"
    (whole, schema), (large, counted) = both(table, [name])
    assert counted.counted == (name,)
    assert_same_answer(answer(large, counted, sql), answer(whole, schema, sql), sql)


def test_few_of_many_equal_quotients_are_not_rounded_more_than_in_lists():
    table = pa.table({"age": [1] * 3 + [0] * 998, "pay": [1] * 1001, "shoal_group": [1] * 1001})
    (_, _), (large, counted) = both(table, ["pay"])
    (row,) = answer(large, counted, "select sum(pay / 49) from data where age = 1").rows
    assert row["sum(pay / 49)"].lower == row["sum(pay / 49)"].upper == pytest.approx(3 / 49, rel=1e-15)


def test_the_average_of_what_may_fit_is_a_value_where_nothing_has_to_fit():
    table = pa.table({"age": [1] * 3 + [0] * 9, "pay": [1] * 3 + [5] * 9, "shoal_group": [1] * 12})
    sql = "select avg(pay / 10) as x from data where age = 1 and pay = 1"
    (whole, schema), (large, counted) = both(table, ["pay"])
    (row,) = answer(large, counted, sql).rows
    assert row["x"].lower == row["x"].upper == 0.1
    assert answer(whole, schema, sql).rows[0]["x"].lower == 0.1


def test_sums_beyond_64_bits_are_exact():
    table = pa.table({"age": [1, 0, 1, 1], "pay": [2**58] * 4, "shoal_group": [1] * 4})
    sql = "select sum(pay * 16) from data where age = 1"
    (whole, schema), (large, counted) = both(table, ["pay"])
    assert counted.counted == ("pay",)
    assert answer(large, counted, sql).rows == answer(whole, schema, sql).rows
    assert answer(large, counted, sql).rows[0]["sum(pay * 16)"].lower == 3 * 2**62


def test_only_what_repeats_is_counted_and_only_whole_numbers():
    table = pa.table(
        {
            "age": range(8),
            "pay": [5, 5, 5, 5, 6, 6, 6, 6],
            "own": range(8),
            "real": [0.5] * 8,
            "huge": [2**62] * 8,
            "shoal_group": [1] * 8,
        }
    )
    with duckdb.connect() as connection:
        names = ["pay", "own", "real", "huge"]
        schema = write_large_database(connection, lambda: iter([table]), names).schema
        assert schema.counted == ("pay",)
        assert connection.execute("select pay_values, pay_ends, pay_sums from counted").fetchall() == [
            ([5, 6], [4, 8], [20, 44])
        ]
        (row,) = answer(
            connection, schema, "select sum(pay), sum(own), sum(huge) from data where age < 3"
        ).rows
    assert (row["sum(pay)"].lower, row["sum(pay)"].upper) == (15, 18)
    assert (row["sum(own)"].lower, row["sum(own)"].upper) == (3, 18)
    assert row["sum(huge)"].lower == 3 * 2**62
