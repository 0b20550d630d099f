"""The values of the records that fit, against counting them one by one."""

import numpy as np
import pytest

from shoal.adversary.attackers.homogeneity import homogeneity
from shoal.adversary.scene import Scene
from tests.adversary.scenes import KINDS, drawn, own_shares, policy_of, scene_of
from tests.papers import test_paper_002 as paper

RANGES = {"a": [{"lo": 1, "hi": 2}] * 2 + [{"lo": 5, "hi": 6}] * 2, "b": [{"lo": 0, "hi": 0}] * 4}
KNOWN = {"a": [1, 2, 5, 6], "b": [0, 0, 0, 0]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(16))
def test_values_are_counted_as_they_are_one_by_one(kind: str, seed: int) -> None:
    given = drawn(seed, kind, numbers=seed % 2 == 1, stars=seed % 4 >= 2)
    found, *_ = homogeneity(given.scene)
    assert found.candidates.tolist() == [len(weights) for weights in given.weights]
    assert found.success.tolist() == pytest.approx(own_shares(given))
    largest = [float(max(weights.values(), default=0) / (total or 1))
               for weights, total in zip(given.weights, given.totals, strict=True)]  # fmt: skip
    assert found.figures["largest_share"] >= max(largest) - 1e-6
    assert found.figures["people_homogeneous"] >= sum(share > 1 - 1e-9 for share in largest)
    assert found.finds == "value"


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_people_at_a_time_are_as_good_as_all_at_once(kind: str, monkeypatch) -> None:
    given = drawn(7, kind)
    whole, *_ = homogeneity(given.scene)
    monkeypatch.setattr("shoal.adversary.beliefs.value_beliefs.AT_ONCE", 2)
    found, *_ = homogeneity(given.scene)
    assert found.candidates.tolist() == whole.candidates.tolist()
    assert found.success.tolist() == whole.success.tolist()


@pytest.mark.parametrize("seed", range(16))
def test_a_sweep_over_sums_counts_the_same(seed: int, monkeypatch) -> None:
    monkeypatch.setattr("shoal.adversary.matching.record_matches.MOST_PAIRS", 0)
    monkeypatch.setattr("shoal.adversary.beliefs.value_beliefs.AT_ONCE", 6)
    given = drawn(seed, "sum", numbers=seed % 2 == 1, stars=seed % 4 >= 2)
    found, *_ = homogeneity(given.scene)
    assert found.candidates.tolist() == [len(weights) for weights in given.weights]
    assert found.success.tolist() == pytest.approx(own_shares(given))


def test_one_value_in_a_class_is_everybodys() -> None:
    policy = policy_of("ranges", {"kind": "l-diversity", "l": 2, "sensitive": "s"})
    published = {**RANGES, "s": ["x", "x", "y", "z"]}
    (found,) = homogeneity(scene_of({**KNOWN, "s": ["x", "x", "y", "z"]}, published, policy))
    assert found.candidates.tolist() == [1, 1, 2, 2]
    assert found.success.tolist() == [1, 1, 0.5, 0.5]
    assert (found.level, found.below, found.figures["homogeneous_classes"]) == ("exposed", 0.5, 1)
    assert found.figures["records_in_them"] == 2


def test_diverse_classes_resist_and_what_is_not_promised_is_only_watched() -> None:
    published = {**RANGES, "s": ["x", "y", "y", "x"]}
    original = {**KNOWN, "s": ["x", "y", "y", "x"]}
    policy = policy_of("ranges", {"kind": "l-diversity", "l": 2, "sensitive": "s"})
    (found,) = homogeneity(scene_of(original, published, policy))
    assert (found.level, found.smallest, found.expected) == ("safe", 2, 0.5)
    (found,) = homogeneity(scene_of(original, {**RANGES, "s": ["x", "x", "y", "z"]}, policy_of("ranges")))
    assert (found.level, found.promised, found.needed) == ("watch", False, 2)


def test_who_was_left_out_has_no_value_there() -> None:
    published = {name: column[:2] for name, column in {**RANGES, "s": ["x", "x"]}.items()}
    policy = policy_of("ranges")
    (found,) = homogeneity(scene_of({**KNOWN, "a": [1, 2, 1, 6], "s": ["x"] * 4}, published, policy,
                                    link=[0, 1]))  # fmt: skip
    assert found.success.tolist() == [1, 1, 0, 0]
    assert found.candidates.tolist() == [1, 1, 1, 0]


def test_means_lead_to_the_nearest_class() -> None:
    policy = policy_of("ranges", method={"name": "mdav"})
    original = {"a": [0, 2, 10, 12], "b": [0, 0, 0, 0], "s": ["x", "x", "y", "z"]}
    published = {"a": [1, 1, 11, 11], "b": [0, 0, 0, 0], "s": ["x", "x", "y", "z"]}
    (found,) = homogeneity(scene_of(original, published, policy))
    assert found.candidates.tolist() == [1, 1, 2, 2]
    halfway = {**original, "a": [0, 6, 10, 12]}
    (found,) = homogeneity(scene_of(halfway, published, policy))
    assert found.candidates.tolist() == [1, 3, 2, 2]
    assert found.success[1] == 0.5


def test_people_are_drawn_where_there_are_too_many() -> None:
    given = drawn(3, "ranges")
    scene = Scene(given.scene.original, given.scene.published, given.scene.policy, most_people=2, seed=1)
    (found,) = homogeneity(scene)
    assert found.sampled
    expected = np.array([len(weights) for weights in given.weights])[found.people]
    assert found.candidates.tolist() == expected.tolist()


def test_bobs_class_is_found_and_named_without_its_value() -> None:
    """The 4-anonymous inpatients: nobody in the class of Bob has anything but cancer."""
    ways = {
        "zip": {row[0]: (row[0][:3] + "**" if row[0][:2] == "13" else row[0][:4] + "*", "*")
                for row in paper.INPATIENTS},
        "age": {row[1]: ("< 30" if row[1] < "30" else "3*" if row[1] < "40" else ">= 40", "*")
                for row in paper.INPATIENTS},
        "nationality": {row[2]: ("*",) for row in paper.INPATIENTS},
    }  # fmt: skip
    hierarchies = {
        name: {"paths": [[leaf, *labels] for leaf, labels in way.items()]} for name, way in ways.items()
    }
    policy = paper.policy({"kind": "k-anonymity", "k": 4}, hierarchies=hierarchies)
    tables = [paper.frame(rows).to_pydict() for rows in (paper.INPATIENTS, paper.FOUR_ANONYMOUS)]
    (found,) = homogeneity(scene_of(*tables, policy))
    assert found.candidates.tolist() == [2] * 4 + [3] * 4 + [1] * 4
    assert found.figures["homogeneous_classes"] == 1
    assert found.figures["people_homogeneous"] == 4
    worst = found.figures["worst"][0]
    assert (worst["records"], worst["share"], worst["in_the_release"]) == (4, 1.0, "rows 9, 10, 11, 12")
    assert "Cancer" not in str(found.as_dict())
