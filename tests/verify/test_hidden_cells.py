"""Columns published as they are that give an aggregate away, seen from the outside."""

import numpy as np
import pyarrow as pa
import pytest

import shoal

DRAW = np.random.default_rng(3)
PAY, GAIN = DRAW.integers(0, 90, 60) * 100, DRAW.integers(0, 90, 60)
ROLES = {"pay": "quasi", "gain": "quasi", "extra": "other"}
POLICY = shoal.Policy(columns=ROLES, guarantees=[shoal.KfAnonymity(k=60, knows=["pay + gain"])])


def check(extra):
    ranges = {"pay": ["[0, 8900]"] * 60, "gain": ["[0, 89]"] * 60}
    return shoal.check(pa.table(ranges | {"extra": extra}), POLICY)


def test_the_total_itself_is_found_without_the_original():
    verdicts = check(PAY + GAIN)
    assert [verdict.kind for verdict in verdicts if not verdict.holds] == ["hidden-cells"]
    assert "extra lies inside pay + gain" in verdicts[-1].sentence


def test_a_leak_that_the_policy_accepts_is_said_and_holds():
    ranges = {"pay": ["[0, 8900]"] * 60, "gain": ["[0, 89]"] * 60}
    accepting = shoal.Policy(columns=ROLES, guarantees=POLICY.guarantees, leaks={"accept": ["extra"]})
    verdicts = shoal.check(pa.table(ranges | {"extra": PAY + GAIN}), accepting)
    assert all(verdict.holds for verdict in verdicts)
    assert verdicts[-1].kind == "hidden-cells"
    assert verdicts[-1].notes == ("extra is accepted by the policy",)


AGES = np.repeat(np.arange(20, 70, 5), 6) + DRAW.integers(0, 5, 60)
SLIPS = np.where(np.arange(60) % 20 == 3, 99, AGES)
DECADES = [f"[{5 * (age // 5)}, {5 * (age // 5) + 4}]" for age in AGES]
K = shoal.Policy(columns={"age": "quasi", "extra": "other"}, guarantees=[{"kind": "k-anonymity", "k": 6}])


@pytest.mark.parametrize("extra", [AGES, SLIPS, [None, *AGES[1:]], AGES.astype(str)])
def test_a_copy_beside_ranges_is_found_without_the_original(extra):
    verdicts = shoal.check(pa.table({"age": DECADES, "extra": extra}), K)
    assert [verdict.kind for verdict in verdicts if not verdict.holds] == ["hidden-cells"]
    assert "extra lies inside the ranges of age" in verdicts[-1].sentence


@pytest.mark.parametrize("extra", [AGES[::-1], DRAW.permutation(AGES), AGES // 5, AGES + 100])
def test_columns_that_lie_elsewhere_are_not_accused_of_being_a_copy(extra):
    assert all(verdict.holds for verdict in shoal.check(pa.table({"age": DECADES, "extra": extra}), K))


def test_what_lies_inside_of_wide_ranges_by_chance_is_not_accused():
    wide = ["[0, 100]"] * 60
    assert all(verdict.holds for verdict in shoal.check(pa.table({"age": wide, "extra": AGES}), K))


@pytest.mark.parametrize("extra", [PAY + GAIN + 10_000, PAY * 0 + 7, ["north"] * 60, [None, *range(59)]])
def test_other_columns_are_not_accused(extra):
    assert all(verdict.holds for verdict in check(extra))
