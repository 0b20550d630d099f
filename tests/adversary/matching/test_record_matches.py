"""Fits against comparing every record with every person, and joint aggregates against linear programming."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from shoal.adversary.attackers.aggregate import aggregate_matches
from shoal.adversary.matching.axes import Axis
from shoal.adversary.matching.people_tree import runs_in_tree
from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.scene import Scene
from shoal.policy.model.expression import linear_form
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from tests.draws import draws

COLUMNS = ("a", "b", "c")


def drawn_axes(random: np.random.Generator, records: int, people: int, exact: bool) -> tuple[Axis, ...]:
    axes = []
    for kind in random.choice(["range", "words", "star"], random.integers(1, 4)):
        point = random.integers(-3, 4, people)
        low = random.integers(-3, 4, records)
        high = low if exact else low + random.integers(0, 3, records)
        if kind == "star" and not exact:
            stars = random.random(records) < 0.2
            low = np.where(stars, np.iinfo(np.int64).min, low)
            high = np.where(stars, np.iinfo(np.int64).max, high)
        if kind == "words" and not exact:
            admits = random.random((4, 5)) < 0.5
            label = random.integers(0, 4, records)
            first, last = admits.argmax(axis=1), 4 - admits[:, ::-1].argmax(axis=1)
            last[~admits.any(axis=1)] = -1
            axes.append(Axis(first[label], last[label], random.integers(0, 5, people), label, admits))
        else:
            axes.append(Axis(low, high, point))
    return tuple(axes)


def fit(axis: Axis, record: int, person: int) -> bool:
    point = axis.point[person]
    if axis.admits is not None:
        return bool(axis.admits[axis.label[record], point])
    return bool(axis.low[record] <= point <= axis.high[record])


@pytest.mark.parametrize("seed", range(40))
def test_records_fit_as_they_do_one_by_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    records, people = random.integers(1, 30, 2).tolist()
    axes = drawn_axes(random, records, people, exact=seed % 4 == 0)
    table = np.array([[all(fit(axis, record, person) for axis in axes) for person in range(people)]
                      for record in range(records)])  # fmt: skip
    fits = RecordMatches(axes, records)
    chosen = np.sort(random.choice(people, random.integers(1, people + 1), replace=False))
    assert fits.counts(chosen).tolist() == table[:, chosen].sum(axis=0).tolist()
    person, box = fits.pairs(chosen)
    found = {(int(who), record) for who, one in zip(person, box, strict=True)
             for record in np.flatnonzero(fits.box_of == one).tolist()}  # fmt: skip
    assert found == {
        (who, int(record)) for who, at in enumerate(chosen) for record in np.flatnonzero(table[:, at])
    }
    assert np.all(np.diff(person) >= 0)


@pytest.mark.parametrize("seed", range(10))
def test_a_tree_finds_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    people, records = int(random.integers(1, 400)), int(random.integers(1, 60))
    axes = drawn_axes(random, records, people, exact=False)
    points = np.column_stack([axis.point for axis in axes])
    order, box, first, last = runs_in_tree(axes, points)
    assert sorted(order.tolist()) == list(range(people))
    found = {(int(one), int(who)) for one, begin, end in zip(box, first, last, strict=True)
             for who in order[begin:end]}  # fmt: skip
    assert found == {(record, person) for record, person in product(range(records), range(people))
                     if all(fit(axis, record, person) for axis in axes)}  # fmt: skip
    assert (last - first).sum() == len(found)


def scene_of(
    low: np.ndarray, high: np.ndarray, people: np.ndarray, knows: list[str], **more: object
) -> Scene:
    cells = {
        name: [{"lo": int(a), "hi": int(b)} for a, b in zip(low[:, at], high[:, at], strict=True)]
        for at, name in enumerate(COLUMNS)
    }
    original = pa.table({name: people[:, at] for at, name in enumerate(COLUMNS)})
    asked = [{"kind": "kf-anonymity", "k": 2, "knows": knows, **more}, {"kind": "k-anonymity", "k": 2}]
    policy = Policy(columns=dict.fromkeys(COLUMNS, "quasi"), guarantees=asked)
    return Scene(PublishedTable(Table(original)), PublishedTable(Table(pa.table(cells))), policy)


@given(st.integers(0, 10**6), st.sampled_from([
    ["a + b + c"], ["a - 2 * b + c"], ["a + b", "b + c"], ["a + b", "a - b"], ["a + b + c", "a + 2 * b"],
    ["a + b", "b + c", "a + c"], ["a + b + c", "a", "b + 3 * c"], ["2 * a + 2 * b", "a + b"],
]), st.sampled_from([(), ("a",), ("b", "c")]))  # fmt: skip
@draws(60)
def test_sums_known_together_fit_exactly_the_boxes_that_hold_a_solution(seed, knows, besides) -> None:
    random = np.random.default_rng(seed)
    low = random.integers(-2, 3, (4, 3))
    high = low + random.integers(0, 3, (4, 3)) * (random.random((4, 3)) < 0.6)
    people = random.integers(-2, 4, (4, 3))
    scene = scene_of(low, high, people, knows)
    asked = scene.aggregates[0]
    found = aggregate_matches(scene, asked, besides).counts(np.arange(4))
    weights = [[float(linear_form(tree).weights.get(name, 0)) for name in COLUMNS] for tree in asked.trees]
    weights += [[float(name == other) for other in COLUMNS] for name in besides]
    for person in range(4):
        fitting = [
            linprog(np.zeros(3), A_eq=weights, b_eq=np.array(weights) @ people[person],
                    bounds=list(zip(low[record], high[record], strict=True))).status == 0
            for record in range(4)
        ]  # fmt: skip
        assert found[person] == sum(fitting)


@pytest.mark.parametrize("within", ["0.05", "0.3"])
def test_a_band_is_met_by_the_ranges_that_reach_into_it(within: str) -> None:
    random = np.random.default_rng(5)
    low = random.integers(-40, 60, (30, 3))
    high = low + random.integers(0, 20, (30, 3))
    people = random.integers(-40, 80, (25, 3))
    scene = scene_of(low, high, people, ["a + b - c"], within=within)
    for known in [(), ("b",)]:
        share = Fraction(within)
        found = aggregate_matches(scene, scene.aggregates[0], known, share).counts(np.arange(25))
        for person, (a, b, c) in enumerate(people.tolist()):
            total = a + b - c
            first, last = total - share * abs(total), total + share * abs(total)
            fitting = 0
            for bottom, top in zip(low.tolist(), high.tolist(), strict=True):
                if known and not bottom[1] <= b <= top[1]:
                    continue
                second = (b, b) if known else (bottom[1], top[1])
                fitting += bottom[0] + second[0] - top[2] <= last and top[0] + second[1] - bottom[2] >= first
            assert found[person] == fitting


@pytest.mark.parametrize(("knows", "compute"), [
    ("max(a, b, c)", max), ("min(a, b, c)", min), ("a * b * c", lambda row: row[0] * row[1] * row[2]),
    ("median(a, b, c)", lambda row: sorted(row)[1]),
])  # fmt: skip
def test_other_aggregates_with_known_columns_fit_the_boxes_that_hold_a_point(knows, compute) -> None:
    random = np.random.default_rng(len(knows))
    low = random.integers(-2, 3, (12, 3))
    high = low + random.integers(0, 3, (12, 3)) * (random.random((12, 3)) < 0.6)
    people = random.integers(-2, 4, (12, 3))
    scene = scene_of(low, high, people, [knows])
    for known in [(), ("a",), ("b", "c")]:
        found = aggregate_matches(scene, scene.aggregates[0], known).counts(np.arange(12))
        for person, values in enumerate(people.tolist()):
            ends = [
                [(value, value) if name in known else (a, b)
                 for name, value, a, b in zip(COLUMNS, values, bottom, top, strict=True)]
                for bottom, top in zip(low.tolist(), high.tolist(), strict=True)
                if all(a <= value <= b for name, value, a, b in zip(COLUMNS, values, bottom, top, strict=True)
                       if name in known)
            ]  # fmt: skip
            fitting = 0
            for box in ends:  # each is connected, so f takes all between its least and its greatest corner
                corners = [compute(corner) for corner in product(*box)]
                fitting += min(corners) <= compute(values) <= max(corners)
            assert found[person] == fitting


def test_a_few_wide_boxes_that_fit_everybody_are_noticed():
    people = np.arange(200_000)
    low, high = people.copy(), people.copy()
    low[:200], high[:200] = 0, people[-200:]
    axes = (Axis(low, high, people), Axis(low, high, people))
    nobody = PublishedTable(Table(pa.table({"a": people})))
    policy = Policy(columns={"a": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    for seed in range(5):
        scene = Scene(nobody, nobody, policy, seed=seed)
        assert RecordMatches(axes, len(people)).affordable(scene) < 110_000
