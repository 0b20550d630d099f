"""What methods once failed to deliver, found by the verifier before anything was written."""

from decimal import Decimal

import pyarrow as pa
import pytest

import shoal


def verdict(method, guarantee, **columns):
    policy = shoal.Policy(
        columns=dict.fromkeys(columns, "quasi"), guarantees=[guarantee], method={"name": method}
    )
    return shoal.anonymize(pa.table(columns), policy, seed=0).verdicts[0]


@pytest.mark.parametrize(
    ("band", "cells"),
    [
        ("centred", [0, 0, 0, 1, -1, -5, -7, -9]),
        ("any", [0, 0, 0, -2, -3, -4, -5, -5]),
    ],
)
def test_residual_gives_k_records_to_an_attacker_who_knows_the_total_roughly(band, cells):
    asked = shoal.KfAnonymity(k=3, knows=["a"], within=Decimal("0.4"), band=band)
    assert verdict("residual", asked, a=cells).holds


def test_aggranon_gives_k_records_for_a_median_of_columns_on_different_grids():
    """b and c are opened, a stays exact: a median of 2.25 fits the record with a = 2.25 alone."""
    asked = shoal.KfAnonymity(k=4, knows=["median(a, b, c)"])
    cents = [Decimal("1.41"), Decimal("-2.45"), Decimal("2.25"), Decimal("2.50")]
    assert verdict("aggranon", asked, a=cents, b=[0, 0, 25000, 0], c=[1000, 0, 0, 25000]).holds


def test_aggranon_and_residual_give_k_records_for_a_sum_of_products():
    asked = shoal.KfAnonymity(k=2, knows=["a * b + c * d"])
    cells = {"a": [0, 2], "b": [Decimal("0.5"), Decimal(0)], "c": [2, 0], "d": [Decimal("0.5"), Decimal(1)]}
    assert verdict("residual", asked, **cells).holds
    assert verdict("aggranon", asked, **cells).holds
