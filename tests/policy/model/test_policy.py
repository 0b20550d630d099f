"""A policy is checked as a whole: every fault with its place and a hint."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from shoal.errors import ShoalError
from shoal.policy.model.guarantee import GUARANTEES, KAnonymity, KfAnonymity
from shoal.policy.model.policy import Method, Policy
from shoal.policy.text.policy_text import policy_text

K = {"kind": "k-anonymity", "k": 2}


def faults(**policy):
    with pytest.raises(ShoalError) as refused:
        Policy(**policy)
    return {fault.what: fault.hint for fault in refused.value.faults}


def kf(**more):
    return {"kind": "kf-anonymity", "k": 2, "knows": ["a"]} | more


def test_a_sound_policy_is_what_was_said():
    policy = Policy(
        columns={"a": "quasi", "b": "identifier", "c": "quasi"},
        guarantees=[kf(knows=["a + c"], within=0.05, band="any"), KAnonymity(k=3)],
        domains={"a": [0, 10]},
        missing={"a": "zero"},
        method={"name": "mondrian", "suppression": 0.1},
    )
    assert policy.having("quasi") == ["a", "c"]
    assert policy.guarantees == (
        KfAnonymity(k=2, knows=["a + c"], within=Decimal("0.05"), band="any"),
        KAnonymity(k=3),
    )
    assert policy.domains == {"a": (0, 10)}


def test_all_faults_are_reported_at_once_with_place_and_hint():
    found = faults(
        columns={"a": "quazi", "b": "other"},
        guarantees=[
            {"kind": "k-anonymity", "k": 1},
            {"kind": "k-anonimity", "k": 3},
            {"k": 2},
            kf(knows=["a +"]),
            {"kind": "kf-anonymity", "k": 2},
            {"kind": "l-diversity", "l": 2.5, "sensitive": "b"},
            kf(within=1.5, band="left", certain=True),
        ],
        method={"nam": "x", "suppression": 2},
        domain={},
    )
    expected = {
        "[columns] a has no such role": "identifier, quasi, sensitive or other",
        "[[guarantees]] 1, k: input should be greater than or equal to 2": "at least 2",
        "[[guarantees]] 2: there is no guarantee of kind 'k-anonimity'": "shoal has 'k-anonymity'.",
        "[[guarantees]] 3 has no kind": 'kind = "kf-anonymity"',
        "[[guarantees]] 4, knows: expression 'a +' cannot be read: unexpected 'end of expression'": "quote",
        "[[guarantees]] 5, knows is missing": "knows is a list",
        "[[guarantees]] 6: l is a whole number for distinct l-diversity": "",
        "[[guarantees]] 7, within: input should be less than 1": "between 0 and 1",
        "[[guarantees]] 7, band: input should be 'centred' or 'any'": "",
        "[[guarantees]] 7, certain is not part of a policy": "this part has",
        "[method] nam is not part of a policy": "this part has",
        "[method] suppression: input should be less than or equal to 1": "between 0 and 1",
        "[domain] is not part of a policy": "a policy has 'domains'.",
    }
    assert set(found) == set(expected)
    for what, hint in expected.items():
        assert hint in found[what], what


def test_columns_that_no_section_may_name_are_reported_together():
    found = faults(
        columns={"a": "quasi", "net pay": "other"},
        guarantees=[kf(knows=['a + "net pay" + x'])],
        domains={"z": [0, 1]},
        missing={"aa": "zero"},
        method={"weights": {"w": 1}},
    )
    assert found == {
        "[domains] names column 'z', which [columns] does not list": "[columns] has 'a', 'net pay'.",
        "[missing] names column 'aa', which [columns] does not list": "[columns] has 'a'.",
        "[method] weights names column 'w', which [columns] does not list": "[columns] has 'a', 'net pay'.",
        "guarantee 1 knows 'net pay', whose role is not quasi": 'give it the role "quasi" in [columns].',
        "guarantee 1 knows 'x', which [columns] does not list": "[columns] has 'a', 'net pay'.",
    }


def test_a_quasi_column_outside_every_guarantee_is_a_fault():
    found = faults(columns={"a": "quasi", "b": "quasi"}, guarantees=[kf()])
    assert list(found) == ["quasi column 'b' is protected by no guarantee"]


def test_k_anonymity_protects_every_quasi_column():
    assert Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[kf(), K]).having("quasi") == ["a", "b"]


def test_several_aggregates_protect_their_columns_together():
    policy = Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[kf(), kf(knows=["b"])])
    assert len(policy.guarantees) == 2


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        ({"guarantees": [K]}, "[columns] is missing"),
        ({"columns": {"a": "quasi"}}, "[guarantees] is missing"),
        ({"columns": {}, "guarantees": [K]}, "[columns]: dictionary should have at least 1 item"),
        ({"columns": {"a": "quasi"}, "guarantees": []}, "[guarantees]: tuple should have at least 1 item"),
        ({"columns": {"a": "other"}, "guarantees": [K]}, "no column has the role quasi"),
        ({"columns": {"a": "quasi"}, "guarantees": [K], "domains": {"a": [5, 1]}},
         "[domains]: the limits of 'a' are the wrong way round"),
        ({"columns": {"a": "quasi"}, "guarantees": [K], "missing": {"a": "nil"}},
         "[missing] a: input should be 'value', 'zero', 'suppress' or 'error'"),
        ({"columns": {"a": "quasi"}, "guarantees": [kf(k=2.5)]},
         "[[guarantees]] 1, k: input should be a valid integer"),
        ({"columns": {"a": "quasi"}, "guarantees": [kf(within=0)]},
         "[[guarantees]] 1, within: input should be greater than 0"),
        ({"columns": {"a": "quasi"}, "guarantees": [kf(within=0.6, band="any")]},
         '[[guarantees]] 1: with band = "any", within is at most 0.5'),
        ({"columns": {"a": "quasi"}, "guarantees": [kf(knows=["var(a)"])]},
         "[[guarantees]] 1, knows: expression 'var(a)': 'var' is not monotone"),
        ({"columns": {"a": "quasi"}, "guarantees": [K], "method": {"weights": {"a": -1}}},
         "[method] weights a: input should be greater than or equal to 0"),
        ({"columns": {"a": "quasi"}, "guarantees": [K], "method": {"weights": {"a": float("inf")}}},
         "[method] weights a: input should be a finite number"),
        ({"columns": {"a": "quasi"}, "guarantees": [K], "hierarchy": {}},
         "[hierarchy] is not part of a policy"),
    ],
)  # fmt: skip
def test_each_fault_says_where_it_is(policy, complaint):
    (what,) = faults(**policy)
    assert what.startswith(complaint)


def test_the_hint_for_an_unknown_section_names_only_sections_that_exist():
    (hint,) = faults(columns={"a": "quasi"}, guarantees=[K], zzz={}).values()
    assert hint == f"a policy has {', '.join(map(repr, Policy.model_fields))}."


def test_a_policy_cannot_be_changed():
    policy = Policy(columns={"a": "quasi"}, guarantees=[K])
    with pytest.raises(ValidationError, match="frozen"):
        policy.columns = {}


def test_the_public_policy_makes_the_same_policy_again():
    policy = Policy(
        columns={"net pay": "quasi", "b": "other"},
        guarantees=[kf(knows=['2 * "net pay"'], within="0.05"), K],
        domains={"net pay": ["-1.5", "2"]},
        method={"name": "mondrian", "options": {"relaxed": True}},
    )
    assert Policy(**policy.public()) == policy


@pytest.mark.parametrize("model", [Policy, Method, *GUARANTEES], ids=lambda model: model.__name__)
def test_the_json_schema_has_every_field(model):
    schema = Policy.model_json_schema()
    part = schema if model is Policy else schema["$defs"][model.__name__]
    assert set(part["properties"]) == set(model.model_fields)
    assert part["additionalProperties"] is False


TOML = """
[columns]
salary = "quasi"
"net pay" = "quasi"

