"""The aggregate attack against a brute-force attacker, where it succeeds and where it fails."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.adversary.attackers.aggregate import aggregate
from shoal.adversary.scene import Scene
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from tests.papers.test_paper_000 import INCOMES, TABLE_1, TABLE_2, TABLE_3, TOTAL, policy


def scene_of(original: dict, published: dict, asked: shoal.Policy, **more: object) -> Scene:
    return Scene(
        PublishedTable(Table(pa.table(original))), PublishedTable(Table(pa.table(published))), asked, **more
    )


def test_table_3_leaves_two_candidates_to_the_total_and_one_to_the_total_and_some_attribute():
    exact, with_one = aggregate(scene_of(TABLE_1, TABLE_3, policy(TOTAL)))
    assert exact.candidates.tolist() == [2, 2, 2, 2]
    assert (exact.below, exact.promised, exact.level) == (0.0, True, "safe")
    assert with_one.candidates.tolist() == [1, 1, 1, 1]
    assert (with_one.below, with_one.promised, with_one.level) == (1.0, False, "watch")
    assert with_one.largest == with_one.expected == 1.0


def test_table_2_resists_whatever_is_known_besides():
    for result in aggregate(scene_of(TABLE_1, TABLE_2, policy(TOTAL), besides=3)):
        assert result.candidates.tolist() == [2, 2, 2, 2]
        assert result.level == "safe"


def test_the_raw_table_gives_everyone_away():
    result, _ = aggregate(Scene.raw_table(Table(pa.table(TABLE_1)), policy(TOTAL)))
    assert result.candidates.tolist() == [1, 1, 1, 1]
    assert (result.level, result.smallest, result.histogram["1"]) == ("exposed", 1, 4)


@pytest.mark.parametrize("knows", ["salary + rent", "max(salary, rent)", "salary * rent"])
def test_a_star_in_a_column_with_a_declared_domain_is_that_domain(knows):
    original = {"salary": [1, 2, 9, 9], "rent": [1, 1, 9, 8]}
    published = {"salary": ["*", "*", "9", "9"], "rent": ["1", "1", "[8, 9]", "[8, 9]"]}
    asked = shoal.Policy(
        columns=dict.fromkeys(original, "quasi"),
        guarantees=[{"kind": "kf-anonymity", "k": 2, "knows": [knows]}],
        domains={"salary": [0, 9]},
    )
    exact, *_ = aggregate(scene_of(original, published, asked))
    f = {"salary + rent": int.__add__, "max(salary, rent)": max, "salary * rent": int.__mul__}[knows]
    boxes = [[(0, 9), (1, 1)]] * 2 + [[(9, 9), (8, 9)]] * 2
    images = [{f(a, b) for a in range(x[0], x[1] + 1) for b in range(y[0], y[1] + 1)} for x, y in boxes]
    people = [f(a, b) for a, b in zip(*original.values(), strict=True)]
    ends = [(min(image), max(image)) for image in images]
    assert exact.candidates.tolist() == [sum(low <= value <= high for low, high in ends) for value in people]


def brute_force(original: dict, cells: dict, known: tuple[str, ...], names: tuple[str, ...]) -> list[int]:
    """Candidates by trying every total on the grid of every published record."""
    found = []
    for person in range(len(original["salary"])):
        total = sum(original[name][person] for name in names)
        fitting = 0
        for record in range(len(cells["salary"])):
            boxes = [
                (original[name][person],) * 2 if name in known else cells[name][record] for name in names
            ]
            inside = all(cells[name][record][0] <= original[name][person] <= cells[name][record][1]
                         for name in known)  # fmt: skip
            fitting += inside and sum(low for low, _ in boxes) <= total <= sum(high for _, high in boxes)
        found.append(fitting)
    return found


@pytest.mark.parametrize("seed", range(15))
def test_any_attributes_besides_leave_the_fewest_of_all_choices(seed):
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 12))
    original = {name: random.integers(0, 4, rows).tolist() for name in INCOMES}
    low = {name: np.maximum(np.array(original[name]) - random.integers(0, 2, rows), 0) for name in INCOMES}
    cells = {name: [(int(a), int(b) + int(c)) for a, b, c in
                    zip(low[name], original[name], random.integers(0, 2, rows), strict=True)]
             for name in INCOMES}  # fmt: skip
    shown = {name: [f"[{a}, {b}]" if a < b else str(a) for a, b in cells[name]] for name in INCOMES}
    exact, one, two = aggregate(scene_of(original, shown, policy(TOTAL), besides=2))
    assert exact.candidates.tolist() == brute_force(original, cells, (), INCOMES)
    for many, result in ((1, one), (2, two)):
        tried = [brute_force(original, cells, known, INCOMES) for known in combinations(INCOMES, many)]
        assert result.candidates.tolist() == np.min(tried, axis=0).tolist()
        assert result.success.tolist() == pytest.approx((1 / np.min(tried, axis=0)).tolist())


def test_knowing_about_is_told_apart_from_knowing_exactly():
    asked = policy(shoal.KfAnonymity(k=4, knows=["salary + gains + other"], within="0.05"))
    raw = {"salary": [100, 103, 104, 200], "gains": [0] * 4, "other": [0] * 4}
    about, exactly, *_ = aggregate(Scene.raw_table(Table(pa.table(raw)), asked))
    assert about.candidates.tolist() == [3, 3, 3, 1]
    assert exactly.candidates.tolist() == [1, 1, 1, 1]
    assert (about.promised, exactly.promised) == (True, False)


def test_people_who_left_the_table_cannot_be_found():
    scene = scene_of(TABLE_1, {name: cells[:2] for name, cells in TABLE_3.items()}, policy(TOTAL),
                     input_rows=np.array([0, 1]))  # fmt: skip
    result = next(aggregate(scene))
    assert result.candidates.tolist() == [2, 2, 0, 0]
    assert result.success.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert (result.below, result.smallest, result.histogram["0"]) == (0.0, 2, 2)


def test_stars_admit_every_total():
    starred = TABLE_3 | {"other": ["*", "105", "[200-210]", "*"]}
    result = next(aggregate(scene_of(TABLE_1, starred, policy(TOTAL))))
    assert result.candidates.tolist() == [3, 3, 3, 3]


def test_a_total_that_nobody_knows_fits_nothing():
    asked = shoal.Policy(columns={"a": "quasi", "b": "quasi"},
                         guarantees=[shoal.KfAnonymity(k=2, knows=["a + b"])])  # fmt: skip
    raw = pa.table({"a": [None, 5, 0], "b": [5, 0, 5]})
    result, _ = aggregate(Scene.raw_table(Table(raw), asked))
    assert result.candidates.tolist() == [0, 2, 2]
    zero = asked.model_copy(update={"missing": {"a": "zero"}})
    result, _ = aggregate(Scene.raw_table(Table(raw), zero))
    assert result.candidates.tolist() == [3, 3, 3]


def test_a_star_under_a_divisor_admits_everything_and_a_zero_is_refused():
    asked = shoal.Policy(columns={"a": "quasi", "b": "quasi"},
                         guarantees=[shoal.KfAnonymity(k=2, knows=["a / b"])])  # fmt: skip
    original = {"a": [4, 6, 8], "b": [2, 2, 4]}
    result = next(aggregate(scene_of(original, {"a": ["4", "6", "8"], "b": ["2", "2", "*"]}, asked)))
    assert result.candidates.tolist() == [2, 2, 2]
    with pytest.raises(shoal.ShoalError, match="can be zero"):
        list(aggregate(Scene.raw_table(Table(pa.table({"a": [1, 2], "b": [0, 1]})), asked)))
