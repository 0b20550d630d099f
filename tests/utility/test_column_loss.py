"""Losses read from published cells against those that the methods report, and against a count by hand."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.table.files.data_file import read_data
from shoal.table.table import Table
from shoal.utility.column_loss import ColumnLoss, column_losses
from shoal.utility.column_pairs import ColumnPairs

DRAW = np.random.default_rng(0)
TABLE = pa.table(
    {
        "age": DRAW.integers(18, 60, 60),
        "pay": (DRAW.normal(0, 500, 60)).round(1),
        "town": DRAW.choice(["Ulm", "Rom", "Kiel", "Bonn"], 60),
        "since": [f"2001-01-{day:02}" for day in DRAW.integers(1, 28, 60)],
        "ill": DRAW.choice(["flu", "cold"], 60),
    }
)
ROLES = {"age": "quasi", "pay": "quasi", "town": "quasi", "since": "quasi", "ill": "sensitive"}
TREE = {"tree": {"south": ["Ulm", "Rom"], "north": ["Kiel", "Bonn", "Jena"]}}


def losses(original: pa.Table, published: pa.Table, policy: Policy) -> dict[str, ColumnLoss]:
    found = column_losses(ColumnPairs.of(Table(original), Table(published), policy))
    return {one.column: one for one in found}


def policy(roles: dict, method: str = "mondrian", suppression: float = 0.0, **more: object) -> Policy:
    given = {"name": method, "suppression": suppression}
    return Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 3}], method=given, **more)


@pytest.mark.parametrize(
    "asked",
    [
        policy(ROLES),
        policy(ROLES, domains={"age": [0, 120]}),
        policy(ROLES, hierarchies={"town": TREE, "age": {"intervals": [5, 10]}}),
        policy(ROLES, "optimal", suppression=0.2,
               hierarchies={"town": TREE, "age": {"intervals": [5, 10, 20]}, "pay": {"intervals": [500]},
                            "since": {"dates": ["month"]}}),
    ],
    ids=["ranges and sets", "domains", "labels in classes", "labels of columns"],
)  # fmt: skip
def test_the_mean_over_columns_is_the_release_s_own(asked: Policy) -> None:
    release = anonymize_in_memory(TABLE, asked, seed=1)
    found = losses(TABLE, release._plain(), asked)
    assert np.mean([one.loss for one in found.values()]) == pytest.approx(release.loss["ncp_range"])
    if not release.result.suppressed and release.loss["ncp_range"]:
        total = sum(one.loss or 0 for one in found.values())
        for name, share in release.result.paid.items():
            assert (found[name].loss or 0) / total == pytest.approx(share)


def test_the_same_is_read_from_the_written_file(tmp_path: Path) -> None:
    asked = policy(ROLES)
    release = anonymize_in_memory(TABLE, asked, seed=1)
    release.write(tmp_path / "release")
    written = read_data(tmp_path / "release" / "data.csv").arrow
    assert losses(TABLE, written, asked) == losses(TABLE, release._plain(), asked)


def test_cells_one_by_one() -> None:
    original = pa.table({"x": [0, 5, 10, 10, 2], "w": ["a", "b", "c", None, "a"]})
    published = pa.table({"x": ["[0, 5]", "10", "*", "[0, 5]"], "w": ["{a, b}", "c", "*", "{a, }"]})
    found = losses(original, published, policy({"x": "quasi", "w": "quasi"}))
    assert found["x"] == ColumnLoss("x", "ncp", (0.5 + 0 + 1 + 0.5 + 1) / 5, 0.25, 0.25)
    assert found["w"] == ColumnLoss("w", "ncp", pytest.approx((1 / 3 + 0 + 1 + 1 / 3 + 1) / 5), 0.25, 0.25)


def test_class_means_lose_variance() -> None:
    original = pa.table({"x": [0, 2, 10, 12], "w": ["a", "b", "c", "c"]})
    published = pa.table({"x": [11, 1, 11, 1], "w": ["a", "c", "a", "c"]})
    found = losses(original, published, policy({"x": "quasi", "w": "quasi"}, "mdav"))
    sse, sst = 4, np.var([0, 2, 10, 12]) * 4
    assert found["x"].loss == pytest.approx(sse / sst)
    assert (found["x"].measure, found["w"].loss) == ("variance", None)


def test_constant_columns_lose_nothing() -> None:
    original = pa.table({"x": [5, 5, 5], "w": ["a", "a", "a"]})
    found = losses(original, original, policy({"x": "quasi", "w": "quasi"}))
    assert [one.loss for one in found.values()] == [0, 0]
    means = losses(original, original, policy({"x": "quasi", "w": "quasi"}, "mdav"))
    assert means["x"].loss == 0


def test_nothing_published_has_lost_everything() -> None:
    original = pa.table({"x": [5, 6]})
    found = losses(original, original.slice(0, 0).cast(pa.schema({"x": pa.string()})), policy({"x": "quasi"}))
    assert found["x"].loss == 1
