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
    assert release.made.classes >= 4
