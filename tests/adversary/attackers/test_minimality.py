"""Beliefs of somebody who knows the method, against running it on every table over the domain."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest

from shoal.adversary.attackers.minimality import minimality
from shoal.adversary.attacks import attack, open_scene
from shoal.adversary.matching import record_matches as fits
from shoal.adversary.scene import Scene
from shoal.adversary.trials import rerun
from shoal.adversary.trials.input_trials import PartBeliefs
from shoal.adversary.trials.rerun import keys_of
from shoal.adversary.trials.trial_parts import TrialAllowance, TrialBudget, TrialPart, people_behind
from shoal.adversary.trials.value_trials import ValueTrials
from shoal.anonymizer.anonymize import anonymize_table
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import seeded_key
from shoal.policy.model.policy import Policy
from shoal.release.release import anonymize_in_memory
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable

DIVERSE = [{"kind": "k-anonymity", "k": 2}, {"kind": "l-diversity", "l": 2, "sensitive": "ill"}]
UNHURRIED = TrialBudget(runs=10**9, seconds=300)


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.adversary.attackers.minimality.RUNS", 10**6)
    monkeypatch.setattr("shoal.adversary.attackers.minimality.SECONDS", 60.0)


@pytest.fixture(autouse=True)
def few_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerun, "FEW_KEYS", 2)
    monkeypatch.setattr(rerun, "MANY_KEYS", 2)


def values_policy(method: str) -> Policy:
    hierarchies = {"age": {"intervals": [10]}} if method == "optimal" else {}
    columns = {"age": "quasi", "ill": "sensitive"}
    return Policy(columns=columns, guarantees=DIVERSE, method={"name": method}, hierarchies=hierarchies)


def published(table: pa.Table, policy: Policy, key: np.ndarray) -> Counter | None:
    try:
        made = anonymize_table(Table(table), policy, key)
    except ShoalError:
        return None
    return Counter(map(str, made.table.to_pylist()))


def scene_of(table: pa.Table, policy: Policy, link: bool = True, seed: int = 5) -> Scene:
    made = anonymize_table(Table(table), policy, seeded_key(seed))
    rows = made.input_rows if link else None
    shown = PublishedTable(Table(made.table))
    return Scene(PublishedTable(Table(table)), shown, policy, input_rows=rows, seed=seed)


def slow_beliefs(table: pa.Table, scene: Scene, inputs: list[tuple[str, ...]]) -> list[float]:
    """Every input is published anew; the beliefs of everybody's own value."""
    shown = Counter(map(str, scene.published.table.arrow.to_pylist()))
    own, keys = table["ill"].to_pylist(), keys_of(scene, 10**6)
    remaining, right = 0.0, [0.0] * len(own)
    for ill in inputs:
        other = table.set_column(1, "ill", pa.array(list(ill)))
        weight = sum(published(other, scene.policy, key) == shown for key in keys) / len(keys)
        remaining += weight
        for person, value in enumerate(ill):
            right[person] += weight * (value == own[person])
    return [one / remaining for one in right]


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_beliefs_are_those_of_all_tables_over_the_domain(method: str) -> None:
    table = pa.table({"age": [1, 1, 12, 12, 12], "ill": ["f", "f", "f", "a", "b"]})
    scene = scene_of(table, values_policy(method))
    [found] = minimality(scene, UNHURRIED)
    slow = slow_beliefs(table, scene, list(product("fab", repeat=5)))
    assert dict(zip(found.people.tolist(), found.success.tolist(), strict=True)) == pytest.approx(
        dict(enumerate(slow))
    )
    assert found.success[found.people == 0] == pytest.approx([6 / 8])  # among the five, f is three fifths
    assert found.baseline == pytest.approx((3 * 3 / 5 + 2 / 5) / 5)
    assert found.figures["judged"] == found.figures["classes"] == 1
    assert found.figures["inputs"] == 20


@pytest.mark.parametrize("link", [True, False])
def test_somebody_is_singled_out_whom_the_classes_hide(link: bool) -> None:
    """Two classes would do but for the two who both have f; who sees one class knows that they have."""
    table = pa.table({"age": [1, 1, 2, 2, 2], "ill": ["f", "f", "a", "b", "c"]})
    scene = scene_of(table, values_policy("mondrian"), link)
    [found] = minimality(scene, UNHURRIED)
    beliefs = dict(zip(found.people.tolist(), found.success.tolist(), strict=True))
    assert beliefs == pytest.approx({0: 1, 1: 1, 2: 1 / 3, 3: 1 / 3, 4: 1 / 3})
    assert sorted(found.candidates.tolist()) == [1, 1, 3, 3, 3]
    assert found.baseline == pytest.approx((2 * 2 / 5 + 3 / 5) / 5)
    assert (found.largest, found.below, found.promised) == (1.0, 0.4, False)
    inputs = sorted(set(permutations("ffabc")))
    assert beliefs == pytest.approx(dict(enumerate(slow_beliefs(table, scene, inputs))))


