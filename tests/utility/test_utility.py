"""One object for releases of every kind; what is public of it holds no value of the original."""

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.table.table import Table
from shoal.utility.utility import Utility, measure_utility

DRAW = np.random.default_rng(0)
HOSTILE = '\'; drop "x" <b>\n'
ORIGINAL = pa.table(
    {
        "name": [f"person {at}" for at in range(60)],
        HOSTILE: DRAW.integers(70_000, 80_000, 60),
        "town": DRAW.choice(["Ulmtown", "Romtown", "Kieltown"], 60),
        "ill": [None if draw < 0.2 else "fluill" if draw < 0.6 else "coldill" for draw in DRAW.random(60)],
        "pay": [None if draw < 0.2 else round(5000 + 1000 * draw, 2) for draw in DRAW.random(60)],
    }
)
ROLES = {"name": "identifier", HOSTILE: "quasi", "town": "quasi", "ill": "sensitive", "pay": "other"}


def policy(roles: dict[str, str], **more: Any) -> Policy:
    return Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 3}], **more)


def measured(original: pa.Table, published: pa.Table, asked: Policy) -> Utility:
    random = np.random.default_rng(0)
    return measure_utility(Table(original), Table(published), asked, queries=10, generator=random)


def values_of(table: pa.Table) -> set[str]:
    return {str(cell) for column in table.columns for cell in column.to_pylist() if cell is not None}


def holds_no_value(found: Utility, table: pa.Table) -> bool:
    told = json.dumps(found.public(), allow_nan=False)
    return not any(value in told for value in values_of(table))


@pytest.fixture(scope="module")
def mondrian() -> Utility:
    asked = policy(ROLES, method={"name": "mondrian"})
    return measured(ORIGINAL, anonymize_in_memory(ORIGINAL, asked, seed=1)._plain(), asked)


def test_a_generalized_release_has_every_part(mondrian: Utility) -> None:
    assert mondrian.reasons == {}
    assert (mondrian.records, mondrian.published) == (60, 60)
    assert [one.column for one in mondrian.distributions] == [HOSTILE, "town", "ill", "pay"]
    assert mondrian.distributions[2].distance == mondrian.distributions[3].distance == 0
    assert [one.column for one in mondrian.losses] == [HOSTILE, "town"]
    assert mondrian.moments is not None
    assert mondrian.moments.columns == (HOSTILE, "pay")
    assert mondrian.answers is not None
    assert mondrian.answers.refused == 0
    assert mondrian.answers.aggregates[0].within == 1
    assert mondrian.prediction is not None
    assert mondrian.prediction.column == "ill"


def test_all_of_it_is_plain_json(mondrian: Utility) -> None:
    assert json.loads(json.dumps(mondrian.as_dict(), allow_nan=False)) == mondrian.as_dict()
    assert json.loads(json.dumps(mondrian.public(), allow_nan=False)) == mondrian.public()


def test_what_is_public_holds_no_value(mondrian: Utility) -> None:
    assert holds_no_value(mondrian, ORIGINAL)
    assert "Romtown" in json.dumps(mondrian.as_dict())


@pytest.mark.parametrize(
    ("published", "domains", "distances", "moments"),
    [
        (2000, {}, [0.0, 0.0], True),
        (1999, {}, [None, 0.0], False),
        (1999, {"x": [0, 5000]}, [0.0, 0.0], False),
        (999, {"x": [0, 5000]}, [None, None], False),
    ],
)
def test_differences_are_public_where_no_record_can_be_told_from_them(
    published: int, domains: dict[str, Any], distances: list[float | None], moments: bool
) -> None:
    original = pa.table({"x": list(range(2000)), "w": ["a", "b"] * 1000})
    asked = policy({"x": "quasi", "w": "quasi"}, domains=domains)
    turned = original.take(list(range(1999, -1, -1))).slice(0, published)
    public = measure_utility(Table(original), Table(turned), asked, queries=0).public()
    assert [one["distance"] for one in public["distributions"]] == distances
    assert (public["moments"] is not None) == moments


def test_a_release_with_records_left_out_tells_no_differences() -> None:
    found = measured(ORIGINAL, ORIGINAL.drop_columns("name").slice(1), policy(ROLES))
    public = found.public()
    assert public["moments"] is None
    assert {one["distance"] for one in public["distributions"]} == {None}
    assert [one["loss"] for one in public["losses"]] == [None, None]
    assert set(public["reasons"]) == {"losses", "distances", "moments", "answers", "prediction"}
    assert public["answers"] is public["prediction"] is None
    assert found.moments is not None
    assert found.distributions[0].distance is not None
    assert found.losses[0].loss == pytest.approx(1 / 60)
    assert found.answers is not None
    assert found.answers.aggregates[0].within < 1
    assert holds_no_value(found, ORIGINAL)


