"""Counts and guesses, and never a cell."""

import json

import numpy as np
import pyarrow as pa
import pytest

from shoal.table.profile.profile import profile
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
            "married": [True, True, True, False] * (ROWS // 4),
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
        ("letter", "drop"),
        ("region", "quasi"),
        ("married", "quasi"),
    ],
)
def test_roles_are_guessed_with_a_reason(name, guess):
    assert FOUND[name].guess == guess
    assert FOUND[name].why


def profiled(name, cells):
    (column,) = profile(Table(pa.table({name: cells}))).columns
    return column


@pytest.mark.parametrize(
    ("names", "guess"),
    [
        ("Διάγνωση ΔΙΑΓΝΩΣΗ Θρήσκευμα Krankheit Konfession maladie enfermedad malattia", "sensitive"),
        ("Φύλο Ηλικία Geschlecht sexe sexo sesso Geburtsdatum Postleitzahl birthDate Τ.Κ.", "quasi"),
        ("Ονοματεπώνυμο ΑΦΜ Nachname Kundennummer prénom apellidos cognome userName", "identifier"),
        ("Farbe nombre_d_enfants village marital educ hrswork Bundesland", "quasi"),
        ("wage_group Einkommen revenu salario reddito μισθός lwage vote parti hiv iq", "sensitive"),
        ("treatment Gruppe arm", "other"),
    ],
)
def test_words_of_several_languages_are_known(names, guess):
    assert {name: profiled(name, ["a", "b"] * 5).guess for name in names.split()} == dict.fromkeys(
        names.split(), guess
    )


def test_words_that_nobody_knows_are_not_called_harmless():
    column = profiled("Farbe", ["a", "b"] * 5)
    assert (column.guess, column.sure) == ("quasi", "low")


@pytest.mark.parametrize("name", ["Ταχυδρομικός Κώδικας", "code postal", "anno", "tax_year", "Ηλικία"])
def test_numbers_whose_sum_means_nothing_are_no_amounts(name):
    column = profiled(name, list(range(10_000, 10_040)))
    assert (column.guess, column.additive) == ("quasi", False)


@pytest.mark.parametrize("date", ["{:02}.05.1958", "5/{}/1958", " {}.5.58"])
def test_dates_in_other_notations_say_how_to_write_them(date):
    for name in ("joined", "Geburtsdatum"):
        column = profiled(name, [date.format(day) for day in range(1, 29)] + [None])
        assert column.guess == "quasi"
        assert "write them as 2011-05-17" in column.why
        assert "say how they are written in [types]" in column.advice
    assert not profiled("joined", [f"2011-05-{day}" for day in range(10, 29)]).advice


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


def test_a_copy_is_left_out_with_what_it_is_a_copy_of():
    wages = np.random.default_rng(0).permutation(np.arange(100, 300))
    found = profile(Table(pa.table({"wage": wages, "lwage": np.log(wages), "age": wages // 7 % 60})))
    assert [column.guess for column in found.columns] == ["sensitive", "drop", "quasi"]
    assert "'wage'" in found.columns[1].why


def test_a_total_is_left_out_with_its_addends():
    one, other = np.random.default_rng(0).integers(1, 1_000, (2, 60))
    found = profile(Table(pa.table({"rent": one, "food": other, "all": one + other})))
    assert found.columns[2].guess == "drop"
    assert "the sum of rent, food in most rows" in found.columns[2].why


@pytest.mark.parametrize("name", ["weight", "fnlwgt", "pweight", "Gewicht", "hhwt"])
def test_weights_of_records_are_left_out_and_those_of_bodies_are_not(name):
    assert profiled(name, [1_000.5 + 3 * row for row in range(40)]).guess == "drop"
    assert profiled("weight", [60 + row for row in range(40)]).guess == "quasi"


def test_values_that_name_people_make_an_identifier_whatever_the_name():
    assert profiled("x1", [f"p{row}@example.org" for row in range(40)]).guess == "identifier"
    assert profiled("x1", ["none"] * 39 + ["ann@example.org"]).guess == "drop"


@pytest.mark.parametrize(("name", "values"), [("clinic_name", 4), ("test_id", 2), ("un_continent_name", 5)])
def test_names_that_many_rows_share_are_places_or_categories(name, values):
    column = profiled(name, [f"value-{row % values}" for row in range(200)])
    assert (column.guess, profile(Table(pa.table({name: ["a", "b"] * 50}))).repeating) == ("quasi", [])


@pytest.mark.parametrize("name", ["patient_id", "last_name", "name", "subject", "email", "phone"])
def test_names_of_people_stay_identifiers_however_often_they_repeat(name):
    assert profiled(name, [f"value-{row % 4}" for row in range(60)]).guess == "identifier"


@pytest.mark.parametrize("name", ["city", "Unnamed: 3", "patient_id", "age", "income", "x"])
@pytest.mark.parametrize("kind", [pa.string(), pa.float64(), pa.null()])
def test_an_empty_column_is_left_out(name, kind):
    column = profiled(name, pa.nulls(30, kind))
    assert (column.guess, column.why) == ("drop", "no cell is filled")
