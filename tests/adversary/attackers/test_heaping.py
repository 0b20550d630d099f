"""Weights of hidden totals against going through every record, and a release that heaping undoes."""

from fractions import Fraction
from functools import reduce
from math import gcd

import numpy as np
import pyarrow as pa
import pytest

from shoal.adversary.attackers.heaping import SEEN, heaping
from shoal.adversary.scene import Scene
from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable

LEVELS = (1000, 500, 100, 50, 10, 5, 1)


def level_of(value: Fraction) -> int:
    return next((at for at, step in enumerate(LEVELS) if value % step == 0), len(LEVELS) - 1)


def scene_of(boxes, people, knows="a + b", link=None, decimals: int = 0, **more) -> Scene:
    """``boxes`` per record: a pair of ends for a and for b; all in units of 10 ** -decimals."""
    kind = pa.decimal128(20, decimals)
    number = lambda units: Fraction(units, 10**decimals)  # noqa: E731
    text = lambda units: f"{float(number(units)):.{decimals}f}"  # noqa: E731
    published = {
        name: [text(box[at][0]) if box[at][0] == box[at][1] else f"[{text(box[at][0])}, {text(box[at][1])}]"
               for box in boxes]
        for at, name in enumerate("ab")
    }  # fmt: skip
    original = {name: pa.array([text(one[at]) for one in people]).cast(kind) for at, name in enumerate("ab")}
    asked = {"kind": "kf-anonymity", "k": 2, "knows": [knows], **more}
    policy = Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[asked, {"kind": "k-anonymity", "k": 2}])
    rows = None if link is None else np.array(link)
    before, after = (PublishedTable(Table(pa.table(columns))) for columns in (original, published))
    return Scene(before, after, policy, input_rows=rows)


def plausibilities(boxes, people, weights, decimals):
    """Of every person the records that fit and how plausible each is, from the definition."""
    unit = 10**decimals
    opened = [at for at in range(2) if any(box[at][0] < box[at][1] for box in boxes)]
    exact = [[box[at][0] for box in boxes if box[at][0] == box[at][1]] for at in range(2)]
    seen = np.ones(len(LEVELS))
    for at in opened:
        for value in exact[at]:
            if value:
                seen[level_of(Fraction(value, unit))] += 1
    chance = np.bincount([level_of(Fraction(value)) for value in range(1, 1001)], minlength=len(LEVELS))
    likely = seen / seen.sum() / (chance / 1000)
    grids = [reduce(gcd, values) if len([v for v in values if v]) >= SEEN else 1 for values in exact]
    found = []
    for person in people:
        total = sum(weight * value for weight, value in zip(weights, person, strict=True))
        plausible = {}
        for record, box in enumerate(boxes):
            ends = [sorted(weight * end for end in pair) for weight, pair in zip(weights, box, strict=True)]
            if not sum(low for low, _ in ends) <= total <= sum(high for _, high in ends):
                continue
            open_here = [at for at in range(2) if box[at][0] < box[at][1]]
            hidden = total - sum(weights[at] * box[at][0] for at in range(2) if at not in open_here)
            if not open_here:
                plausible[record] = 1.0
                continue
            step = reduce(gcd, [weights[at] * grids[at] for at in open_here])
            natural = Fraction(hidden, unit * reduce(gcd, [weights[at] for at in open_here]))
            plausible[record] = likely[level_of(natural)] if hidden % step == 0 else 0.0
        found.append(plausible)
    return found


def slow(boxes, people, weights, link, decimals):
    """Candidates and success of every person, among all that fit."""
    found = []
    for who, plausible in enumerate(plausibilities(boxes, people, weights, decimals)):
        whole = sum(plausible.values()) or 1.0
        if link is None:
            right = sum((weight / whole) ** 2 for weight in plausible.values())
        else:
            mine = link.index(who) if who in link else -1
            right = plausible.get(mine, 0.0) / whole
        found.append((sum(weight > 0 for weight in plausible.values()), right))
    return found


def image(box, weights) -> tuple[int, int]:
    ends = [sorted(weight * end for end in pair) for weight, pair in zip(weights, box, strict=True)]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def by_readings(boxes, people, weights, link) -> dict[str, list[float]]:
    """The success of everybody who was published, by every reading of the records that fit."""
    images = [image(box, weights) for box in boxes]
    width = [high - low + 1 for low, high in images]
    found: dict[str, list[float]] = {"all": [], "narrowest": [], "by volume": [], "own": []}
    for who, plausible in enumerate(plausibilities(boxes, people, weights, 0)):
        if who not in link:
            continue
        own = link.index(who)
        least = min(width[at] for at in plausible)
        read = {
            "all": plausible,
            "narrowest": {at: weight for at, weight in plausible.items() if width[at] == least},
            "by volume": {at: weight / width[at] for at, weight in plausible.items()},
            "own": {at: weight for at, weight in plausible.items() if images[at] == images[own]},
        }
        for name, left in read.items():
            found[name].append(left.get(own, 0.0) / (sum(left.values()) or 1.0))
    return found


