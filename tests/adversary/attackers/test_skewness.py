"""Shares and distances against their definitions, and against the verifier of t-closeness."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shoal.adversary.attackers.skewness import skewness
from shoal.policy.model.guarantee import TCloseness
from shoal.verify.verifiers import verify_guarantee
from tests.adversary.scenes import KINDS, Drawn, drawn, own_shares, policy_of, scene_of


def in_order(values) -> list:
    numbers = sorted(value for value in values if value is not None)
    return numbers + [value for value in values if value is None]


def slow(given: Drawn, numbers: bool) -> list[tuple[float, float, float, float]]:
    """Of every person: largest ratio, own ratio, equal and ordered distance."""
    counts = Counter(given.shown)
    whole = {value: Fraction(count, len(given.shown)) for value, count in counts.items()}
    found = []
    for weights, own in zip(given.weights, given.own, strict=True):
        told = sum(weights.values())
        if not told:
            found.append((0.0, 0.0, 0.0, 0.0))
            continue
        share = {value: weights.get(value, Fraction(0)) / told for value in whole}
        over = [share[value] - whole[value] for value in in_order(whole)] if numbers else [
            share[value] - whole[value] for value in whole
        ]  # fmt: skip
        ratio = max(share[value] / whole[value] for value in whole)
        own_ratio = share[own] / whole[own] if own in whole else 0
        equal = sum(map(abs, over)) / 2
        steps = [abs(sum(over[: at + 1])) for at in range(len(over))]
        found.append((ratio, own_ratio, equal, sum(steps) / max(len(over) - 1, 1)))
    return [tuple(map(float, one)) for one in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(16))
def test_ratios_and_distances_are_those_of_their_definitions(kind: str, seed: int) -> None:
    numbers = seed % 2 == 1
    given = drawn(seed, kind, numbers=numbers, stars=seed % 4 == 2)
    found, *_ = skewness(given.scene)
    expected = np.array(slow(given, numbers))[[bool(weights) for weights in given.weights]]
    assert found.success.tolist() == pytest.approx(own_shares(given))
    figures = found.figures["ratio"], found.figures["own_ratio"], *found.figures["distance"].values()
    assert len(figures) == 3 + numbers
    for figure, column in zip(figures, expected.T, strict=False):
        assert figure["largest"] == pytest.approx(max(column, default=0), abs=1e-6)
        assert figure["mean"] == pytest.approx(np.mean(column) if len(column) else 0, abs=1e-6)
    by_chance = []
    for records, own in zip(given.behind, given.own, strict=True):
        share = given.shown.count(own) / max(len(given.shown), 1)
        by_chance.append(1 / records + (1 - 1 / records) * share if records else 0)
    assert found.baseline == pytest.approx(np.mean(by_chance))


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@pytest.mark.parametrize("seed", range(8))
def test_the_largest_distance_is_the_one_that_the_verifier_finds(seed: int, distance: str) -> None:
    asked = {"kind": "t-closeness", "t": "0.4", "sensitive": "s", "distance": distance}
    scene = drawn(seed, "raw", asked, numbers=True).scene
    (found,) = skewness(scene)
    verdict = verify_guarantee(scene.published, TCloseness(**asked), scene.policy)
    assert found.figures["distance"][distance]["largest"] == pytest.approx(verdict.achieved["t"], abs=1e-6)
    assert found.figures["asked"] == [{"t": 0.4, "distance": distance, "kept": verdict.holds}]


def two_classes(values: list[str]):
    boxes = [{"lo": 0, "hi": 4}] * 20 + [{"lo": 5, "hi": 9}] * 20
    nothing = [0] * 40
    original = {"a": [at // 4 for at in range(40)], "b": nothing, "s": values}
    published = {"a": boxes, "b": nothing, "s": values}
    (found,) = skewness(scene_of(original, published, policy_of("ranges")))
    return found


def test_a_class_that_is_not_spread_like_all_tells_something() -> None:
    found = two_classes(["x"] * 19 + ["y"] + ["x"] + ["y"] * 19)
    assert found.figures["distance"]["equal"]["largest"] == 0.45
    assert (found.baseline, found.expected, found.level) == (0.525, pytest.approx(0.905), "exposed")


def test_a_class_that_is_spread_like_all_tells_nothing() -> None:
    found = two_classes((["x"] * 15 + ["y"] * 5) * 2)
    assert found.figures["ratio"]["largest"] == 1
    assert found.figures["distance"]["equal"]["largest"] == 0
    assert found.level == "safe"


@pytest.mark.parametrize(("t", "broken"), [("0.1", True), ("0.2", False)])
def test_a_broken_promise_of_closeness_is_exposed(t: str, broken: bool) -> None:
    values = ["x"] * 16 + ["y"] * 4 + ["x"] * 8 + ["y"] * 12
    asked = {"kind": "t-closeness", "t": t, "sensitive": "s"}
    original = {"a": [0] * 20 + [9] * 20, "b": [0] * 40, "s": values}
    (found,) = skewness(scene_of(original, original, policy_of("raw", asked), raw=True))
    assert found.figures["distance"]["equal"]["largest"] == pytest.approx(0.2)
    assert (found.promised, found.figures["asked"][0]["kept"], found.level == "exposed") == (
        True, not broken, broken,
    )  # fmt: skip
