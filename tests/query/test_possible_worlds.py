"""Nested arithmetic on generalized releases, against plain SQL on the original and on tables inside it."""

from math import isfinite
from random import Random
from typing import Any

import duckdb
import pytest

from shoal.errors import ShoalError
from shoal.query.answer import Answer, Bounds
from shoal.query.generalized.answer import answer_generalized
from shoal.query.generalized.database import open_generalized
from tests.query.grammar import GENERALIZED, condition, questions
from tests.query.possible_worlds import POLICY, Around, around

WORLDS = 30
PER_TABLE = 20
FEW, MANY = 25, 500  # tables
REFUSED = ("so their keys are not known", "labels or sets of words, which have no bounds")  # all are stars
KEYS = ("", "", "", "city", "job", "pay", "lower(city)", "city, job")
Engine = duckdb.DuckDBPyConnection
Rows = dict[tuple[Any, ...], list[tuple[Any, ...]]]  # by key, what each world says


def truths(engine: Engine, items: list[str], where: str, keys: str) -> Rows:
    """What plain SQL says, by key; without keys, a world in which nothing matches has an answer too."""
    keyed = f", {keys}" if keys else ""
    width = keys.count(",") + 1 if keys else 0
    rows = engine.execute(
        f"select world{keyed}, {', '.join(items)} from worlds {where} group by world{keyed}"
    ).fetchall()
    found: Rows = {}
    for row in rows:
        found.setdefault(row[1 : 1 + width], []).append(row[1 + width :])
    if not keys and len(rows) <= WORLDS:
        nothing = engine.execute(f"select {', '.join(items)} from worlds where false").fetchall()
        found.setdefault((), []).extend(nothing)
    return found


def assert_holds(found: Bounds, told: list[Any], notes: tuple[str, ...], item: str) -> None:
    values = [value for value in told if value is not None and isfinite(value)]
    if found.lower is not None and found.upper is not None and len(values) < len(told):
        assert any("NULL" in note for note in notes), f"{item} has bounds, and no answer in some world"
    for value in values:
        room = type(value)(1e-12 * (abs(float(value)) + 1))
        assert found.lower is None or found.lower <= value + room, item
        assert found.upper is None or value - room <= found.upper, item


def assert_answer_holds(answer: Answer, plain: Rows, items: list[str]) -> int:
    names = [f"x{at}" for at in range(len(items))]
    rows = {tuple(value for name, value in row.items() if name not in names): row for row in answer.rows}
    assert set(plain) <= set(rows), "a key is missing"
    bounded = 0
    for key, told in plain.items():
        for at, name in enumerate(names):
            found = rows[key][name]
            assert_holds(found, [row[at] for row in told], answer.notes, items[at])
            bounded += found.lower is not None and found.upper is not None
    return bounded


def asked_of(released: Around, sql: str) -> Answer | None:
    """None where the question is refused, for a reason that is meant."""
    opened = open_generalized(released.table, POLICY, 0)
    with opened.connection:
        try:
            return answer_generalized(opened, sql)
        except ShoalError as error:
            if any(reason in str(error) for reason in REFUSED):
                return None
            raise


def assert_tables_hold(engine: Engine, numbers: range) -> None:
    """Of every table, all items of one question; few are refused."""
    asked = bounded = 0
    for number in numbers:
        draw = Random(number)
        released = around(draw)
        items, keys = questions(draw, PER_TABLE, GENERALIZED), draw.choice(KEYS)
        where = f"where {condition(draw)}" if draw.random() < 0.8 else ""
        named = ", ".join(f"{item} as x{at}" for at, item in enumerate(items))
        asked_for = f"{keys}, {named}" if keys else named
        sql = f"select {asked_for} from data {where}" + (f" group by {keys}" if keys else "")
        released.write_worlds(engine, draw, WORLDS)
        answer = asked_of(released, sql)
        if answer is None:
            continue
        asked += len(items)
        try:
            bounded += assert_answer_holds(answer, truths(engine, items, where, keys), items) > 0
        except AssertionError as error:
            raise AssertionError(f"table {number}: {sql}") from error
    assert asked > 0.8 * PER_TABLE * len(numbers)
    assert bounded > 0.5 * len(numbers)


def test_bounds_hold_the_original_and_every_table_inside_a_release(engine: Engine) -> None:
    assert_tables_hold(engine, range(FEW))


@pytest.mark.slow
def test_ten_thousand_questions_to_generalized_releases_hold_what_plain_sql_says(engine: Engine) -> None:
    assert_tables_hold(engine, range(1_000, 1_000 + MANY))
