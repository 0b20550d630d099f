"""Groups whose values repeat are asked by counts of values: the answers are those of lists of all values."""

from datetime import date, timedelta

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.query.answer import answer
from shoal.query.database import schema_of, write_database
from shoal.query.large_database import write_large_database

ITEMS = (
    "sum(salary)", "avg(salary)", "min(salary)", "max(salary)", "count(*)", "variance(salary)",
    "stddev_pop(salary)", "median(salary)", "quantile_cont(salary, 0.3)", "quantile_disc(salary, 0.3)",
)  # fmt: skip
IN_ANY = "count(*)", "sum(salary)", "avg(salary)", "min(salary)", "max(salary)"
CONDITIONS = "salary > 3", "salary between -2 and 4", "salary <> 0"
QUESTIONS = [
    f"select {', '.join(ITEMS)} from data where age = 1",
    f"select sex, avg(bonus), {', '.join(IN_ANY)}, median(salary) from data group by sex",
    *(f"select {', '.join(IN_ANY)} from data where age = 1 and {one}" for one in CONDITIONS),
    "select sum(salary * 2), max(salary) from data where age = 7",
]


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
        patch.setattr("shoal.query.counted.REPEATED", 0)
        written, _ = write_large_database(large, lambda: iter([table]), sensitive, 5)
    assert written == schema_of(large, sensitive)
    return (whole, write_database(whole, table, sensitive)), (large, written)


@given(tables())
@settings(max_examples=5)
def test_counts_give_the_answers_of_lists(table):
    (whole, schema), (large, counted) = both(table, ["salary", "bonus"])
    assert (schema.counted, counted.counted) == ((), ("salary", "bonus"))
    with whole, large:
        for sql in QUESTIONS:
            assert answer(large, counted, sql) == answer(whole, schema, sql), sql


def test_dates_are_counted_too():
    days = [date(2024, 1, 1) + timedelta(days=day) for day in (0, 0, 3, 3, 3, 9)]
    table = pa.table({"age": [1, 0, 1, 1, 0, 1], "day": days, "shoal_group": [1] * 6})
    sql = "select min(day), max(day), avg(day), median(day) from data where age = 1"
    (whole, schema), (large, counted) = both(table, ["day"])
    assert counted.counted == ("day",)
    assert answer(large, counted, sql) == answer(whole, schema, sql)


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
        schema, _ = write_large_database(connection, lambda: iter([table]), ["pay", "own", "real", "huge"])
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
