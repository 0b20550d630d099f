"""A policy that is written and read again is the same one, whatever its columns are called."""

import tomllib
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given

from shoal.errors import ShoalError
from shoal.policy.draft.draft_policy import expression_name
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import plain_mapping, policy_text
from shoal.policy.toml import toml_mapping
from shoal.web.forms.policy_edit import with_role
from tests.draws import draws
from tests.policy.policies import HOSTILE, policies

K = {"kind": "k-anonymity", "k": 5}
FULL = """\
# one line
#
# another

[columns]
name      = "identifier"
"net pay" = "quasi"
education = "quasi"
debt      = "sensitive"

[hierarchies]
education = "education.csv"
"net pay" = { intervals = [0.50, 1, 20] }

[domains]
"net pay" = [0, 1000000]

[missing]
"net pay" = "zero"

# someone who knows "net pay" to within 5.00 % of a person finds at least 10 records that fit
[[guarantees]]
kind = "kf-anonymity"
k = 10
knows = ["\\"net pay\\""]
within = 0.05

# every combination of published quasi values is shared by at least 5 records
[[guarantees]]
kind = "k-anonymity"
k = 5

[method]
suppression = 0.02
options     = { order = { education = ["low", "high"] } }
"""
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]  # a policy has many parts


@draws(200, suppress_health_check=LARGE)
@given(policies())
def test_what_is_written_is_read_as_the_same_policy(policy):
    assert Policy.parse(policy_text(policy, "a head\r\nof\x00 lines")) == policy


@draws(200, suppress_health_check=LARGE)
@given(policies())
def test_a_written_mapping_is_read_as_itself_and_written_as_itself(policy):
    text = policy_text(policy)
    assert toml_mapping(text) == tomllib.loads(policy_text(toml_mapping(text)), parse_float=Decimal)
    assert policy_text(toml_mapping(text)) == text


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_of_a_column_breaks_a_text(name):
    known = {"kind": "kf-anonymity", "k": 2, "knows": [expression_name(f"{name} ")], "also": [name]}
    policy = Policy(
        columns={name: "quasi", f"{name} ": "quasi", f"{name}.": "sensitive"},
        guarantees=[known, {"kind": "l-diversity", "l": 2, "sensitive": f"{name}."}],
        hierarchies={name: {"tree": {name: [name]}}},
        method={"options": {"order": {name: [name]}}},
    )
    assert Policy.parse(policy_text(policy)) == policy


def test_a_text_reads_well_and_keeps_what_was_written():
    assert policy_text(toml_mapping(FULL), "one line\n\nanother") == FULL


def test_defaults_and_empty_sections_are_left_out():
    mapping = {
        "domains": {},
        "columns": {"a": "quasi"},
        "guarantees": [{"kind": "k-anonymity", "k": 5, "stars": "own"}],
        "method": {"name": "auto", "suppression": Decimal("0.0"), "options": {}},
    }
    assert plain_mapping(mapping) == {"columns": {"a": "quasi"}, "guarantees": [K]}


def test_the_lines_of_a_file_are_part_of_a_policy_and_its_name_of_a_mapping(tmp_path):
    (tmp_path / "town.csv").write_text("Ulm;south;*\nKiel;north;*\n", encoding="utf-8")
    text = policy_text({"columns": {"town": "quasi"}, "hierarchies": {"town": "town.csv"}, "guarantees": [K]})
    policy = Policy.parse(text, tmp_path)
    assert 'town = "town.csv"' in policy_text(with_role(toml_mapping(text), "name", "identifier"))
    assert 'town = { paths = [["Ulm", "south"], ["Kiel", "north"]] }' in policy_text(policy)
    assert Policy.parse(policy_text(policy)) == policy


def test_tables_and_lists_that_are_too_long_for_a_line_are_broken():
    towns = {f"region {number}": [f"town {number}", f"village {number}"] for number in range(5)}
    text = policy_text(
        {"hierarchies": {"town": {"tree": towns}}, "columns": dict.fromkeys(["town"], "quasi")}
    )
    assert "[hierarchies.town.tree]\n" in text
    assert max(map(len, text.splitlines())) <= 110
    assert '    "w40",\n]' in policy_text({"guarantees": [{"order": [f"w{number}" for number in range(41)]}]})


@pytest.mark.parametrize(
    "mapping",
    [
        {"columns": 5, "guarantees": "none", "method": [1], "extra": {"a": {"b": 1}}},
        {"columns": {"a": "quazi"}, "guarantees": [{"k": 1}, {"kind": "no such", "k": [{"a": 1}]}]},
        {"guarantees": [1, {"kind": ["k-anonymity"]}], "a": {"b": {"c": list(range(99))}}},
    ],
)
def test_what_is_at_fault_is_written_too(mapping):
    assert toml_mapping(policy_text(mapping)) == mapping


def test_a_missing_value_has_no_word_in_toml():
    policy = Policy(
        columns={"a": "quasi"}, guarantees=[K], hierarchies={"a": {"paths": [["x", "y"], [None, None]]}}
    )
    with pytest.raises(ShoalError, match="missing values in a hierarchy"):
        policy_text(policy)
