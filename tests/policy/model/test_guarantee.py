"""Guarantees are frozen, check themselves and speak in sentences."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from shoal.policy.model.guarantee import (
    GUARANTEES,
    AlphaKAnonymity,
    KAnonymity,
    KeAnonymity,
    KfAnonymity,
    KpqrAnonymity,
    LDiversity,
    PSensitivity,
    TCloseness,
)

EXAMPLES = (
    (
        KeAnonymity(k=3, e=Decimal("0.5"), sensitive="pay"),
        "every group has at least 3 different values of pay that span at least 0.5",
    ),
    (
        KeAnonymity(k=3, e=1000, sensitive="pay", gap=20),
        "every group has at least 3 different values of pay, at least 20 apart, that span at least 1000",
    ),
    (
        KpqrAnonymity(k=3, p=2, q="0.1", r="0.5", sensitive=["pay", "debt"]),
        "every combination of quasi values is shared by at least 3 records; where a value of each of pay, "
        "debt occurs that fewer than 0.1 of all records have, at least 2 different ones do, with 0.5 of the "
        "variance of the whole table",
    ),
    (KAnonymity(k=5), "every combination of published quasi values is shared by at least 5 records"),
    (KAnonymity(k=5, stars="any"), "every record matches at least 5 records, where a star matches anything"),
    (
        KfAnonymity(k=3, knows=["a + b"]),
        "someone who knows a + b of a person finds at least 3 records that fit",
    ),
    (
        KfAnonymity(k=3, knows=["a"], within=Decimal("0.05")),
        "someone who knows a to within 5.00 % of a person finds at least 3 records that fit",
    ),
    (
        KfAnonymity(k=3, knows=["a"], within=Decimal("0.1"), band="any"),
        "someone who knows a to within 10.0 %, wherever that range sits, of a person finds at least "
        "3 records that fit",
    ),
    (
        KfAnonymity(k=3, knows=["a + b", "a"], also=["age", "sex"]),
        "someone who knows a + b, a, age and sex of a person finds at least 3 records that fit",
    ),
    (LDiversity(l=3, sensitive="illness"), "every class has at least 3 different values of illness"),
    (
        LDiversity(l=2.5, variant="entropy", sensitive="illness"),
        "the values of illness in a class are as mixed as 2.5 equally frequent ones",
    ),
    (
        LDiversity(l=3, c=4, variant="recursive", sensitive="illness"),
        "the most frequent value of illness in a class is rarer than 4 times all from number 3 on",
    ),
    (
        LDiversity(
            l=3, c=4, c2=5, variant="npd-recursive", allowed=["flu"], protected=["hiv"], sensitive="ill"
        ),
        "the most frequent value that must not be known of ill in a class is rarer than 4 times all from "
        "number 3 on, and every protected one makes up 5 % of it",
    ),
    (PSensitivity(p=2), "every class has at least 2 different values of every sensitive column"),
    (
        AlphaKAnonymity(alpha="0.5", k=3),
        "every combination of quasi values is shared by at least 3 records, none of their sensitive values "
        "by more than 0.5 of them",
    ),
    (
        LDiversity(l=2, sensitive=["illness", "income"]),
        "every class has at least 2 different values of each of illness, income (the others known)",
    ),
    (
        TCloseness(t="0.25", sensitive="illness"),
        "the values of illness in a class are spread as in the whole table, up to a distance (equal) of 0.25",
    ),
)


@pytest.mark.parametrize(
    "wrong", [{"t": -0.1}, {"t": 1.5}, {"order": ["a"]}, {"distance": "ordered", "order": ["a", "a"]}]
)
def test_a_distance_is_a_share_and_only_ranks_have_an_order(wrong):
    with pytest.raises(ValidationError):
        TCloseness(**{"t": "0.5", "sensitive": "illness"} | wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"l": 2.5},
        {"l": float("inf")},
        {"l": float("inf"), "variant": "entropy"},
        {"l": 2, "c": float("inf"), "variant": "recursive"},
        {"l": 2, "c": 3},
        {"l": 2, "variant": "recursive"},
        {"l": 1, "c": 3, "variant": "pd-recursive"},
        {"l": 2, "c": 3, "variant": "npd-recursive"},
        {"l": 2, "c": 3, "c2": 5, "variant": "pd-recursive"},
        {"l": 2, "c": 3, "allowed": ["flu"], "variant": "recursive"},
        {"l": 2, "c": 3, "allowed": ["flu"], "variant": "pd-recursive", "sensitive": ["illness", "income"]},
    ],
)
def test_keys_of_another_variant_are_refused(wrong):
    with pytest.raises(ValidationError):
        LDiversity(**{"sensitive": "illness"} | wrong)


@pytest.mark.parametrize("wrong", [
    {"k": 1}, {"p": 0}, {"q": 0}, {"q": "1.1"}, {"r": -1}, {"sensitive": []},
    {"order": ["a", "a"]}, {"order": ["a"], "distance": "equal"}, {"order": ["a"], "sensitive": ["x", "y"]},
])  # fmt: skip
def test_demands_on_rare_values_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValidationError):
        KpqrAnonymity(**{"k": 3, "p": 2, "q": "0.1", "r": "0.5", "sensitive": "debt"} | wrong)


@pytest.mark.parametrize(("guarantee", "sentence"), EXAMPLES)
def test_a_guarantee_is_a_sentence_about_the_table(guarantee, sentence):
    assert guarantee.sentence() == sentence


def test_a_class_of_values_that_may_be_known_can_be_small():
    asked = {"l": 9, "c": 1, "variant": "pd-recursive", "sensitive": "ill"}
    assert LDiversity(**asked).records == 9
    assert LDiversity(**asked, allowed=["flu"]).records == 1


def test_what_is_known_twice_is_known_once():
    asked = KfAnonymity(k=2, knows=["a", "a"], also=["b", "b"])
    assert (asked.knows, asked.also) == (("a",), ("b",))


def test_every_guarantee_has_an_example_here():
    assert {type(guarantee) for guarantee, _ in EXAMPLES} == set(GUARANTEES)


@pytest.mark.parametrize(("guarantee", "_"), EXAMPLES)
def test_guarantees_cannot_be_changed(guarantee, _):
    with pytest.raises(ValidationError, match="frozen"):
        guarantee.k = 1


def test_kinds_are_unique():
    kinds = [guarantee.model_fields["kind"].default for guarantee in GUARANTEES]
    assert len(set(kinds)) == len(kinds)


def test_the_columns_of_an_aggregate_are_those_it_reads():
    assert KfAnonymity(k=2, knows=['b - 2 * max(a, "c d")']).columns == ("b", "a", "c d")
