"""The second paper on aggregate knowledge: its Table 3 is wrong, and the right answer is found."""

import pyarrow as pa
import pytest

import shoal
from shoal.table.table import Table
from shoal.verify.aggregate.image import image_of
from shoal.verify.cells.published_table import PublishedTable

INCOMES = ("income", "profit", "other")
TABLE_1 = {"income": [15, 20, 35, 30], "profit": [25, 20, 30, 35], "other": [120, 150, 200, 220]}
TABLE_2 = {
    "income": ["[15-20]"] * 2 + ["[30-35]"] * 2,
    "profit": ["[20-25]"] * 2 + ["[30-35]"] * 2,
    "other": ["[120-150]"] * 2 + ["[200-220]"] * 2,
}
PRINTED_TABLE_3 = {
    "income": ["[15-20]", "[15-20]", "35", "30"],
    "profit": ["25", "20", "30", "35"],
    "other": ["120", "150", "[200-220]", "[200-220]"],
}
RIGHT_TABLE_3 = {
    "income": ["15", "20", "35", "30"],
    "profit": ["25", "20", "30", "35"],
    "other": ["[120-150]", "[120-150]", "[200-220]", "[200-220]"],
}


def policy(k: int = 2, method: str = "aggranon") -> shoal.Policy:
    return shoal.Policy(
        columns=dict.fromkeys(INCOMES, "quasi"),
        guarantees=[shoal.KfAnonymity(k=k, knows=["income + profit + other"])],
        method={"name": method},
    )


def check(table: dict[str, list]) -> shoal.Verdict:
    (verdict,) = shoal.check(pa.table(table), policy())
    return verdict


def totals(table: dict[str, list]) -> list[tuple[int, int]]:
    """The range of the total income that an attacker infers for every record."""
    published = PublishedTable(Table(pa.table(table)))
    image = image_of(policy().guarantees[0].trees[0], {name: published.cells(name) for name in INCOMES})
    return list(zip(image.low.tolist(), image.high.tolist(), strict=True))


def test_the_totals_of_table_2_are_155_to_195_and_260_to_290():
    assert totals(TABLE_2) == [(155, 195)] * 2 + [(260, 290)] * 2
    assert check(TABLE_2).holds


def test_table_3_as_printed_is_rejected():
    assert totals(PRINTED_TABLE_3)[:2] == [(160, 165), (185, 190)]
    verdict = check(PRINTED_TABLE_3)
    assert not verdict.holds
    assert {"k": 1, "records_below": 2}.items() <= verdict.achieved.items()


def test_publishing_only_other_as_a_range_is_the_right_answer():
    assert totals(RIGHT_TABLE_3) == [(160, 190)] * 2 + [(265, 285)] * 2
    assert check(RIGHT_TABLE_3).holds


@pytest.mark.parametrize("method", ["aggranon", "residual"])
def test_shoal_finds_the_right_answer(method):
    made = shoal.anonymize(pa.table(TABLE_1), policy(method=method)).result
    cells = {name: [(cell["lo"], cell["hi"]) for cell in made.table[name].to_pylist()] for name in INCOMES}
    assert sorted(cells["other"]) == [(120, 150), (120, 150), (200, 220), (200, 220)]
    assert sorted(cells["income"]) == [(15, 15), (20, 20), (30, 30), (35, 35)]
    assert sorted(cells["profit"]) == [(20, 20), (25, 25), (30, 30), (35, 35)]
    assert made.loss["ncp"] == pytest.approx((2 * 30 + 2 * 20) / (12 * (220 - 15)))
