"""A published column that two protected ones give by arithmetic is refused; what goes with them stays."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.leaks.coded_column import column_of_line
from shoal.leaks.computed_columns import computed_columns
from shoal.leaks.judge import ProtectedColumn

ROWS = 400
K = [{"kind": "k-anonymity", "k": 5}]
TOTAL = [{"kind": "kf-anonymity", "k": 5, "knows": ["one + 2 * other"]}]
PERMUTED = [
    {"kind": "ke-anonymity", "k": 4, "e": 1, "sensitive": "one"},
    {"kind": "ke-anonymity", "k": 4, "e": 1, "sensitive": "other"},
]
DAY_ZERO = date(1970, 1, 1)


def days(numbers):
    return [DAY_ZERO + timedelta(int(number)) for number in numbers]


def planted(kind, seed=5):
    """Two columns to protect, and one that they give."""
    draw = np.random.default_rng(seed)
    admitted, stay = draw.integers(18_000, 18_700, ROWS), 1 + draw.geometric(0.12, ROWS)
    base, bonus = draw.integers(0, 50_000, ROWS), draw.integers(0, 9_000, ROWS)
    weight, height = draw.normal(75, 12, ROWS).round(1), draw.integers(150, 200, ROWS)
    dates = days(admitted), days(admitted + stay)
    slips = np.where(draw.random(ROWS) < 0.04, draw.permutation(stay), stay)
    return {
        "stay": (*dates, stay),
        "first day counts": (*dates, stay + 1),
        "weeks": (*dates, (stay / 7).round(1)),
        "slips": (*dates, slips),
        "spelled": (*([f"{day:%d-%m-%Y}" for day in side] for side in dates), stay),
        "age": (days(base // 5), days(18_000 + admitted % 700), (18_000 + admitted % 700 - base // 5) // 365),
        "sum": (base, bonus, base + bonus),
        "mostly zero": (base, np.where(bonus < 6_000, 0, bonus), base + np.where(bonus < 6_000, 0, bonus)),
        "product": (height % 40, bonus, height % 40 * bonus),
        "ratio": (base, bonus + 1, (base / (bonus + 1)).round(2)),
        "bmi": (weight, height, (weight / (height / 100) ** 2).round(1)),
    }[kind]


KINDS = ("stay", "first day counts", "weeks", "slips", "spelled", "age", "sum", "mostly zero", "product",
         "ratio", "bmi")  # fmt: skip


def publish(columns, role="other", method="mondrian", guarantees=K, accept=()):
    one, other, shown = columns
    protected = "sensitive" if guarantees is PERMUTED else "quasi"
    age = "drop" if guarantees is TOTAL else "quasi"
    policy = shoal.Policy(
        columns={
            "age": age,
            "one": protected,
            "other": protected,
            "shown": role,
        },
        guarantees=guarantees,
        leaks={"accept": list(accept)},
        **({"method": {"name": method}} if guarantees is K else {}),
    )
    ages = np.arange(ROWS) * 7 % 60
    table = pa.table({"age": ages, "one": one, "other": other, "shown": shown})
    return shoal.anonymize(table, policy, seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_that_two_protected_ones_give_is_refused(kind):
    with pytest.raises(shoal.ShoalError, match="'shown' is published as it is and"):
        publish(planted(kind))


@pytest.mark.parametrize("role", ["sensitive", "other"])
@pytest.mark.parametrize("method", ["mondrian", "mdav", "cluster", "suppress-cells"])
def test_whatever_its_role_and_the_method(role, method):
    told = r"is a difference of columns 'one' and 'other' in \d+ of \d+ hidden cells"
    with pytest.raises(shoal.ShoalError, match=told):
        publish(planted("stay"), role, method)


@pytest.mark.parametrize("guarantees", [TOTAL, PERMUTED], ids=["aggregate", "permuted"])
def test_a_product_of_ranged_or_permuted_columns_is_refused(guarantees):
    with pytest.raises(shoal.ShoalError, match=r"is a product of columns 'o\w+' and 'o\w+'"):
        publish(planted("product"), guarantees=guarantees)


def test_the_policy_may_accept_it_and_the_manifest_says_so():
    release = publish(planted("stay"), accept=["shown"])
    assert [leak.result for leak in release.result.leaks if leak.fills] == ["difference"]
    assert any("'shown'" in note and "accepted by the policy" in note for note in release.notes)


def innocent(seed):
    """Columns that go with protected ones, and are not given by them."""
    draw = np.random.default_rng([3, seed])
    rows = int(draw.integers(25, 500))
    one, other = draw.integers(0, int(draw.integers(2, 400)), (2, rows)) * 1.0
    shapes = (
        lambda: draw.integers(0, int(draw.integers(2, 90)), rows),
        lambda: np.where(draw.random(rows) < 0.95, 0, draw.integers(0, 9, rows)),
        lambda: one + other + draw.normal(0, 9 + one.std() / 3, rows).round(),
        lambda: (one - other > 30) * draw.integers(1, 5, rows),
        lambda: (one * other > 900) + draw.integers(0, 2, rows),
        lambda: one,
    )
    protected = [
        ProtectedColumn(name, column_of_line(line), np.zeros(rows, np.int64), np.ones(rows, bool))
        for name, line in (("one", one), ("other", other))
    ]
    return {
        f"c{at}": column_of_line(np.asarray(shape(), float)) for at, shape in enumerate(shapes)
    }, protected


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_what_goes_with_protected_columns_and_does_not_follow_is_no_fault(start):
    told = {seed: computed_columns(*innocent(seed)) for seed in range(start, start + 50)}
    assert {seed: leaks for seed, leaks in told.items() if leaks} == {}


def test_few_rows_with_the_same_cells_are_few_trials():
    draw = np.random.default_rng(2)
    rows = draw.integers(0, 4, 500)
    parts = (rows % 2).astype(float), (rows // 2).astype(float)
    shown = parts[0] + parts[1]
    protected = [
        ProtectedColumn(name, column_of_line(line), np.zeros(500, np.int64), np.ones(500, bool))
        for name, line in zip(("one", "other"), parts, strict=True)
    ]
    assert computed_columns({"shown": column_of_line(shown)}, protected) == []
