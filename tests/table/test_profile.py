"""Counts and guesses, and never a cell."""

import json

import pyarrow as pa
import pytest

from shoal.table.profile import profile
from shoal.table.table import Table

ROWS = 40
PEOPLE = Table(
    pa.table(
        {
            "name": [f"person-{row}" for row in range(ROWS)],
            "age": ["44"] * ROWS,
            "salary": [f"{row * 731}.25" for row in range(ROWS)],
            "bonus": [None, float("nan"), *range(101, ROWS + 99)],
            "diagnosis": ["gout", "flu"] * (ROWS // 2),
            "letter": [f"text-{row}" for row in range(ROWS)],
            "region": ["north", None] * (ROWS // 2),
            "married": [True, False] * (ROWS // 2),
            "visits": [[row] for row in range(ROWS)],
        }
    )
)
FOUND = {column.name: column for column in profile(PEOPLE).columns}


@pytest.mark.parametrize(
    ("name", "kind", "missing", "distinct", "unique"),
    [
        ("name", "text", 0, 40, 40),
        ("age", "integer", 0, 1, 0),
        ("salary", "decimal", 0, 40, 40),
        ("bonus", "integer", 2, 38, 38),
        ("diagnosis", "text", 0, 2, 0),
        ("region", "text", 20, 1, 0),
        ("married", "bool", 0, 2, 0),
        ("visits", "list<item: int64>", 0, 40, 40),
    ],
)
def test_cells_are_counted(name, kind, missing, distinct, unique):
    column = FOUND[name]
    assert (column.kind, column.missing, column.distinct, column.unique) == (kind, missing, distinct, unique)


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("name", "identifier"),
        ("age", "quasi"),
        ("salary", "quasi"),
        ("bonus", "quasi"),
        ("diagnosis", "sensitive"),
        ("letter", "identifier"),
        ("region", "other"),
        ("married", "other"),
    ],
)
def test_roles_are_guessed_with_a_reason(name, guess):
    assert FOUND[name].guess == guess
    assert FOUND[name].why


def test_only_amounts_look_like_parts_of_a_total():
    assert {name for name, column in FOUND.items() if column.additive} == {"salary", "bonus"}


def test_numbers_written_in_two_ways_are_one_value():
    (column,) = profile(Table(pa.table({"pay": ["1.50", "1.5", "2"]}))).columns
    assert (column.distinct, column.unique) == (2, 1)


def test_a_profile_shows_no_cell():
    shown = json.dumps(profile(PEOPLE).as_dict())
    for cell in ("person-7", "44", "731.25", "101", "gout", "text-3", "north"):
        assert cell not in shown


def test_a_profile_is_plain_data():
    found = profile(PEOPLE).as_dict()
    assert found["rows"] == ROWS
    assert [column["name"] for column in found["columns"]] == PEOPLE.names
