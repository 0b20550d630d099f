"""Nested arithmetic of aggregates, drawn from the whole grammar, against plain SQL on every original."""

from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from random import Random
from statistics import fmean, pstdev
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pytest

from shoal.query.answer import Answer, Bounds, answer
from shoal.query.arithmetic import Interval, expression_interval
from shoal.query.permuted.database import open_database
from shoal.query.permuted.postgres import answer_in_postgres
from shoal.query.schema import GROUPS, TABLE
from shoal.query.syntax import trusted_sql
from shoal.release.postgres.load import load
from shoal.release.postgres.source import source_of
from tests.postgres import Server
from tests.query.grammar import Number, Original, original, questions
from tests.query.releases import ask

PER_TABLE = 40
SCHEMA = "arithmetic"
FEW, MANY = 6, 250  # tables
Ask = Callable[[Original, str], Answer]


def asked_in_duckdb(drawn: Original, sql: str) -> Answer:
    connection, schema = open_database(drawn.table, ("pay",))
    with connection:
        return answer(connection, schema, sql)


def asked_in_postgres(server: Server) -> Ask:
    def ask(drawn: Original, sql: str) -> Answer:
        connection, schema = open_database(drawn.table, ("pay",))
        with connection, psycopg.connect(server.url()) as other:
            load(other, SCHEMA, source_of(connection, tables=(TABLE, GROUPS)), "{}", True, lambda *_: None)
            other.commit()
            return answer_in_postgres(other, SCHEMA, schema, sql)

    return ask


def assert_holds(found: Bounds, truths: list[Number | None], item: str, rounding: float) -> None:
    """The bounds hold every truth; expectation and deviation are those of all truths, where they are told."""
    finite = [truth for truth in truths if truth is not None and isfinite(truth)]
    assert len(finite) == len(truths), f"{item} has bounds, and no answer in some world"
    size = max(abs(float(truth)) for truth in finite) + 1
    room = type(finite[0])(rounding * size)
    assert found.lower <= min(finite) + room, item
    assert max(finite) - room <= found.upper, item
    if found.expected is not None:
        assert float(found.expected) == pytest.approx(fmean(finite), abs=1e-9 * size), item
    if found.sd is not None:
        assert found.sd == pytest.approx(pstdev(map(float, finite)), abs=1e-7 * size), item


def assert_tables_hold(
    engine: duckdb.DuckDBPyConnection, ask: Ask, numbers: range, decimals: bool, rounding: float = 0
) -> None:
    """Of whole numbers to the last digit; means of decimals the engine rounds in more than one way."""
    told = 0
    for number in numbers:
        draw = Random(number)
        drawn = original(draw, decimals and number % 2 == 1)
        items = questions(draw, PER_TABLE)
        drawn.write_worlds(engine)
        truths = drawn.truths(engine, items)
        named = ", ".join(f"{item} as x{at}" for at, item in enumerate(items))
        (row,) = ask(drawn, f"select {named} from data where {drawn.condition}").rows
        for at, item in enumerate(items):
            found: Any = row[f"x{at}"]
            if found.lower is None or found.upper is None:
                continue
            told += 1
            assert_holds(found, truths[at], item, max(rounding, 1e-13 * isinstance(drawn.pays[0], Decimal)))
    assert told > 0.7 * PER_TABLE * len(numbers)


