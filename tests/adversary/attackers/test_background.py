"""Values to rule out, against trying every set of them."""

from fractions import Fraction
from itertools import combinations

import pytest

from shoal.adversary.attackers.background import background
from tests.adversary.scenes import KINDS, drawn, own_shares, policy_of, scene_of


def slow(weights: dict[object, Fraction], total: Fraction, own: object) -> int:
    if own not in weights:
        return 0
    others = [weight for value, weight in weights.items() if value != own]
    for many in range(len(others) + 1):
        left = [total - sum(gone) for gone in combinations(others, many)]
        if any(20 * weights[own] > 19 * rest for rest in left):
            return many + 1
    return len(others) + 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_no_fewer_values_will_do(kind: str, seed: int) -> None:
    given = drawn(seed, kind, numbers=seed % 2 == 1, stars=seed % 5 == 0)
    found, *_ = background(given.scene)
    expected = [slow(*one) for one in zip(given.weights, given.totals, given.own, strict=True)]
    assert found.candidates.tolist() == expected
    assert found.success.tolist() == pytest.approx(own_shares(given))


def one_class(values: list[str], *guarantees: dict):
    many = len(values)
    published = {"a": [{"lo": 0, "hi": 9}] * many, "b": [{"lo": 0, "hi": 0}] * many, "s": values}
    original = {"a": [at % 10 for at in range(many)], "b": [0] * many, "s": values}
    (found,) = background(scene_of(original, published, policy_of("ranges", *guarantees)))
    return found


def test_who_knows_that_heart_disease_is_rare_learns_the_rest() -> None:
    found = one_class(["heart", "heart", "virus", "virus"])
    assert found.candidates.tolist() == [2] * 4
    assert (found.level, found.figures["certain_with_one_more"]) == ("safe", 4)


def test_a_value_of_nearly_all_is_certain_already() -> None:
    """Exactly 95 % is not beyond it."""
    assert one_class(["x"] * 19 + ["y"]).candidates.tolist() == [2] * 20
    found = one_class(["x"] * 20 + ["y"], {"kind": "l-diversity", "l": 2, "sensitive": "s"})
    assert found.candidates.tolist() == [1] * 20 + [2]
    assert (found.promised, found.level) == (False, "watch")


def test_recursive_diversity_resists_as_long_as_it_promises() -> None:
    asked = {"kind": "l-diversity", "variant": "recursive", "l": 3, "c": 2, "sensitive": "s"}
    found = one_class(["x", "x", "y", "y", "z", "z"], asked)
    assert (found.needed, found.promised, found.level, found.smallest) == (3, True, "safe", 3)
    found = one_class(["x", "x", "y", "y"], asked)
    assert found.level == "exposed"
    assert not one_class(["x", "y"], {**asked, "c": 20}).promised
