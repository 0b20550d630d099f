"""What can be learnt from a release whose answer is known: everything, nothing, or half of it."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.utility import prediction as module
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.prediction import Prediction, prediction

DRAW = np.random.default_rng(0)
ROWS = 300
AGE = DRAW.integers(0, 100, ROWS)
TOWN = DRAW.choice(["Ulm", "Rom", "Kiel"], ROWS)
ORIGINAL = pa.table(
    {
        "age": AGE,
        "town": TOWN,
        "ill": np.where(AGE > 60, "old", np.where(TOWN == "Ulm", "south", "none")),
        "pay": 1000 * AGE + DRAW.integers(0, 2_000, ROWS),
    }
)
ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive", "pay": "other"}


def learnt(published: pa.Table, target: str | None = None, original: pa.Table = ORIGINAL) -> Prediction:
    policy = Policy(columns=ROLES, guarantees=[{"kind": "k-anonymity", "k": 2}])
    pairs = ColumnPairs.of(Table(original), Table(published), policy)
    return prediction(pairs, target, np.random.default_rng(5))


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(DRAW.permutation(len(table)))


def with_column(name: str, cells: list) -> pa.Table:
    return ORIGINAL.set_column(ORIGINAL.column_names.index(name), name, [cells])


def test_the_original_itself_teaches_as_much() -> None:
    found = learnt(shuffled(ORIGINAL))
    assert (found.column, found.score) == ("ill", "accuracy")
    assert (found.learnt_from, found.tested_on) == (200, 100)
    assert found.original > 0.9
    assert found.release == pytest.approx(found.original_seen, abs=0.07)
    assert found.baseline < 0.6


def test_a_few_decimals_are_classes() -> None:
    scores = np.where(AGE > 60, "1.5", np.where(TOWN == "Ulm", "2.25", "3"))
    table = with_column("ill", scores.tolist())
    found = learnt(shuffled(table), original=table)
    assert (found.column, found.score) == ("ill", "accuracy")
    assert found.original > 0.9


def test_the_baseline_is_the_most_frequent_value() -> None:
    found = learnt(ORIGINAL)
    test, train = np.split(np.random.default_rng(5).permutation(ROWS), [ROWS // 3])
    words = np.array(ORIGINAL["ill"].to_pylist())
    names, counts = np.unique(words[train], return_counts=True)
    assert found.baseline == np.mean(words[test] == names[counts.argmax()])


def test_stars_teach_nothing_more_than_the_baseline() -> None:
    stars = ORIGINAL.set_column(0, "age", [["*"] * ROWS]).set_column(1, "town", [["*"] * ROWS])
    found = learnt(stars)
    assert found.release <= found.baseline + 0.02
    assert found.original > 0.9


def test_ranges_sets_and_missing_cells_still_teach() -> None:
    ages = [
        None if at % 17 == 0 else f"[{age // 10 * 10}, {age // 10 * 10 + 9}]" for at, age in enumerate(AGE)
    ]
    towns = [f"{{{town}, Rom}}" if at % 2 else town for at, town in enumerate(TOWN.tolist())]
    found = learnt(shuffled(with_column("age", ages).set_column(1, "town", [towns])))
    assert found.release > found.baseline + 0.2


def test_numbers_are_explained() -> None:
    found = learnt(shuffled(ORIGINAL), "pay")
    assert found.score == "r2"
    assert found.baseline == pytest.approx(0, abs=0.05)
    assert found.release > 0.9
    assert "explains" in found.sentence()


def test_a_permuted_target_teaches_less() -> None:
    mixed = with_column("ill", DRAW.permutation(ORIGINAL["ill"].to_pylist()).tolist())
    assert learnt(mixed).release < 0.75


def test_a_generalized_target_is_learnt_where_it_is_exact() -> None:
    towns = ["*" if at % 2 else town for at, town in enumerate(TOWN.tolist())]
    assert learnt(with_column("town", towns), "town").learnt_from == ROWS // 2


def test_the_same_generator_gives_the_same_figures() -> None:
    assert learnt(ORIGINAL) == learnt(ORIGINAL)


def test_few_numbers_are_predicted_as_words_are() -> None:
    flags = with_column("ill", (AGE > 50).astype(int).tolist())
    found = learnt(flags, original=flags)
    assert found.score == "accuracy"
    assert found.release > 0.9


def test_a_constant_column_is_predicted_by_everybody() -> None:
    same = with_column("ill", ["x"] * ROWS)
    found = learnt(same, original=same)
    assert (found.baseline, found.original, found.release) == (1, 1, 1)


def test_the_sentence_tells_all_figures() -> None:
    found = Prediction("ill", "accuracy", 0.5, 0.75, 0.8, 0.7, 10, 5)
    assert found.sentence() == (
        "What was learnt from the release predicts 'ill' right for 70.0% of the records, what was learnt "
        "from the original for 75.0% (80.0% if it has seen the records of the test), the most frequent "
        "value for 50.0%."
    )
    assert found.as_dict() == found.public()


@pytest.mark.parametrize(
    ("rows", "target", "said"), [(10, None, "too little"), (ROWS, "il", "is not in the release")]
)
def test_what_cannot_be_predicted_is_refused(rows: int, target: str | None, said: str) -> None:
    with pytest.raises(ShoalError, match=said):
        learnt(ORIGINAL.slice(0, rows), target)


def test_without_scikit_learn_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(ShoalError, match=r"shoal\[predict\]"):
        learnt(ORIGINAL)