@pytest.mark.parametrize("seed", range(25))
def test_no_reading_of_what_fits_does_better_than_is_reported(seed: int) -> None:
    random = np.random.default_rng(100 + seed)
    step = int(random.choice([1, 5, 50]))
    people = (random.integers(-4, 8, (30, 2)) * step).tolist()
    link = random.permutation(30)[: int(random.integers(20, 31))].tolist()
    boxes = []
    for row in link:
        box = [(value, value) for value in people[row]]
        at, reach = int(random.integers(0, 2)), step * int(random.integers(1, 4))
        box[at] = (box[at][0] // reach * reach, box[at][0] // reach * reach + reach)
        boxes.append(box)
    (found,) = heaping(scene_of(boxes, people, link=link))
    achieved = by_readings(boxes, people, (1, 1), link)
    assert found.expected >= max(sum(one) for one in achieved.values()) / len(people) - 1e-9
    assert found.largest >= max(map(max, achieved.values())) - 1e-9
    by_name = {one.name: one for one in found.all_readings}
    assert by_name["own class"].mean == pytest.approx(sum(achieved["own"]) / len(people))
    (unlinked,) = heaping(scene_of(boxes, people))
    by_name = {one.name: one for one in unlinked.all_readings}
    assert by_name["own class"].mean >= by_name["all that fit"].mean - 1e-9


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    ("knows", "weights"), [("a + b", (1, 1)), ("a + 2 * b", (1, 2)), ("3 * a - 2 * b", (3, -2))]
)
@pytest.mark.parametrize("decimals", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_the_definition(seed, decimals, knows, weights, linked) -> None:
    random = np.random.default_rng(seed)
    step = int(random.choice([1, 5, 50]))
    people = (random.integers(-4, 8, (40, 2)) * step).tolist()
    link = random.permutation(40)[:36].tolist()
    boxes = []
    for row in link:
        box = [[value, value] for value in people[row]]
        for at in random.choice(2, random.integers(0, 3), replace=False):
            box[at] = [box[at][0] - int(random.integers(0, 40)), box[at][1] + int(random.integers(0, 40))]
        boxes.append([tuple(pair) for pair in box])
    link = link if linked else None
    (found,) = heaping(scene_of(boxes, people, knows, link, decimals))
    expected = slow(boxes, people, weights, link, decimals)
    assert found.candidates.tolist() == [candidates for candidates, _ in expected]
    assert found.success.tolist() == pytest.approx([success for _, success in expected])
    assert not found.promised


def opened(people: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """One cell of each record is opened, so that its F holds everybody's total; the other one is exact."""
    totals = [sum(person) for person in people]
    least, most = min(totals), max(totals)
    return [
        [(least - b, most - b), (b, b)] if at % 2 else [(a, a), (least - a, most - a)]
        for at, (a, b) in enumerate(people)
    ]


def test_who_rounds_is_found_where_every_record_fits() -> None:
    """Everybody's a is a multiple of 1000: under an opened one only the right total leaves such a number."""
    random = np.random.default_rng(1)
    thousands = random.integers(1, 9, 60).tolist()
    people = [(a * 1000, b) for a, b in zip(thousands, range(1001, 1961, 16), strict=True)]
    (found,) = heaping(scene_of(opened(people), people, link=list(range(60))))
    assert found.figures["by_chance"] == pytest.approx(1 / 60, abs=1e-6)
    assert found.figures["gain"] > 10
    assert found.figures["ruled_out"] > 0.4
    assert found.largest > 0.9


def test_who_does_not_round_hides_among_all() -> None:
    random = np.random.default_rng(3)
    people = [tuple(one) for one in random.integers(1000, 9000, (200, 2)).tolist()]
    (found,) = heaping(scene_of(opened(people), people, link=list(range(200))))
    assert found.figures["gain"] == pytest.approx(1, abs=0.15)
    assert found.figures["ruled_out"] == 0
    assert found.level == "safe"


def test_values_off_the_grid_are_impossible() -> None:
    """All exact cells of a are multiples of 50; a record under whose range 120 would lie is not the one."""
    people = [(50 * at, 50 * (40 - at)) for at in range(1, 31)] + [(50, 100)]
    boxes = [[(a, a), (0, 4000)] for a, _ in people[:-1]] + [[(20, 190), (30, 30)]]
    (found,) = heaping(scene_of(boxes, people))
    assert found.candidates[-1] == 3  # 50 + 100, 100 + 50, 150 + 0


def test_several_aggregates_products_and_raw_tables_are_left_alone() -> None:
    boxes, people = [[(1, 1), (0, 3)]] * 2, [(1, 1), (1, 2)]
    assert list(heaping(scene_of(boxes, people, "a * b"))) == []
    scene = scene_of(boxes, people)
    assert list(heaping(Scene.raw_table(scene.original.table, scene.policy))) == []
    assert list(heaping(scene_of([[(1, 1), (1, 1)]] * 2, people))) == []
