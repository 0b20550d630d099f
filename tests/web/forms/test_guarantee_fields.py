from decimal import Decimal

import pytest

from shoal.errors import ShoalError
from shoal.policy.draft.presets import PRESETS, PUBLIC
from shoal.policy.model.guarantee import GUARANTEES
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import guarantee_sentence
from shoal.web.forms.first_guarantee import find_template, first_guarantee
from shoal.web.forms.guarantee_fields import guarantee_fields
from shoal.web.forms.guarantee_form import guarantee_from_form
from shoal.web.forms.guarantee_words import GUARANTEE_TEMPLATES, LABELS, WORDS
from shoal.web.forms.preset_policy import with_preset

COLUMNS = {"pay": "quasi", "net gain": "quasi", "age": "quasi", "debt": "sensitive", "illness": "sensitive"}
NUMBERS = ("pay", "net gain", "age", "debt")
FIRST = {
    promise.name: first_guarantee(promise, COLUMNS, NUMBERS, ("pay", "net gain"))
    for promise in GUARANTEE_TEMPLATES
}


def sent(entries):
    """The form of a guarantee, sent as it is."""
    form = {"kind": [entries["kind"]]}
    for field in guarantee_fields(entries, COLUMNS):
        form[field.name] = ["", *field.values] if field.widget != "lines" else ["\r\n".join(field.values)]
        if field.widget == "knows":
            form["total"] = ["", *field.columns]
    return form


def test_every_parameter_of_every_guarantee_has_a_label_and_is_explained():
    for kind in GUARANTEES:
        for name, info in kind.model_fields.items():
            assert name == "kind" or (name in LABELS and info.description)
            words = [word for word in getattr(info.annotation, "__args__", ()) if isinstance(word, str)]
            assert name == "kind" or all((name, word) in WORDS for word in words)


def test_every_kind_can_be_added():
    assert {promise.kind for promise in GUARANTEE_TEMPLATES} == {
        one.model_fields["kind"].default for one in GUARANTEES
    }


@pytest.mark.parametrize("name", FIRST)
def test_the_first_numbers_of_a_promise_are_sound(name):
    beside = [] if FIRST[name]["kind"] == "ke-anonymity" else [{"kind": "k-anonymity", "k": 2}]
    policy = Policy(columns=COLUMNS, guarantees=[FIRST[name], *beside])
    assert policy.guarantees[0].sentence() == guarantee_sentence(FIRST[name])


@pytest.mark.parametrize("name", FIRST)
def test_a_form_that_is_sent_as_it_is_changes_nothing_that_is_promised(name):
    again = guarantee_from_form(FIRST[name], sent(FIRST[name]))
    assert guarantee_sentence(again) == guarantee_sentence(FIRST[name])
    assert guarantee_from_form(again, sent(again)) == again


@pytest.mark.parametrize(
    "more",
    [
        {"within": Decimal("0.025"), "band": "any"},
        {"knows": ["max(pay, age)", 'pay + "net gain"', "age"]},
        {"knows": ["2 * pay"], "also": ["age", "net gain"]},
    ],
)
def test_what_somebody_knows_survives_a_form(more):
    before = {"kind": "kf-anonymity", "k": 3, "knows": ["pay"]} | more
    after = guarantee_from_form(before, sent(before))
    assert {**after, "knows": set(after["knows"])} == {**before, "knows": set(before["knows"])}


def test_lists_of_words_survive_a_form():
    before = FIRST["npd-recursive-l-diversity"] | {"allowed": ["a", "b c"], "protected": ["d"]}
    after = guarantee_from_form(before, sent(before))
    assert (after["allowed"], after["protected"]) == (["a", "b c"], ["d"])


def test_empty_fields_are_left_out_and_what_is_not_sent_stays():
    before = {"kind": "ke-anonymity", "k": 5, "e": 10, "gap": 2, "sensitive": "debt"}
    assert guarantee_from_form(before, {"gap": [""], "e": ["2.50"]}) == {
        "kind": "ke-anonymity",
        "k": 5,
        "e": Decimal("2.50"),
        "sensitive": "debt",
    }


def test_several_sensitive_columns_are_a_list_and_one_is_none():
    before = FIRST["l-diversity"]
    several = guarantee_from_form(before, {"sensitive": ["", "debt", "illness"]})
    assert several["sensitive"] == ["debt", "illness"]
    assert guarantee_from_form(several, {"sensitive": ["", "debt"]})["sensitive"] == "debt"


def test_what_a_guarantee_does_not_have_is_refused():
    with pytest.raises(ShoalError, match="k-anonymity has no 'l'"):
        guarantee_from_form({"kind": "k-anonymity", "k": 2}, {"l": ["3"]})
    with pytest.raises(ShoalError, match="there is no promise"):
        find_template("privacy")
    with pytest.raises(ShoalError, match="no column is sensitive"):
        first_guarantee(find_template("p-sensitivity"), {"age": "quasi"}, ["age"], [])
    with pytest.raises(ShoalError, match="no total"):
        first_guarantee(find_template("kf-anonymity"), {"town": "quasi"}, [], [])


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_policy_under_a_preset_is_sound(preset):
    before = {
        "columns": COLUMNS,
        "guarantees": [{"kind": "k-anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }
    policy = Policy.from_mapping(with_preset(before, preset))
    assert policy.guarantees[0].k == preset.demands[0].entries["k"]
    assert policy.method.suppression == preset.suppression
    assert policy.method.name == "mondrian"


def test_a_preset_demands_no_more_values_than_there_are():
    found = with_preset({"columns": COLUMNS}, PUBLIC, distinct={"debt": 2, "illness": 3})
    assert [one.get("sensitive") for one in found["guarantees"]] == [None, "illness"]
