"""A column of ever new words is refused before they fill the memory of one place."""

import pyarrow as pa
import pytest

import shoal
from shoal.anonymizer.anonymize import anonymize_rows
from shoal.anonymizer.parts.table_facts import _with_more_words
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.row_progress import RowProgress
from shoal.kernels.keyed_hash import seeded_key

TABLE = pa.table(
    {
        "pay": list(range(90)),
        "street": [f"street {row % 45}" for row in range(90)],
        "town": [f"town {row % 3}" for row in range(90)],
    }
)
ALIKE = {"kind": "k-anonymity", "k": 3}


def policy_for(method):
    roles = {"pay": "other" if method == "suppress-cells" else "quasi", "street": "quasi", "town": "quasi"}
    asked = ALIKE if method != "residual" else {**ALIKE, "kind": "kf-anonymity", "knows": ["pay"]}
    if method == "residual":
        asked["also"] = ["street", "town"]
    given = {"pay": {"intervals": [10]}} if method == "optimal" else {}
    return shoal.Policy(columns=roles, guarantees=[asked], method={"name": method}, hierarchies=given)


@pytest.mark.parametrize("method", ["residual", "suppress-cells", "mdav", "optimal"])
def test_more_values_than_meet_in_one_place_are_refused(tmp_path, monkeypatch, method):
    monkeypatch.setattr("shoal.engines.steps.value_counts.MOST_VALUES", 20)
    monkeypatch.setattr("shoal.engines.disk.rows.FEWEST_GATHERED", 30)
    rows = DiskEngine(1 << 30, tmp_path, RowProgress(), 20).read(TABLE)
    with pytest.raises(shoal.ShoalError, match="'street' has more than 30 different values") as told:
        anonymize_rows(rows, policy_for(method), seeded_key(5))
    assert "'town'" not in str(told.value)
    monkeypatch.setattr("shoal.engines.steps.value_counts.MOST_VALUES", 90)
    assert anonymize_rows(rows, policy_for(method), seeded_key(5)).rows_in == 90


def test_no_more_are_gathered_than_show_that_they_are_too_many():
    one, other = ({"street": pa.array([f"{number}" for number in span])} for span in (range(5), range(3, 9)))
    assert len(_with_more_words(6, one, other)["street"]) == 7
    assert len(_with_more_words(9, one, other)["street"]) == 9
