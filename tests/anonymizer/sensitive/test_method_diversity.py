"""What a policy asks of sensitive columns, and what it could ask instead when that is too much."""

import pyarrow as pa
import pytest

import shoal

PAY = list(range(12))


def publish(illness, **asked):
    policy = shoal.Policy(
        columns={"pay": "quasi", "illness": "sensitive"},
        guarantees=[shoal.KfAnonymity(k=2, knows=["pay"]), shoal.LDiversity(sensitive="illness", **asked)],
    )
    return shoal.anonymize(pa.table({"pay": PAY, "illness": illness}), policy, seed=1)


GUARANTEES = [
    {"kind": "l-diversity", "l": 2, "sensitive": "illness"},
    {"kind": "t-closeness", "t": 0.5, "sensitive": "illness"},
    {"kind": "p-sensitivity", "p": 2},
    {"kind": "alpha-k-anonymity", "k": 2, "alpha": 0.6},
]


@pytest.mark.parametrize("asked", GUARANTEES, ids=lambda asked: asked["kind"])
@pytest.mark.parametrize("word", ["*", " * ", "{flu}"])
def test_a_sensitive_word_that_reads_as_a_sign_is_refused_with_what_to_write_instead(word, asked):
    policy = shoal.Policy(
        columns={"age": "quasi", "illness": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 2}, asked],
        method={"name": "mondrian"},
    )
    table = pa.table({"age": list(range(12)), "illness": ["flu", word] * 6})
    with pytest.raises(
        shoal.ShoalError, match=r"'illness' holds cells .* a star or a word in braces"
    ) as refused:
        shoal.anonymize(table, policy, seed=1)
    assert "write another word" in str(refused.value)


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ({"l": 4}, "'illness' has 3 different values: ask for 3 of them at most"),
        ({"l": 2.9, "variant": "entropy"}, "ask for l = 2.82 at most"),
        ({"l": 2, "c": 1.0, "variant": "recursive"}, "ask for a c above 1, or"),
        ({"l": 4, "c": 9.0, "variant": "recursive"}, "ask for l = 3 at most"),
    ],
)
def test_what_no_release_can_give_is_infeasible_and_the_nearest_demand_is_named(asked, hint):
    illness = ["flu"] * 6 + ["cold"] * 3 + ["hiv"] * 3
    with pytest.raises(shoal.Infeasible, match="even the whole table as one class") as refused:
        publish(illness, **asked)
    assert hint in refused.value.faults[0].hint
    assert "flu" not in str(refused.value)


@pytest.mark.parametrize(
    "asked",
    [{"l": 3}, {"l": 2.82, "variant": "entropy"}, {"l": 2, "c": 1.01, "variant": "recursive"}],
)
def test_the_nearest_demand_is_met(asked):
    illness = ["flu"] * 6 + ["cold"] * 3 + ["hiv"] * 3
    assert all(verdict.holds for verdict in publish(illness, **asked).verdicts)


def test_a_missing_sensitive_value_is_a_value_of_its_own():
    assert publish(["flu", None] * 6, l=2).verdicts[1].achieved == {"l": 2.0}


def test_rare_values_are_shared_out_without_opening_everything():
    release = publish(["flu", "cold", "flu"] * 4, l=2)
    assert release.result.classes >= 4
