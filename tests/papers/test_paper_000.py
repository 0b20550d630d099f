"""Gkountouna, Lepenioti, Terrovitis: the worked tables, with the right answers."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.table.table import Table
from shoal.verify.aggregate.image import image_of
from shoal.verify.cells.published_table import PublishedTable

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


def totals(table: dict[str, list]) -> list[tuple[int, int]]:
    """The range of the total income that an attacker infers for every record."""
    published = PublishedTable(Table(pa.table(table)))
    image = image_of(TOTAL.trees[0], {name: published.cells(name) for name in INCOMES})
    return list(zip(image.low.tolist(), image.high.tolist(), strict=True))


def test_the_totals_are_the_printed_ones():
    assert totals(TABLE_1) == [(130, 130), (135, 135), (270, 270), (280, 280)]
    assert totals(TABLE_2) == [(125, 140)] * 2 + [(260, 290)] * 2
    assert totals(TABLE_3) == [(130, 135)] * 2 + [(270, 280)] * 2


def test_the_original_table_gives_everyone_away():
    (verdict,) = shoal.check(pa.table(TABLE_1), policy(TOTAL))
    assert not verdict.holds
    assert {"k": 1, "records_below": 4}.items() <= verdict.achieved.items()


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
    made = shoal.anonymize(pa.table(TABLE_1), policy(TOTAL, method), seed=seed).result
    widths = {name: [cell["hi"] - cell["lo"] for cell in made.table[name].to_pylist()] for name in INCOMES}
    assert sum(map(sum, widths.values())) <= 2 * 5 + 2 * 10
    assert widths["gains"] == [0, 0, 0, 0]
    assert made.loss["ncp"] == pytest.approx((2 * 5 + 2 * 10) / (12 * (210 - 10)))


def test_mondrian_publishes_table_2_at_three_times_the_loss_of_table_3():
    """NCP: the mean width of all n |D| cells as a share of the common domain, 10 to 210."""
    made = shoal.anonymize(pa.table(TABLE_1), policy(shoal.KAnonymity(k=2), "mondrian"), seed=0).result
    assert sorted(set(totals(made.table.to_pydict()))) == [(125, 140), (260, 290)]
    assert made.loss["ncp"] == pytest.approx((6 * 5 + 6 * 10) / (12 * (210 - 10)))


def differences_without(column: str, rows: slice) -> np.ndarray:
    """f(t) - f(t') over the other columns, for all pairs of some rows of Table I."""
    rest = np.sum([TABLE_1[name][rows] for name in INCOMES if name != column], axis=0)
    return rest[:, np.newaxis] - rest


@pytest.mark.parametrize("block", [slice(0, 2), slice(2, 4), slice(0, 4)])
def test_the_average_of_signed_differences_is_always_zero(block):
    """So the printed choice rule chooses nothing."""
    assert [differences_without(name, block).mean() for name in INCOMES] == [0, 0, 0]


@pytest.mark.parametrize("block", [slice(0, 2), slice(2, 4)])
def test_absolute_differences_choose_what_table_3_opens(block):
    """Without Salary, or without Other income, the totals are alike; without Capital gains they are not."""
    alike = {name: np.abs(differences_without(name, block)).sum() for name in INCOMES}
    assert (alike["salary"], alike["other"]) == (0, 0)
    assert alike["gains"] > 0


def test_aggranon_may_lose_more_than_mondrian_when_the_groups_differ():
    """The paper's upper limit holds for the same groups only: here neighbours in f are far apart."""
    table = pa.table({"salary": [0, 110, 0, 130], "gains": [100, 0, 120, 0], "other": [0, 0, 0, 0]})
    by_total = shoal.anonymize(table, policy(TOTAL, "aggranon"), seed=0)
    by_cells = shoal.anonymize(table, policy(shoal.KAnonymity(k=2), "mondrian"), seed=0)
    assert by_total.loss["ncp"] > by_cells.loss["ncp"]


@pytest.mark.parametrize("d", [0, 1, -0.1])
def test_definition_2_needs_a_share_between_0_and_1(d):
    with pytest.raises(shoal.ShoalError, match="within"):
        policy({"kind": "kf-anonymity", "k": 2, "knows": TOTAL.knows, "within": d})


def test_an_attacker_who_knows_the_total_to_within_five_percent_needs_no_ranges():
    """130 and 135, 270 and 280 lie within 5 % of each other, not within 1 %."""
    roughly, closely = (TOTAL.model_copy(update={"within": Decimal(d)}) for d in ("0.05", "0.01"))
    assert holds(TABLE_1, roughly)
    assert not holds(TABLE_1, closely)


def test_paul_is_found_in_the_original_and_hidden_in_table_3():
    """Somebody knows that Paul's total lies between 260 and 270."""
    totals = np.sum([TABLE_1[name] for name in INCOMES], axis=0)
    assert ((totals >= 260) & (totals <= 270)).sum() == 1
    low, high = np.array([130, 130, 270, 270]), np.array([135, 135, 280, 280])
    assert ((low <= 270) & (high >= 260)).sum() == 2
