"""Beliefs against enumerating all assignments, and the attack on groups whose values depend on traits."""

from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

from shoal.adversary.attackers.definetti import definetti
from shoal.adversary.beliefs.assignments import (
    AssignmentGroups,
    beliefs_under_model,
    learn_beliefs,
    log_model,
)
from shoal.adversary.matching.value_codes import value_codes
from shoal.adversary.scene import Scene
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable


def drawn_groups(random: np.random.Generator, sizes: list[int], different: int) -> AssignmentGroups:
    rows = sum(sizes)
    traits = np.column_stack([random.integers(0, 3, rows), random.integers(0, 2, rows)])
    parts = [np.unique(random.integers(0, different, size), return_counts=True) for size in sizes]
    return AssignmentGroups(
        traits, np.array([3, 2]), np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([values for values, _ in parts]), np.concatenate([counts for _, counts in parts]),
        np.concatenate([[0], np.cumsum([len(values) for values, _ in parts])]), different,
    )  # fmt: skip


def enumerated(groups: AssignmentGroups, model: np.ndarray) -> tuple[np.ndarray, float]:
    """Every assignment of every group, one by one."""
    found, likelihood = [], 0.0
    for group in range(len(groups.row_starts) - 1):
        rows = range(groups.row_starts[group], groups.row_starts[group + 1])
        part = slice(groups.value_starts[group], groups.value_starts[group + 1])
        values = groups.values[part].tolist()
        given = np.repeat(np.arange(len(values)), groups.counts[part]).tolist()
        shares, total = np.zeros((len(rows), len(values))), 0.0
        for way in permutations(given):
            chance = np.exp(sum(model[values[value], groups.traits[row, 0]]
                                + model[values[value], 3 + groups.traits[row, 1]]
                                for row, value in zip(rows, way, strict=True)))  # fmt: skip
            shares[range(len(rows)), way] += chance
            total += chance
        found.append((shares / total).ravel())
        likelihood += np.log(total)
    return np.concatenate(found), likelihood