def test_who_knows_the_method_learns_nothing_where_it_had_no_choice() -> None:
    table = pa.table({"age": [1, 2, 3], "ill": ["f", "f", "a"]})
    [found] = minimality(scene_of(table, values_policy("mondrian")), UNHURRIED)
    assert found.success[np.argsort(found.people)] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    assert found.level == "safe"
    assert found.figures["remaining"] == 1
    assert found.figures["surer"] == 0


def test_larger_tables_are_judged_class_by_class_or_by_drawing() -> None:
    random = np.random.default_rng(1)
    table = pa.table({"age": random.integers(0, 50, 60), "ill": random.choice(list("fabc"), 60)})
    scene = scene_of(table, values_policy("mondrian"))
    [found] = minimality(scene, TrialBudget(inputs=15, draws=50, runs=10**9, seconds=60))
    assert 0 < found.figures["judged"] <= found.figures["classes"]
    assert len(found.people) == found.population <= 60
    assert "each as if it were the whole table" in found.notes[0]
    assert any("drawn at random" in note for note in found.notes)
    assert (found.success <= 1).all()
    hurried = list(minimality(scene, TrialBudget(seconds=0.0001)))
    assert not hurried or hurried[0].figures["judged"] < found.figures["judged"]


def test_without_the_link_people_stand_behind_the_only_box_that_fits_them() -> None:
    random = np.random.default_rng(2)
    table = pa.table({"age": random.permutation(30), "ill": random.choice(list("fab"), 30)})
    linked = scene_of(table, values_policy("mondrian"))
    behind = people_behind(scene_of(table, values_policy("mondrian"), link=False))
    cells = linked.published.table.arrow["age"].to_pylist()
    assert sorted(behind.tolist()) == list(range(30))
    for record, person in enumerate(behind.tolist()):
        assert cells[record]["lo"] <= table["age"][person].as_py() <= cells[record]["hi"]


def slow_record_beliefs(scene: Scene, domain: list[tuple[int, int]], method_known: bool) -> np.ndarray:
    """For every person, how much speaks for each record, by all tables over the domain."""
    cells = scene.published.table.arrow.select(["a", "b"]).to_pylist()
    people = list(zip(*(scene.original.table.arrow[name].to_pylist() for name in "ab"), strict=True))
    found = np.zeros((len(people), len(cells)))
    for rows in product(domain, repeat=len(cells)):
        inside = all(cell["a"]["lo"] <= a <= cell["a"]["hi"] and cell["b"]["lo"] <= b <= cell["b"]["hi"]
                     for (a, b), cell in zip(rows, cells, strict=True))  # fmt: skip
        weight = 0.0
        for key in keys_of(scene, 10**6) if method_known else ():
            table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
            made = anonymize_table(Table(table), scene.policy, key)
            shown = made.table.to_pylist()
            weight += all(shown[at] == cells[row] for at, row in enumerate(made.input_rows.tolist()))
        if not method_known:
            weight = float(inside)
        for person, (own_a, own_b) in enumerate(people):
            for record, (a, b) in enumerate(rows):
                found[person, record] += weight * (a + b == own_a + own_b)
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("method", ["aggranon", "residual"])
def test_beliefs_in_records_are_those_of_all_tables_over_the_domain(method: str) -> None:
    policy = Policy(
        columns={"a": "quasi", "b": "quasi"}, method={"name": method},
        guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["a + b"]}],
    )  # fmt: skip
    for seed, rows, tells in [
        (8, [(1, 0), (1, 0), (1, 0), (0, 0)], True),
        (1, [(0, 0), (1, 1), (1, 0)], False),
    ]:
        table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
        scene = scene_of(table, policy, seed=seed)
        domain = list(product(range(2), range(2)))
        belief, without = (slow_record_beliefs(scene, domain, known) for known in (True, False))
        [found] = minimality(scene, UNHURRIED)
        own = np.argsort(scene.input_rows)
        assert len(found.people) == len(rows)
        for at, person in enumerate(found.people):
            assert found.success[at] == pytest.approx(belief[person, own[person]])
            assert found.candidates[at] == (belief[person] > 0).sum()
        blind = [without[person, own[person]] for person in range(len(rows))]
        assert found.baseline == pytest.approx(np.mean(blind))
        assert np.allclose(belief, without) != tells


