"""Forms change one entry of a policy, and nothing else, nor what they were given."""

from copy import deepcopy

import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import policy_text
from shoal.policy.toml import toml_mapping
from shoal.web.forms.policy_edit import (
    policy_faults,
    with_domain,
    with_guarantee,
    with_hierarchy,
    with_method,
    with_missing,
    with_role,
    without_guarantee,
)

K = {"kind": "k-anonymity", "k": 5}
TEXT = """
[columns]
age = "quasi"
town = "quasi"
debt = "sensitive"

[hierarchies]
age = { intervals = [5, 10] }

[domains]
age = [0, 120]

[missing]
age = "zero"

[[guarantees]]
kind = "k-anonymity"
k = 5

[[guarantees]]
kind = "l-diversity"
l = 2
sensitive = "debt"

[method]
name = "mondrian"
weights = { age = 2.0 }
options = { relaxed = true }
"""
CHANGES = {
    "role": lambda policy: with_role(policy, "age", "other"),
    "gone": lambda policy: with_role(policy, "age", None),
    "hierarchy": lambda policy: with_hierarchy(policy, "town", {"tree": {"all": ["Ulm"]}}),
    "no hierarchy": lambda policy: with_hierarchy(policy, "age", None),
    "missing": lambda policy: with_missing(policy, "age", "suppress"),
    "domain": lambda policy: with_domain(policy, "age", (0, 99)),
    "guarantee": lambda policy: with_guarantee(policy, 2, {"kind": "p-sensitivity", "p": 2}),
    "fewer": lambda policy: without_guarantee(policy, 2),
    "method": lambda policy: with_method(policy, name="optimal", options={}),
}


@pytest.fixture
def policy():
    return toml_mapping(TEXT)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_leaves_what_was_given_and_gives_a_sound_policy(change, policy):
    before = deepcopy(policy)
    changed = change(policy)
    assert policy == before != changed
    assert policy_faults(changed) == policy_faults(policy_text(changed)) == []
    assert Policy.parse(policy_text(changed)) == Policy.from_mapping(changed)


def test_a_column_that_is_no_longer_quasi_keeps_its_entries(policy):
    changed = with_role(policy, "age", "other")
    assert changed == policy | {"columns": {"age": "other", "town": "quasi", "debt": "sensitive"}}
    assert with_role(changed, "age", "quasi") == policy


def test_a_column_that_leaves_takes_its_entries_along(policy):
    left = {"name": "mondrian", "options": {"relaxed": True}}
    assert with_role(policy, "age", None) == {
        "columns": {"town": "quasi", "debt": "sensitive"},
        "guarantees": policy["guarantees"],
        "method": left,
    }


def test_what_is_prepared_of_a_column_leaves_with_it(policy):
    columns = {"age": {"round": 5}, "debt": {"top": 9}}
    prepared = policy | {
        "prepare": {"leave_out": "debt = 0", "columns": columns, "derive": {"age": "debt + 1"}}
    }
    left = with_role(prepared, "age", None)["prepare"]
    assert left == {"leave_out": "debt = 0", "columns": {"debt": {"top": 9}}}
    alone = policy | {"prepare": {"columns": {"age": {"round": 5}}}}
    assert "prepare" not in with_role(alone, "age", None)
    assert alone["prepare"]["columns"]


def test_promises_do_not_change_with_a_role(policy):
    changed = with_role(policy, "debt", "other")
    assert changed["guarantees"] == policy["guarantees"]
    assert [fault.what for fault in policy_faults(changed)] == [
        "guarantee 2 is about 'debt', whose role is not sensitive"
    ]


def test_hierarchies_limits_and_rules_come_and_go(policy):
    assert with_hierarchy(policy, "town", "town.csv")["hierarchies"]["town"] == "town.csv"
    assert "hierarchies" not in with_hierarchy(policy, "age", None)
    assert with_hierarchy(policy, "town", None) == policy
    assert with_domain(policy, "age", (0, 99))["domains"] == {"age": [0, 99]}
    assert "domains" not in with_domain(policy, "age", None)
    assert with_missing(policy, "town", "value")["missing"] == {"age": "zero", "town": "value"}
    assert "missing" not in with_missing(policy, "age", None)


def test_guarantees_come_change_and_go(policy):
    more = {"kind": "p-sensitivity", "p": 2}
    assert with_guarantee(policy, None, more)["guarantees"] == [*policy["guarantees"], more]
    assert with_guarantee(policy, 1, more)["guarantees"] == [more, policy["guarantees"][1]]
    assert without_guarantee(policy, 1)["guarantees"] == policy["guarantees"][1:]
    assert "guarantees" not in without_guarantee({"guarantees": [K]}, 1)


@pytest.mark.parametrize("place", [0, 3, -1])
def test_there_is_no_guarantee_at_another_place(place, policy):
    for change in (lambda: without_guarantee(policy, place), lambda: with_guarantee(policy, place, K)):
        with pytest.raises(ShoalError, match=f"there is no guarantee {place}"):
            change()


def test_what_is_not_said_of_the_method_stays(policy):
    assert with_method(policy) == policy
    assert with_method(policy, objective="entropy", weights={})["method"] == {
        "name": "mondrian", "options": {"relaxed": True}, "objective": "entropy",
    }  # fmt: skip
    assert with_method({}, name="optimal") == {"method": {"name": "optimal"}}


def test_a_section_that_is_none_gives_way():
    assert with_role({"columns": 5}, "age", "quasi") == {"columns": {"age": "quasi"}}
    assert with_guarantee({"guarantees": "x"}, None, K) == {"guarantees": [K]}


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        ("net pay = 1", "policy.toml is not valid TOML"),
        ({}, "[columns] is missing"),
        ({"self": 1}, "[self] is not part of a policy"),
        ({"columns": 5, "hierarchies": 5}, "[columns]: input should be a valid dictionary"),
        ({"hierarchies": {"a": "no.csv"}}, "there is no hierarchy file 'no.csv' for column 'a'"),
        ({"hierarchies": {"a": "a\0b"}}, "the hierarchy file of column 'a' cannot be read"),
        ({"guarantees": [{"kind": "kf-anonymity", "k": 2, "knows": ["(" * 5000]}]},
         "[[guarantees]] 1, knows: an expression has brackets inside brackets"),
    ],
)  # fmt: skip
def test_faults_of_a_text_or_mapping(policy, what, tmp_path):
    assert any(fault.what.startswith(what) for fault in policy_faults(policy, tmp_path))


def test_files_are_looked_for_beside_the_policy(policy, tmp_path):
    (tmp_path / "town.csv").write_text("Ulm;south;*\n", encoding="utf-8")
    changed = with_hierarchy(policy, "town", "town.csv")
    assert policy_faults(changed, tmp_path) == []
    assert policy_faults(policy_text(changed), tmp_path) == []
