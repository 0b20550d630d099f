"""``shoal run`` says of a table on every engine what it says in memory: manifest, decision, figures."""

import json
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from shoal.engines.spark.engine import SparkEngine

ROWS = 240
OF_A_RUN = {"release", "fingerprint", "seconds", "engine"}
OF_THE_FILES = {"files", "sha256"}
ROLES = {
    "name": "identifier", "age": "quasi", "kids": "quasi", "town": "quasi", "ill": "sensitive",
    "again": "other", "cost": "other", "pay": "identifier",
}  # fmt: skip
ALIKE = {"kind": "k-anonymity", "k": 4}
CASES = {
    "sets": ({}, [ALIKE], {"name": "mondrian"}),
    "levels": ({}, [ALIKE], {"name": "datafly", "suppression": 0.1}),
    "worthless": ({}, [ALIKE | {"k": 200}], {"name": "mondrian"}),
    "sums": (
        {"town": "other"},
        [{"kind": "kf-anonymity", "k": 4, "knows": ["age + kids"]}],
        {"name": "aggranon"},
    ),
    "means": ({}, [ALIKE], {"name": "mdav"}),
    "stars": ({}, [ALIKE], {"name": "suppress-cells"}),
    "permuted": (
        {"pay": "sensitive"},
        [{"kind": "ke-anonymity", "k": 4, "e": 200, "sensitive": "pay"}],
        {"name": "min-sum"},
    ),
}
ON_SPARK = ["sets", "permuted"]


def people():
    """A copy of the age, a cost that singles everybody out, few illnesses, and words that look like sets."""
    draw = np.random.default_rng(20)
    age = draw.integers(18, 90, ROWS)
    columns = {
        "name": [f"P{row // 2}" for row in range(ROWS)],
        "age": age,
        "kids": draw.integers(0, 4, ROWS),
        "town": draw.choice(["A, B", "1,5", "*x", "Köln", "Ulm"], ROWS),
        "ill": draw.choice(["flu", "flu ", " cold", "cold"], ROWS, p=[0.5, 0.4, 0.05, 0.05]),
        "again": age,
        "cost": draw.integers(0, 10**9, ROWS),
        "pay": draw.integers(0, 50, ROWS) * 100,
    }
    return pa.table(columns)


def toml(value):
    """What is the same in TOML and JSON, and mappings in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@pytest.fixture
def run(command, tmp_path):
    """The answer and the manifest of one case on an engine, without what every run has of its own."""
    csv.write_csv(people(), tmp_path / "people.csv")

    def call(case, engine, *more):
        roles, guarantees, method = CASES[case]
        asked = {"rows": "people", "columns": ROLES | roles, "guarantees": guarantees, "method": method,
                 "leaks": {"accept": ["again"]}}  # fmt: skip
        (tmp_path / "policy.toml").write_text(
            "".join(f"{name} = {toml(value)}\n" for name, value in asked.items())
        )
        out = tmp_path / engine
        told = ("-o", out, "--format", "parquet", "--engine", engine, "--seed", 3, "--json", *more)
        found = command("run", tmp_path / "people.csv", tmp_path / "policy.toml", *told)
        assert found.code == 0, found.err
        manifest = json.loads((out / "manifest.json").read_text())
        return _without(found.json, OF_A_RUN), _without(manifest, OF_THE_FILES)

    return call


def _without(content, names):
    return {name: value for name, value in content.items() if name not in names}


def assert_same_run(found, expected):
    (answer, manifest), (here, manifest_here) = found, expected
    assert manifest == manifest_here
    for name in ("loss", "paid"):
        assert answer.pop(name) == pytest.approx(here.pop(name))
    here.pop("utility", None)  # of class means, measured in memory only
    assert answer == here
    told = {reason["level"] for reason in here["decision"]["reasons"]}
    assert told == {"exposed", "watch"}  # a seed, and what was planted


@pytest.mark.parametrize("case", CASES)
def test_a_run_on_disk_says_what_a_run_in_memory_says(run, case):
    assert_same_run(run(case, "disk", "--memory", "1GB"), run(case, "memory"))


@pytest.mark.parametrize("case", ON_SPARK)
def test_a_run_on_spark_says_what_a_run_in_memory_says(run, case, spark, monkeypatch):
    @contextmanager
    def shared(_master, folder):
        with SparkEngine(spark, folder, ROWS) as engine:
            yield engine

    monkeypatch.setattr("shoal.engines.spark.own_engine.spark_engine", shared)
    assert_same_run(run(case, "spark"), run(case, "memory"))


def test_what_was_planted_is_named_on_disk(run):
    answer, manifest = run("sets", "disk")
    reasons = " ".join(reason["sentence"] for reason in answer["decision"]["reasons"])
    assert f"Column 'again' is published as it is and fills {ROWS}" in reasons
    assert "only with people of the same ill" in reasons
    assert f"cost is published exactly and {ROWS} of {ROWS} values are unique" in reasons
    assert answer["decision"]["not_measured"] == [
        "attackers; shoal report DIR --against DATA simulates them on the original table"
    ]
    assert any("'again'" in note for note in manifest["notes"])
    assert any(f"'name' repeats in {ROWS} of {ROWS} rows" in note for note in manifest["notes"])