def test_classes_of_an_aggregate_are_judged_alone() -> None:
    random = np.random.default_rng(3)
    table = pa.table({"a": random.integers(0, 6, 30), "b": random.integers(0, 6, 30)})
    policy = Policy(
        columns={"a": "quasi", "b": "quasi"}, method={"name": "aggranon"},
        guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": ["a + b"]}],
    )  # fmt: skip
    [found] = minimality(scene_of(table, policy), TrialBudget(inputs=20, draws=30, runs=10**9, seconds=60))
    assert found.finds == "record"
    assert found.figures["judged"] + found.figures["unexplained"] <= found.figures["classes"]
    assert 0 < found.expected <= 1


def test_drawn_inputs_come_close_to_all_of_them() -> None:
    table = pa.table({"age": [1, 1, 2, 2, 2], "ill": ["f", "f", "f", "a", "b"]})
    scene = scene_of(table, values_policy("mondrian"))
    one = TrialPart(np.arange(5), scene.input_rows, np.zeros(5, np.int64))
    exact = ValueTrials(scene, "ill", UNHURRIED).judge(one, TrialAllowance())
    drawn = ValueTrials(scene, "ill", TrialBudget(inputs=1, draws=150)).judge(one, TrialAllowance())
    assert isinstance(exact, PartBeliefs)
    assert isinstance(drawn, PartBeliefs)
    assert (exact.margin, drawn.drawn) == (0.0, True)
    assert (np.abs(drawn.belief - exact.belief) <= 1.5 * drawn.margin).all()
    assert (
        ValueTrials(scene, "ill", TrialBudget(inputs=1, draws=20)).judge(one, TrialAllowance())
        == "unfinished"
    )
    assert exact.surer.tolist() == (exact.belief > exact.without + 1e-9).tolist()


def test_raw_tables_have_no_method() -> None:
    table = Table(pa.table({"age": [1, 2], "ill": ["a", "b"]}))
    assert not list(minimality(Scene.raw_table(table, values_policy("mondrian"))))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_written_releases_are_recognized(tmp_path, format: str) -> None:
    """However cells are written, the method's own output is the same table."""
    table = pa.table({"age": [1, 1, 2, 2, 2], "ill": ["f", "f", "a", "b", "c"]})
    anonymize_in_memory(table, values_policy("mondrian")).write(tmp_path / "out", format=format)
    [found] = attack(table, tmp_path / "out", only=["minimality"])
    assert sorted(found.success.tolist()) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])


def test_labels_are_recognized_however_they_are_written(tmp_path) -> None:
    table = pa.table({"age": [1, 1, 12, 12, 12], "ill": ["f", "f", "a", "b", "c"]})
    anonymize_in_memory(table, values_policy("optimal")).write(tmp_path / "out")
    [found] = attack(table, tmp_path / "out", only=["minimality"])
    assert found.largest == 1


def test_nobody_stands_behind_records_where_too_many_fit(monkeypatch) -> None:
    ranges = pa.table({"age": ["[1, 9]", "[1, 9]", "[2, 9]", "[2, 9]"]})
    ages = pa.table({"age": [1, 9, 2, 9]})
    policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    scene = Scene(PublishedTable(Table(ages)), PublishedTable(Table(ranges)), policy)
    assert people_behind(scene).max() == 0
    monkeypatch.setattr(fits, "MOST_PAIRS", 1)
    assert people_behind(scene).tolist() == [-1] * 4


def test_what_is_found_depends_on_the_number_of_runs_and_on_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.adversary.attackers.minimality.RUNS", 300)
    portion = (whole := TrialAllowance(runs=10)).portion(4)
    assert [portion.take() for _ in range(5)] == [True] * 4 + [False]
    whole.put_back(portion)
    assert (whole.runs, whole.spent) == (6, False)
    assert TrialAllowance(runs=10, until=0.0).spent
    table = pa.table({"age": [1, 1, 2, 2, 2] * 3, "ill": ["f", "f", "a", "b", "c"] * 3})
    asked = Policy(
        columns={"age": "quasi", "ill": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 2}],
        method={"name": "mondrian"},
    )
    found = [
        [one.as_dict() for one in minimality(open_scene(None, anonymize_in_memory(table, asked, seed=3)))]
        for _ in range(2)
    ]
    assert found[0] == found[1]
    assert found[0]
