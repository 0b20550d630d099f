"""Gkountouna, Lepenioti, Terrovitis: the worked tables, with the right answers."""

import numpy as np
import pyarrow as pa
import pytest

import shoal

INCOMES = ("salary", "gains", "other")
TABLE_1 = {"salary": [10, 15, 30, 40], "gains": [20, 15, 40, 30], "other": [100, 105, 200, 210]}
TABLE_2 = {
    "salary": ["[10-15]"] * 2 + ["[30-40]"] * 2,
    "gains": ["[15-20]"] * 2 + ["[30-40]"] * 2,
    "other": ["[100-105]"] * 2 + ["[200-210]"] * 2,
}
TABLE_3 = {
    "salary": ["[10-15]", "[10-15]", "30", "40"],
    "gains": ["20", "15", "40", "30"],
    "other": ["100", "105", "[200-210]", "[200-210]"],
}
TOTAL = shoal.KfAnonymity(k=2, knows=["salary + gains + other"])


def policy(guarantee: object, method: str = "auto") -> shoal.Policy:
    return shoal.Policy(
        columns=dict.fromkeys(INCOMES, "quasi"), guarantees=[guarantee], method={"name": method}
    )


def holds(table: dict[str, list], guarantee: object) -> bool:
    (verdict,) = shoal.check(pa.table(table), policy(guarantee))
    return verdict.holds


def test_the_original_table_gives_everyone_away():
    (verdict,) = shoal.check(pa.table(TABLE_1), policy(TOTAL))
    assert not verdict.holds
    assert verdict.achieved == {"k": 1, "records_below": 4}


def test_table_2_is_2_anonymous_and_so_safe_from_the_total():
    assert holds(TABLE_2, shoal.KAnonymity(k=2))
    assert holds(TABLE_2, TOTAL)


def test_table_3_is_safe_from_the_total_but_not_2_anonymous():
    assert holds(TABLE_3, TOTAL)
    assert not holds(TABLE_3, shoal.KAnonymity(k=2))


@pytest.mark.parametrize("method", ["aggranon", "residual"])
@pytest.mark.parametrize("seed", range(8))
def test_a_release_as_narrow_as_table_3_is_found(method, seed):
    """Opening Salary or Other leaves equal totals alike; the draw decides."""
    made = shoal.anonymize(pa.table(TABLE_1), policy(TOTAL, method), seed=seed).made
    widths = {name: [cell["hi"] - cell["lo"] for cell in made.table[name].to_pylist()] for name in INCOMES}
    assert sum(map(sum, widths.values())) <= 2 * 5 + 2 * 10
    assert widths["gains"] == [0, 0, 0, 0]
    assert made.loss["ncp"] == pytest.approx((2 * 5 + 2 * 10) / (12 * (210 - 10)))


def test_the_average_of_signed_differences_is_always_zero():
    """So the printed choice rule chooses nothing; absolute differences do."""
    values = np.array([130, 135, 270, 280])
    signed = values[:, np.newaxis] - values
    assert signed.sum() == 0
    assert np.abs(signed).sum() > 0


def test_paul_is_found_in_the_original_and_hidden_in_table_3():
    """Somebody knows that Paul's total lies between 260 and 270."""
    totals = np.sum([TABLE_1[name] for name in INCOMES], axis=0)
    assert ((totals >= 260) & (totals <= 270)).sum() == 1
    low, high = np.array([130, 130, 270, 270]), np.array([135, 135, 280, 280])
    assert ((low <= 270) & (high >= 260)).sum() == 2
