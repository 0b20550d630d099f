"""What init writes, run accepts: of tables as people have them, with codes, local spellings and copies."""

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.comparison.draft_trial import tried_draft
from shoal.policy.draft.draft import DraftRequest
from shoal.policy.model.policy import Policy
from shoal.table.table import Table

ROWS = 300
DRAW = np.random.default_rng(1)
AGES = DRAW.integers(18, 90, ROWS)
PAY = DRAW.integers(900, 9_000, ROWS)


def drafted(**columns):
    table = pa.table(columns)
    return table, Policy.parse(tried_draft(DraftRequest(Table(table), "t.csv")).text)


def assert_runs(table, policy):
    release = shoal.anonymize(table, policy)
    assert all(verdict.holds for verdict in release.verdicts)


def german(number: int) -> str:
    return f"{number:,}".replace(",", ".") + f",{number % 100:02}"


TABLES = {
    "an export of R": {
        "age": ["NA" if row % 17 == 0 else str(AGES[row]) for row in range(ROWS)],
        "sex": [("f", "m", "NA")[row % 3] for row in range(ROWS)],
        "kids": ["NA" if row % 11 == 0 else str(row % 4) for row in range(ROWS)],
        "income": ["NA" if row % 7 == 0 else str(PAY[row]) for row in range(ROWS)],
    },
    "a German file": {
        "Geburtsdatum": [f"{1 + row % 28:02}.{1 + row % 12:02}.{1940 + row % 60}" for row in range(ROWS)],
        "Einkommen": [german(int(pay)) for pay in PAY],
        "PLZ": [f"{10_000 + 37 * row}" for row in range(ROWS)],
        "Konfession": [("rk", "ev", "keine")[row % 3] for row in range(ROWS)],
    },
    "codes of a survey": {
        "age": [int(age) if row % 10 else -9 for row, age in enumerate(AGES)],
        "REGION": [1 + row % 9 for row in range(ROWS)],
        "MARSTAT": [1 + row % 5 for row in range(ROWS)],
        "WEIGHT": [1_000 + 3 * row for row in range(ROWS)],
        "INCOME": [int(pay) if row % 12 else 99_999_999 for row, pay in enumerate(PAY)],
    },
    "copies and remarks": {
        "age": AGES,
        "agesq": AGES**2,
        "born": 2024 - AGES,
        "wage": PAY / 100,
        "lwage": np.log(PAY / 100),
        "note": ["none"] * (ROWS - 1) + ["write to ann@example.org"],
    },
    "years of the same people": {
        "id": [row // 5 for row in range(ROWS)],
        "year": [2000 + row % 5 for row in range(ROWS)],
        "age": [30 + row // 10 for row in range(ROWS)],
    },
    "nothing that others know": {"iq": AGES, "salary": PAY},
    "numbers and words": {
        "age": [str(age) if row % 3 else ("refused", "dk")[row % 2] for row, age in enumerate(AGES)],
        "sex": [row % 2 for row in range(ROWS)],
    },
    "one diagnosis": {"age": AGES, "diagnosis": ["flu"] * ROWS, "hiv": ["no"] * (ROWS - 1) + ["yes"]},
    "lists and flags": {
        "age": AGES,
        "tags": [[1, 2]] * ROWS,
        "married": [row % 2 == 0 for row in range(ROWS)],
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_run_accepts_the_draft(name):
    assert_runs(*drafted(**TABLES[name]))


def test_signs_among_numbers_are_missing_and_numbers_stay_numbers():
    _, policy = drafted(**TABLES["an export of R"])
    assert policy.missing_codes["age"] == ("NA",)
    assert policy.hierarchies["age"].intervals
    assert "zero" not in str(policy.missing)


def test_local_spellings_are_proposed_with_the_evidence():
    table = Table(pa.table(TABLES["a German file"]))
    text = tried_draft(DraftRequest(table, "t.csv")).text
    assert 'Geburtsdatum = { kind = "date", format = "%d.%m.%Y" }' in text
    assert "cells have a day above 12" in text
    assert 'Einkommen = { kind = "number", decimal = ",", thousands = "." }' in text
    policy = Policy.parse(text)
    assert policy.columns["Konfession"] == policy.columns["Einkommen"] == "sensitive"
    assert {one.sensitive for one in policy.guarantees[1:]} == {"Konfession", "Einkommen"}


def test_a_date_that_may_be_either_is_never_guessed():
    table = Table(
        pa.table({"age": AGES, "joined": [f"{1 + row % 12:02}.{1 + row % 9:02}.2011" for row in range(ROWS)]})
    )
    text = tried_draft(DraftRequest(table, "t.csv")).text
    assert Policy.parse(text).columns["joined"] == "drop"
    assert "no cell has a day above 12" in text


def test_nominal_codes_are_words_and_weights_are_left_out():
    _, policy = drafted(**TABLES["codes of a survey"])
    assert policy.types["REGION"] == policy.types["MARSTAT"] == "category"
    assert policy.columns["WEIGHT"] == "drop"
    assert policy.missing_codes["age"] == ("-9",)
    assert [asked.kind for asked in policy.guarantees] == ["k-anonymity", "l-diversity"]


def test_copies_are_left_out_and_so_are_columns_that_name_people():
    _, policy = drafted(**TABLES["copies and remarks"])
    assert policy.having("drop") == ["agesq", "born", "lwage", "note"]


def test_a_promise_that_no_values_allow_is_a_comment_with_the_reason():
    table = Table(pa.table(TABLES["one diagnosis"]))
    text = tried_draft(DraftRequest(table, "t.csv")).text
    assert 'may give "diagnosis" away. Off: all records have the same value' in text
    assert 'may give "hiv" away. Off: only 0.3 % of the records' in text


def test_repeated_people_are_said_aloud():
    table, policy = drafted(**TABLES["years of the same people"])
    assert (policy.rows, policy.columns["id"]) == ("people", "identifier")
    assert table.num_rows == ROWS


def test_a_table_of_words_that_nobody_shares_gets_a_policy_all_the_same():
    assert_runs(
        *drafted(row=[f"V{row}" for row in range(ROWS)], code=[f"{row}-{row}" for row in range(ROWS)])
    )


def test_what_a_table_is_about_stays_where_a_doubtful_column_would_be_told():
    _, policy = drafted(age=AGES, kids=AGES // 7 % 4, income=PAY, x=PAY // 1_000)
    assert (policy.columns["income"], policy.columns["x"]) == ("sensitive", "drop")
