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
    assert [verdict.kind for verdict in verdicts if not verdict.holds] == ["no-leaks"]
    assert "extra lies inside pay + gain" in verdicts[-1].sentence


@pytest.mark.parametrize("extra", [PAY + GAIN + 10_000, PAY * 0 + 7, ["north"] * 60, [None, *range(59)]])
def test_other_columns_are_not_accused(extra):
    assert all(verdict.holds for verdict in check(extra))