def test_nested_arithmetic_holds_what_plain_sql_says_of_every_permutation(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    assert_tables_hold(engine, asked_in_duckdb, range(FEW), decimals=True)


@pytest.mark.slow
def test_ten_thousand_questions_of_nested_arithmetic_hold_what_plain_sql_says(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    assert_tables_hold(engine, asked_in_duckdb, range(1_000, 1_000 + MANY), decimals=True)


def test_nested_arithmetic_in_postgres_holds_what_plain_sql_says_of_every_permutation(
    engine: duckdb.DuckDBPyConnection, postgres: Server
) -> None:
    assert_tables_hold(engine, asked_in_postgres(postgres), range(FEW // 3), decimals=False, rounding=1e-12)


@pytest.mark.slow
def test_ten_thousand_questions_in_postgres_hold_what_plain_sql_says(
    engine: duckdb.DuckDBPyConnection, postgres: Server
) -> None:
    numbers = range(1_000, 1_000 + MANY)
    assert_tables_hold(engine, asked_in_postgres(postgres), numbers, decimals=False, rounding=1e-12)


SIXTY_ONE = pa.table({"age": range(61), "pay": range(100, 161), "shoal_group": [1] * 30 + [2] * 31})


@pytest.mark.parametrize(
    ("item", "truth"),
    [
        ("sum(pay) / avg(pay)", 61),
        ("avg(pay) / (2 + 2)", 32.5),
        ("sum(pay) / (sum(pay) / count(*))", 61),
        ("avg(pay) - (avg(pay) - 1)", 1),
        ("61 / variance(pay) * variance(pay)", 61),
        ("-(-sum(pay)) - (1 - (2 - 3))", 7928),
    ],
)
def test_what_is_divided_or_subtracted_keeps_its_parentheses(item: str, truth: float) -> None:
    (row,) = ask(f"select {item} as x from data", SIXTY_ONE, ("pay",)).rows
    assert row["x"].lower <= truth <= row["x"].upper
    assert row["x"].upper == pytest.approx(truth, rel=1e-9)
    assert row["x"].lower == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("item", ["round(avg(salary), 0)", "round(sum(salary) / 7)"])
def test_the_expectation_of_a_rounded_figure_is_not_told(item: str) -> None:
    (row,) = ask(f"select {item} as x from data where age > 40 and age < 55").rows
    assert (row["x"].expected, row["x"].sd) == (None, None)
    assert row["x"].lower < row["x"].upper


def test_what_is_rounded_and_certain_has_an_expectation() -> None:
    (row,) = ask("select round(avg(salary) / 1000, 1) as x from data").rows
    assert (row["x"].lower, row["x"].expected, row["x"].upper, row["x"].sd) == (68.3, 68.3, 68.3, 0.0)


def test_an_expectation_is_multiplied_by_what_is_certain() -> None:
    (row,) = ask(
        "select sum(salary) as s, (sum(salary) * 2) * (count(*) + 1) as x from data where age > 50"
    ).rows
    assert row["x"].expected == row["s"].expected * 8
    assert row["x"].sd == pytest.approx(row["s"].sd * 8)


def test_the_order_of_an_item_is_that_of_its_expectation_and_keys_keep_theirs() -> None:
    sql = "select gender, age > 45 as old, avg(salary) / (2 + 2) as x from data group by gender, age > 45"
    rows = ask(f"{sql} order by gender desc, x desc").rows
    assert [(row["gender"], row["old"]) for row in rows] == [
        ("M", True),
        ("M", False),
        ("F", True),
        ("F", False),
    ]
    assert [row["old"] for row in ask(f"{sql} order by 3, 1 limit 2 offset 1").rows] == [False, True]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("10 - (4 - sum(x))", (7, 9)),
        ("sum(x) * (0 - 1.5)", (Decimal("-4.5"), Decimal("-1.5"))),
        ("6 / (sum(x) / 2)", (4.0, 12.0)),
        ("1 / (sum(x) - 2)", (None, None)),
        ("round(sum(x) + 0.125, 2)", (Decimal("1.13"), Decimal("3.13"))),
        ("round(1.005e0, 2)", (1.0, 1.01)),
        ("1e308 * 10 * sum(x)", (None, None)),
    ],
)
def test_intervals_are_combined_end_by_end(text: str, ends: tuple[Number | None, Number | None]) -> None:
    found = expression_interval(trusted_sql(text), lambda _: Interval(1, 3))
    assert (found.lower, found.upper) == ends
    assert [type(end) for end in (found.lower, found.upper)] == [type(end) for end in ends]


def test_a_product_may_have_any_number_of_factors() -> None:
    (row,) = ask("select avg(salary)" + " * avg(salary)" * 20 + " as x from data").rows
    assert row["x"].lower == row["x"].upper == pytest.approx((615000 / 9) ** 21)