[domains]
salary = [0, 0.1]

[[guarantees]]
kind = "kf-anonymity"
k = 10
knows = ['salary + "net pay"']
within = 0.05
"""


def test_a_policy_file_is_read_with_exact_decimals(tmp_path):
    (tmp_path / "policy.toml").write_text(TOML, encoding="utf-8")
    policy = Policy.load(tmp_path / "policy.toml")
    assert policy.domains["salary"] == (0, Decimal("0.1"))
    assert policy.guarantees == (KfAnonymity(k=10, knows=['salary + "net pay"'], within=Decimal("0.05")),)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"[columns]\nnet pay = 1", "policy.toml is not valid TOML"),
        (b"\xff\xfe", "cannot be read as a policy file"),
        (b"", "[columns] is missing"),
    ],
)
def test_a_file_that_holds_no_policy_is_refused(content, complaint, tmp_path):
    (tmp_path / "policy.toml").write_bytes(content)
    with pytest.raises(ShoalError) as refused:
        Policy.load(tmp_path / "policy.toml")
    assert complaint in str(refused.value)


def test_a_policy_file_that_is_not_there_is_refused_with_how_to_make_one(tmp_path):
    with pytest.raises(ShoalError, match="there is no policy file") as refused:
        Policy.load(tmp_path / "none.toml")
    assert "shoal init" in refused.value.faults[0].hint


@pytest.mark.parametrize("e", [-5, "5k", None])
def test_an_e_that_is_none_has_a_hint(e):
    asked = {"kind": "ke-anonymity", "k": 2, "sensitive": "pay"} | ({} if e is None else {"e": e})
    (hint,) = faults(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[asked]).values()
    assert "how far the values of a group lie apart" in hint


def test_the_hint_for_a_wrong_key_knows_the_keys_of_every_guarantee():
    asked = {"kind": "ke-anonymity", "k": 2, "e": 1, "sensitive": "pay", "gapp": 3}
    (hint,) = faults(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[asked]).values()
    assert "'gap'" in hint


def test_a_role_that_is_none_does_not_hide_a_column_that_is_not_there() -> None:
    mapping = {
        "columns": {"zip": "quasi", "ill": "sensitve"},
        "guarantees": [
            {"kind": "kf-anonymity", "k": 3, "knows": ["zipp"]},
            {"kind": "l-diversity", "l": 2, "sensitive": "ill"},
        ],
        "missing": {"zpi": "zero"},
    }
    with pytest.raises(ShoalError) as refused:
        Policy.from_mapping(mapping)
    assert [fault.what for fault in refused.value.faults] == [
        "[columns] ill has no such role",
        "[missing] names column 'zpi', which [columns] does not list",
        "guarantee 1 knows 'zipp', which [columns] does not list",
    ]


def test_a_promise_says_which_columns_count_as_known() -> None:
    asked = [
        {"kind": "k-anonymity", "k": 3},
        *({"kind": "l-diversity", "l": 2, "sensitive": name} for name in "bc"),
    ]
    columns = {"a": "quasi", "b": "sensitive", "c": "sensitive"}
    told = Policy(columns=columns, guarantees=asked).sentences()
    assert told[1] == "every class has at least 2 different values of b (seen by someone who knows c)"
    assert f"# {told[1]}\n" in policy_text({"columns": columns, "guarantees": asked})
    asked[2]["alone"] = True
    assert Policy(columns=columns, guarantees=asked).sentences()[1].endswith("values of b")