@pytest.mark.parametrize("seed", range(12))
def test_beliefs_are_those_of_all_assignments(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups = drawn_groups(random, random.integers(1, 7, 5).tolist(), 4)
    model = np.log(np.hstack([random.dirichlet(np.ones(3), 4), random.dirichlet(np.ones(2), 4)]))
    shares, likelihood = beliefs_under_model(groups, model)
    expected, whole = enumerated(groups, model)
    assert shares == pytest.approx(expected)
    assert likelihood == pytest.approx(whole)


def test_large_groups_are_balanced() -> None:
    random = np.random.default_rng(3)
    groups = drawn_groups(random, [9, 40, 300], 5)
    model = np.log(np.hstack([random.dirichlet(np.ones(3), 5), random.dirichlet(np.ones(2), 5)]))
    shares, _ = beliefs_under_model(groups, model)
    for group in range(3):
        block = shares[groups.pair_starts[group] : groups.pair_starts[group + 1]]
        part = slice(groups.value_starts[group], groups.value_starts[group + 1])
        block = block.reshape(-1, part.stop - part.start)
        assert block.sum(axis=1) == pytest.approx(1)
        assert block.sum(axis=0) == pytest.approx(groups.counts[part], rel=0.02)


def test_likelihood_never_falls_and_the_model_is_a_distribution() -> None:
    groups = drawn_groups(np.random.default_rng(4), [4] * 50, 6)
    shares, before = groups.chance(), -np.inf
    for _ in range(10):
        model = log_model(groups, shares)
        assert np.exp(model[:, :3]).sum(axis=1) == pytest.approx(1)
        shares, likelihood = beliefs_under_model(groups, model)
        assert likelihood > before - 1e-6 * abs(likelihood) - 1  # up to what the smoothing moves
        before = likelihood
    assert learn_beliefs(groups, np.random.default_rng(0)).likelihood >= before - 1


def permuted_scene(
    seed: int, tied: float, people: int = 6000, link: bool = True, twins: bool = False
) -> Scene:
    """Groups of four different values; each of four columns is a function of the value with this chance."""
    random = np.random.default_rng(seed)
    value = np.concatenate([random.choice(20, 4, replace=False) for _ in range(people // 4)])
    function, noise = random.integers(0, 6, (4, 20)), random.integers(0, 6, (people, 4))
    traits = np.where(random.random((people, 4)) < tied, function[:, value].T, noise)
    if twins:
        traits[:, 1:] = 0
    group = np.arange(people) // 4
    given = np.concatenate([random.permutation(one) for one in value.reshape(-1, 4)])
    order = random.permutation(people)
    names = ["a", "b", "c", "d"]
    exact = {name: traits[:, at] for at, name in enumerate(names)}
    shown = {name: column[order] for name, column in exact.items()}
    published = pa.table({**shown, "pay": given[order] * 100, "shoal_group": group[order]})
    original = pa.table({**exact, "pay": value * 100})
    asked = [{"kind": "ke-anonymity", "k": 4, "e": 0, "sensitive": "pay"}]
    policy = Policy(columns={**dict.fromkeys(names, "quasi"), "pay": "sensitive"}, guarantees=asked)
    rows = order if link else None
    return Scene(
        PublishedTable(Table(original)), PublishedTable(Table(published)), policy, input_rows=rows, seed=1
    )


@pytest.mark.parametrize(
    ("tied", "least", "most", "level"),
    [(0.0, 0.22, 0.28, "safe"), (0.4, 0.6, 0.95, "exposed"), (0.6, 0.9, 1.0, "exposed")],
)
def test_the_more_values_depend_on_traits_the_more_are_guessed(tied, least, most, level) -> None:
    [found] = definetti(permuted_scene(1, tied))
    assert least < found.expected < most
    assert found.baseline == pytest.approx(0.25)
    assert found.level == level
    assert (found.smallest, found.needed, found.promised) == (4, 4, False)
    assert found.figures["accuracy"] == pytest.approx(found.expected, abs=1e-6)


def test_without_the_link_rows_that_show_the_same_are_anybodys() -> None:
    linked, [free] = (
        permuted_scene(2, 0.6, 400, twins=True),
        definetti(permuted_scene(2, 0.6, 400, False, True)),
    )
    original, published = linked.original.table.arrow, linked.published.table.arrow
    values, keys = original["pay"].to_pylist(), original["a"].to_pylist()
    wrong = Scene(linked.original, linked.published, linked.policy, seed=1)
    assert free.expected == pytest.approx(next(iter(definetti(wrong))).expected)
    best, groups = _best_by_row(linked), published["shoal_group"].to_pylist()
    held = {group: set() for group in groups}
    for group, value in zip(groups, published["pay"].to_pylist(), strict=True):
        held[group].add(value)
    for person in range(0, 400, 7):
        rows = [row for row, key in enumerate(published["a"].to_pylist())
                if key == keys[person] and values[person] in held[groups[row]]]  # fmt: skip
        right = [1 / len(best[row]) if values[person] in best[row] else 0 for row in rows]
        assert free.success[person] == pytest.approx(sum(right) / len(rows))
    assert free.baseline == pytest.approx(0.25)


def _best_by_row(scene: Scene) -> list[set[int]]:
    """The best guesses for each published row, by the same beliefs looked up one by one."""
    published = scene.published.table.arrow
    group = np.array(published["shoal_group"].to_pylist())
    pay = np.array(published["pay"].to_pylist())
    traits = np.column_stack([published[name].to_pylist() for name in "abcd"])
    traits = np.column_stack([np.unique(one, return_inverse=True)[1] for one in traits.T])
    order, different = np.argsort(group, kind="stable"), np.unique(pay)
    values = np.concatenate([np.sort(pay[group == one]) for one in np.unique(group)])
    starts = np.arange(0, len(group) + 1, 4)
    places, ones = np.searchsorted(different, values), np.ones(len(group), np.int64)
    groups = AssignmentGroups(
        traits[order], traits.max(axis=0) + 1, starts, places, ones, starts, len(different)
    )
    shares = learn_beliefs(groups, np.random.default_rng(1)).shares.reshape(-1, 4)
    best: list[set[int]] = [set() for _ in group]
    for place, row in enumerate(order):
        own = values[place // 4 * 4 : place // 4 * 4 + 4]
        best[row] = set(own[shares[place] >= shares[place].max() * (1 - 1e-9)].tolist())
    return best


def generalized_scene(tied: float) -> Scene:
    """Classes of eight people by region; occupation tells the illness, but not beside the region's range."""
    random = np.random.default_rng(6)
    region, work = np.repeat(np.arange(150), 8), random.integers(0, 5, 1200)
    ill = np.where(random.random(1200) < tied, work, random.integers(0, 5, 1200))
    low, high = region // 1, np.full(1200, 4)
    cells = pa.StructArray.from_arrays([pa.array(low), pa.array(low)], names=["lo", "hi"])
    spread = pa.StructArray.from_arrays([pa.array(low * 0), pa.array(high)], names=["lo", "hi"])
    words = pa.array([f"illness {one}" for one in ill])
    order = random.permutation(1200)
    published = pa.table({"region": cells, "work": spread, "ill": words}).take(pa.array(order))
    original = pa.table({"region": region, "work": work, "ill": words})
    policy = Policy(
        columns={"region": "quasi", "work": "quasi", "ill": "sensitive"},
        guarantees=[{"kind": "k-anonymity", "k": 8}, {"kind": "l-diversity", "l": 2, "sensitive": "ill"}],
    )
    return Scene(PublishedTable(Table(original)), PublishedTable(Table(published)), policy, seed=1)


def test_classes_of_a_generalized_release_are_groups_too() -> None:
    [telling], [silent] = definetti(generalized_scene(0.8)), definetti(generalized_scene(0.0))
    assert telling.expected > 0.75
    assert telling.level == "exposed"
    assert silent.level != "exposed"
    assert silent.expected == pytest.approx(silent.baseline, abs=0.06)
    assert telling.figures["groups"] == 150


def test_nothing_is_learned_of_tables_without_groups() -> None:
    scene = generalized_scene(0.5)
    assert not list(definetti(Scene.raw_table(scene.original.table, scene.policy)))


def test_values_are_numbered_alike_on_both_sides() -> None:
    original = Table(pa.table({"pay": [2.5, None, -1.0, 2.5], "work": ["cook", None, "smith", "cook"]}))
    published = Table(pa.table({"pay": ["2.50", "-1", "7", None], "work": [None, "smith", "mason", "cook"]}))
    pay, work = (value_codes(published, original, name) for name in ("pay", "work"))
    assert (pay.published.tolist(), pay.own.tolist(), pay.ordered) == ([1, 0, -1, 2], [1, 2, 0, 1], True)
    assert not work.ordered
    assert work.published.tolist() == [work.own[1], work.own[2], -1, work.own[0]]
