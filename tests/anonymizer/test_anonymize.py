"""From a table to the published one."""

import pyarrow as pa
import pytest

from shoal.anonymizer.anonymize import anonymize_table
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.guarantee import KAnonymity, KfAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.table import Table

PEOPLE = Table(
    pa.table(
        {
            "illness": ["flu", "flu", "none", "asthma", "none"],
            "name": ["Ann", "Bob", "Cid", "Dee", "Eve"],
            "pay": ["10.50", "20", "30.25", "40", "50"],
            "zip": ["01", "02", "03", "04", None],
            "gain": [1, 2, 3, 4, 5],
        }
    )
)
ROLES = {"illness": "sensitive", "name": "identifier", "pay": "quasi", "zip": "other", "gain": "quasi"}


def made(guarantee, seed=1, **more):
    return anonymize_table(PEOPLE, Policy(columns=ROLES, guarantees=[guarantee], **more), seeded_key(seed))


def test_columns_keep_their_order_and_identifiers_are_left_out():
    assert made(KAnonymity(k=2)).table.column_names == ["illness", "pay", "zip", "gain"]


def test_other_columns_are_published_as_they_are_beside_their_ranges():
    published = made(KAnonymity(k=2))
    for at, row in enumerate(published.input_rows.tolist()):
        assert published.table["zip"][at].as_py() == PEOPLE.column("zip")[row].as_py()
        assert published.table["illness"][at].as_py() == PEOPLE.column("illness")[row].as_py()
        gain = published.table["gain"][at].as_py()
        assert gain["lo"] <= PEOPLE.column("gain")[row].as_py() <= gain["hi"]


def test_ranges_keep_the_decimals_of_their_column():
    pay = made(KAnonymity(k=5)).table["pay"][0].as_py()
    assert (str(pay["lo"]), str(pay["hi"])) == ("10.50", "50.00")


def test_classes_are_counted_and_every_published_row_has_one():
    published = made(KAnonymity(k=2))
    assert published.classes == 2
    assert sorted(published.class_of.tolist()) in ([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    assert sorted(published.input_rows.tolist()) == [0, 1, 2, 3, 4]


def test_rows_are_shuffled_by_the_key_alone():
    orders = {tuple(made(KAnonymity(k=2), seed).input_rows.tolist()) for seed in range(30)}
    assert len(orders) > 15
    assert made(KAnonymity(k=2), 7).table.equals(made(KAnonymity(k=2), 7).table)


def test_mondrian_also_tells_the_loss_of_the_split_ranges():
    loss = made(KAnonymity(k=2)).loss
    assert set(loss) == {"ncp", "ncp_range", "ncp_split", "ncp_range_split"}
    assert loss["ncp"] <= loss["ncp_split"]


def test_exact_cells_are_a_share_of_all_quasi_cells():
    published = made(KfAnonymity(k=5, knows=["pay + gain"]), method={"name": "aggranon"})
    exact = sum(
        cell["lo"] == cell["hi"] for name in ("pay", "gain") for cell in published.table[name].to_pylist()
    )
    assert published.exact_cells == pytest.approx(exact / 10)


def test_the_largest_k_of_several_guarantees_counts():
    policy = Policy(columns=ROLES, guarantees=[KAnonymity(k=2), KfAnonymity(k=5, knows=["pay + gain"])])
    assert anonymize_table(PEOPLE, policy, seeded_key(1)).classes == 1