def test_permuted_columns_keep_their_distribution_mean_and_variance() -> None:
    age = DRAW.integers(0, 20, 80)
    original = pa.table({"age": age, "pay": 1000 + 10 * age + 10 * DRAW.integers(0, 5, 80)})
    guarantees = [{"kind": "ke-anonymity", "k": 3, "e": 10, "sensitive": "pay"}]
    asked = Policy(
        columns={"age": "quasi", "pay": "sensitive"}, guarantees=guarantees, method={"name": "min-sum"}
    )
    found = measured(original, anonymize_in_memory(original, asked, seed=1)._plain(), asked)
    assert [one.distance for one in found.distributions] == [0, 0]
    assert [one.loss for one in found.losses] == [0]
    assert found.moments is not None
    assert found.moments.before.means == pytest.approx(found.moments.after.means)
    assert found.moments.before.variances == pytest.approx(found.moments.after.variances)
    assert 0 < (found.moments.largest_change or 0) < 0.3
    assert found.answers is not None
    assert [one.within for one in found.answers.aggregates] == [1, 1, 1]


def test_class_means_have_no_answers_and_say_why() -> None:
    original = pa.table({"x": [1, 3, 5, 7], "y": [1, 2, 3, 4]})
    published = pa.table({"x": [2, 2, 6, 6], "y": [1, 2, 3, 4]})
    found = measured(original, published, policy({"x": "quasi", "y": "other"}, method={"name": "mdav"}))
    assert found.answers is None
    assert "class means" in found.reasons["answers"]
    assert found.losses[0].loss == pytest.approx(0.2)
    assert found.moments is not None
    told = found.moments.public()["columns"][0]
    assert told == {"column": "x", "mean_shift": 0, "variance_ratio": pytest.approx(0.8)}


@pytest.mark.parametrize(
    ("original", "published"),
    [
        ({"x": [5], "w": ["a"]}, {"x": ["*"], "w": ["*"]}),
        ({"x": [5] * 40, "w": ["a"] * 40}, {"x": ["5"] * 40, "w": ["a"] * 40}),
        ({"x": [1, 2, 3], "w": ["a", "b", None]}, {"x": ["*"] * 3, "w": ["*"] * 3}),
        ({"x": [1, None, 3], "w": [None] * 3}, {"x": ["[1, 3]", None, "[1, 3]"], "w": [None] * 3}),
        ({"x": [None] * 3, "w": ["a", "b", "c"]}, {"x": [None] * 3, "w": ["{a, b, c}"] * 3}),
        ({"x": [1, 2], "w": ["a", "b"]}, {"x": pa.array([], pa.string()), "w": pa.array([], pa.string())}),
    ],
    ids=["one row", "constant", "stars", "missing", "nothing known", "nothing published"],
)
def test_small_and_empty_tables_have_what_applies(original: dict, published: dict) -> None:
    found = measured(pa.table(original), pa.table(published), policy({"x": "quasi", "w": "quasi"}))
    assert found.prediction is None
    assert found.reasons["prediction"]
    assert [one.column for one in found.distributions] == ["x", "w"]
    assert all(one.loss is not None and 0 <= one.loss <= 1 for one in found.losses)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["records"] == len(original["x"])
    json.dumps(found.public(), allow_nan=False)


def test_cells_that_cannot_be_compared_are_named() -> None:
    table = pa.table({"x": [1, 2], "list": [[1], [2]]})
    found = measured(table, table, policy({"x": "quasi", "list": "other"}))
    assert "'list'" in found.reasons["distributions"]
    assert [one.column for one in found.distributions] == ["x"]


@pytest.mark.parametrize("extreme", [50, 10**9])
def test_no_mean_error_tells_how_large_a_number_was_that_was_left_out(extreme: int) -> None:
    ages, pay = [at % 50 for at in range(1500)], [at % 90 + 10 for at in range(1500)]
    before = pa.table({"age": [*ages, 99], "pay": [*pay, extreme]})
    after = pa.table({"age": ages, "pay": pay})
    public = measured(before, after, policy({"age": "quasi", "pay": "sensitive"})).public()
    told = {one["aggregate"]: (one["width"], one["error"]) for one in public["answers"]["aggregates"]}
    assert (told["sum"], told["avg"]) == ((None, None), (None, None))
    assert told["count"][1] is not None
    assert public["prediction"] is None
