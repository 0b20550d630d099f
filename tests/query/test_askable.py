"""What a release can be asked: every example is answered, by releases of every family."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.policy.model.policy import Policy
from shoal.query.askable import Askable, example_questions, examples_for, to_average
from shoal.table.profile.profile import profile
from shoal.table.table import Table

ROWS = 24
PEOPLE = pa.table(
    {
        "name": [f"Person {row}" for row in range(ROWS)],
        "zip": [str(10_000 + row % 5) for row in range(ROWS)],
        "age": [20 + row for row in range(ROWS)],
        "diagnosis": [("flu", "cold", "cancer")[row % 3] for row in range(ROWS)],
        "cost": [1_000 + 13 * (row * 7 % 11) for row in range(ROWS)],
    }
)
K = {"kind": "k-anonymity", "k": 3}
ROLES = {"name": "identifier", "zip": "quasi", "age": "quasi", "diagnosis": "sensitive", "cost": "other"}
ALONE = ROLES | {"diagnosis": "identifier", "cost": "identifier"}
MONDRIAN = {"name": "mondrian"}
FAMILIES: dict[str, tuple[dict[str, Any], str | None]] = {
    "ranges": ({"columns": ROLES, "guarantees": [K], "method": MONDRIAN}, "cost"),
    "ranges alone": ({"columns": ALONE, "rows": "people", "guarantees": [K], "method": MONDRIAN}, "age"),
    "labels": (
        {
            "columns": ALONE,
            "rows": "people",
            "guarantees": [K],
            "method": MONDRIAN,
            "hierarchies": {"zip": {"mask": "right"}, "age": {"intervals": [10, 20]}},
        },
        None,
    ),
    "permuted": (
        {
            "columns": ROLES | {"diagnosis": "quasi", "cost": "sensitive"},
            "guarantees": [{"kind": "ke-anonymity", "k": 3, "e": 5, "sensitive": "cost"}],
            "method": {"name": "min-sum"},
        },
        "cost",
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_example_is_answered(family: str, tmp_path: Path) -> None:
    given, averaged = FAMILIES[family]
    shoal.anonymize(PEOPLE, Policy(**given)).write(tmp_path / "release")
    release = shoal.open_release(tmp_path / "release")
    examples = examples_for(release.policy, profile(Table(PEOPLE)).as_dict()["columns"])
    for sql in examples:
        assert release.query(sql).rows, sql
    assert [sql for sql in examples if "avg(" in sql][:1] == (
        [f'select avg("{averaged}") from data'] if averaged else []
    )


def test_class_means_are_not_averaged() -> None:
    policy = Policy(columns=ROLES, guarantees=[K], method={"name": "mdav"})
    assert to_average(policy, ["zip", "age", "cost"]) == ["cost"]
    assert to_average(policy, ["zip", "age"]) == []


@pytest.mark.parametrize("name", ["zip", "PLZ", "postal_code", "post code", "Nr", "birth_year"])
def test_codes_are_not_averaged(name: str) -> None:
    policy = Policy(columns={name: "other", "age": "quasi"}, guarantees=[K])
    assert to_average(policy, [name, "age"]) == ["age"]


def test_examples_quote_names_whatever_they_are() -> None:
    asked = Askable(exact=('a "b"',), bounded=("order",), means=False)
    assert example_questions(asked, ["order"], ['a "b"'])[-1] == (
        'select "a ""b""", count(*), avg("order") from data group by "a ""b"""'
    )
