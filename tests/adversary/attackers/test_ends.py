"""Who attains a published end, against looking at every member of every class."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from shoal.adversary.attackers.ends import ends
from shoal.policy.model.policy import Policy
from tests.adversary.scenes import policy_of, scene_of


def released(random: np.random.Generator):
    """Classes of random size with the ranges of their members, sometimes wider; a few are left out."""
    people = int(random.integers(2, 25))
    known = random.integers(-3, 4, (people, 2))
    class_of = random.integers(0, max(people // 3, 1), people)
    kept = np.flatnonzero(random.random(people) < 0.9)
    if not len(kept):
        kept = np.arange(people)
    low, high = np.zeros((people, 2), int), np.zeros((people, 2), int)
    for number in np.unique(class_of):
        members = class_of == number
        low[members] = known[members].min(axis=0) - random.integers(0, 2, 2)
        high[members] = known[members].max(axis=0) + random.integers(0, 2, 2)
    link = random.permutation(kept)
    original = {"a": known[:, 0].tolist(), "b": known[:, 1].tolist()}
    published = {
        name: [{"lo": int(low[row, at]), "hi": int(high[row, at])} for row in link]
        for at, name in enumerate("ab")
    }
    return known, link, low[link], high[link], original, published


def slow(known, own_class, boxes, sizes) -> list[int]:
    """``boxes`` are, per class, the ranges of what is compared; ``known`` the values of people."""
    members = defaultdict(list)
    for person, number in enumerate(own_class):
        members[number].append(person)
    found = []
    for person, number in enumerate(own_class):
        if number is None:
            found.append(0)
            continue
        fewest = sizes[number]
        for at, (low, high) in enumerate(boxes[number]):
            for end in (low, high):
                if low < high and known[person][at] == end:
                    fewest = min(fewest, sum(known[other][at] == end for other in members[number]))
        found.append(fewest)
    return found


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("kind", ["ranges", "sum"])
@pytest.mark.parametrize("seed", range(15))
def test_ends_are_attained_as_they_are_one_by_one(seed: int, kind: str, linked: bool) -> None:
    random = np.random.default_rng(seed)
    known, link, low, high, original, published = released(random)
    policy = policy_of(kind, sensitive=False)
    found = list(ends(scene_of(original, published, policy, link=link if linked else None)))
    sums = [one.sum(axis=1, keepdims=True) for one in (known, low, high)]
    for compared in [(known, low, high), sums] if kind == "sum" else [(known, low, high)]:
        expected = expected_of(
            *compared, link if linked else None, lonely=kind == "ranges" or compared is sums
        )
        if not any(expected):
            continue
        one = found.pop(0)
        assert one.candidates.tolist() == expected
        assert one.success.tolist() == pytest.approx([1 / many if many else 0 for many in expected])
        assert bool(one.notes) != linked
    assert found == []


def expected_of(known, low, high, link, lonely: bool) -> list[int]:
    """Candidates by looking at everybody; without ``lonely``, records that are alone are no class."""
    shown = [tuple(zip(a, b, strict=True)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    boxes = {box: box for box in shown}
    sizes = {box: shown.count(box) for box in shown}
    if not any(a < b for box in boxes for a, b in box):
        return []
    own_class: list = [None] * len(known)
    if link is not None:
        for record, person in enumerate(link):
            own_class[person] = shown[record]
    else:
        fits = [[box for box in boxes if all(a <= x <= b for x, (a, b) in zip(person, box, strict=True))]
                for person in known.tolist()]  # fmt: skip
        own_class = [one[0] if len(one) == 1 else None for one in fits]
    own_class = [box if box and (lonely or sizes[box] > 1) else None for box in own_class]
    return slow(known.tolist(), own_class, boxes, sizes)


def test_the_oldest_of_a_class_is_named_by_its_range() -> None:
    ages = [30, 31, 31, 40]
    table = {"a": [{"lo": 30, "hi": 40}] * 4, "b": [0] * 4}
    policy = policy_of("ranges", sensitive=False)
    (found,) = ends(scene_of({"a": ages, "b": [0] * 4}, table, policy, link=[3, 2, 1, 0]))
    assert found.candidates.tolist() == [1, 4, 4, 1]
    assert (found.figures["alone"], found.level) == (2, "watch")


def test_common_ranges_show_ends_to_those_who_know_totals_too() -> None:
    """Nobody attains an end of the sum, but everybody one of a column."""
    table = {"a": [{"lo": 1, "hi": 9}] * 4, "b": [{"lo": 2, "hi": 5}] * 4}
    original = {"a": [1, 9, 9, 4], "b": [4, 3, 3, 2]}
    cells, sums = ends(scene_of(original, table, policy_of("sum", sensitive=False), link=[0, 1, 2, 3]))
    assert (cells.candidates.tolist(), cells.figures["alone"]) == ([1, 2, 2, 1], 2)
    assert (sums.candidates.tolist(), sums.figures["attain_an_end"]) == ([4] * 4, 0)


def test_rounded_ranges_and_labels_show_no_end() -> None:
    policy = policy_of("ranges", sensitive=False, hierarchies={"a": {"intervals": [20]}})
    original = {"a": [30, 31, 31, 39], "b": [0] * 4}
    assert list(ends(scene_of(original, {"a": ["[20, 39]"] * 4, "b": [0] * 4}, policy))) == []
    policy = policy_of("ranges", sensitive=False)
    (found,) = ends(scene_of(original, {"a": ["[20, 45]"] * 4, "b": [0] * 4}, policy))
    assert (found.candidates.tolist(), found.figures["attain_an_end"]) == ([4] * 4, 0)


def test_a_raw_table_has_no_ranges() -> None:
    table = {"a": [1, 2], "b": [0, 0]}
    assert list(ends(scene_of(table, table, policy_of("ranges", sensitive=False), raw=True))) == []


def test_too_many_people_need_the_link() -> None:
    table = {"a": [{"lo": 1, "hi": 2}] * 2, "b": [{"lo": 0, "hi": 1}] * 2}
    given = scene_of({"a": [1, 2], "b": [0, 1]}, table, policy_of("ranges", sensitive=False))
    assert len(list(ends(given))) == 1
    assert list(ends(replace(given, most_people=1))) == []
    assert len(list(ends(replace(given, most_people=1, input_rows=np.array([1, 0]))))) == 1


@pytest.mark.parametrize("knows", ["a + b", "a * b", "norm(a, b)", "a / b"])
def test_ends_of_any_aggregate_are_seen(knows: str) -> None:
    asked = {"kind": "kf-anonymity", "k": 2, "knows": [knows]}
    policy = Policy(columns={"a": "quasi", "b": "quasi"}, guarantees=[asked])
    table = {"a": [{"lo": 1, "hi": 9}] * 4, "b": [1] * 4}
    *_, sums = ends(scene_of({"a": [1, 2, 5, 9], "b": [1] * 4}, table, policy, link=[0, 1, 2, 3]))
    assert (sums.candidates.tolist(), sums.figures["alone"]) == ([1, 4, 4, 1], 2)
