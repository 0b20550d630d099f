"""Windows against sliding them over every set of values."""

from fractions import Fraction
from itertools import combinations

import pytest

from shoal.adversary.attackers.similarity import similarity
from tests.adversary.scenes import KINDS, drawn, policy_of, scene_of


def apart(values: list, width: Fraction) -> int:
    """The most values that lie pairwise farther apart: each needs a window of its own."""
    for many in range(len(values), 0, -1):
        for chosen in combinations(values, many):
            if all(abs(Fraction(a) - Fraction(b)) > width for a, b in combinations(chosen, 2)):
                return many
    return 0


def is_near(value: object, own: object, width: Fraction) -> bool:
    if None in (value, own):
        return value == own
    return abs(Fraction(value) - Fraction(own)) * 2 <= width


def slow(weights: dict, total: Fraction, own: object, width: Fraction) -> tuple[int, float]:
    if not total:
        return 0, 0.0
    numbers = [value for value in weights if value is not None]
    near = [value for value in weights if is_near(value, own, width)]
    share = sum(weights[value] for value in near) / total
    return apart(numbers, width) + (None in weights), float(share)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(20))
def test_windows_hold_what_they_hold_one_by_one(kind: str, seed: int) -> None:
    given = drawn(seed, kind, numbers=True, stars=seed % 4 == 0)
    found = list(similarity(given.scene))
    numbers = [Fraction(value) for value in given.shown if value is not None]
    assert numbers, "every drawn table shows some"
    width = (max(numbers) - min(numbers)) / 20
    expected = [slow(*one, width) for one in zip(given.weights, given.totals, given.own, strict=True)]
    assert found[0].candidates.tolist() == [candidates for candidates, _ in expected]
    assert found[0].success.tolist() == pytest.approx([share for _, share in expected])


def permuted(values: list, e: int):
    asked = {"kind": "ke-anonymity", "k": 2, "e": e, "sensitive": "s"}
    policy = policy_of("ranges").model_copy(update={"guarantees": ()})
    policy = type(policy)(columns=policy.columns, guarantees=[asked])
    many = len(values)
    table = {"a": list(range(many)), "b": [0] * many, "s": values}
    (found,) = similarity(scene_of(table, {**table, "shoal_group": [0] * many}, policy))
    return found


def test_salaries_that_lie_close_together_are_known_roughly() -> None:
    """Within a tenth of e; then e is not kept."""
    found = permuted([1000, 1020, 1040, 1050], e=1000)
    assert (found.candidates.tolist(), found.promised, found.level) == ([1] * 4, True, "exposed")
    assert found.success.tolist() == [1] * 4


def test_values_that_span_e_are_not_all_similar() -> None:
    found = permuted([1000, 1020, 1500, 2000], e=1000)
    assert (found.candidates.tolist(), found.level) == ([3] * 4, "safe")
    assert found.success.tolist() == [0.5, 0.5, 0.25, 0.25]


def test_dates_are_similar_in_days() -> None:
    found = permuted(["2024-01-01", "2024-01-03", "2024-03-01", None], e=40)
    assert found.candidates.tolist() == [3] * 4
    assert found.success.tolist() == [0.5, 0.5, 0.25, 0.25]


def test_the_largest_numbers_do_not_wrap_around() -> None:
    far = 2**63 - 1
    assert permuted([-far, far, far - 1, 0], e=100).success.tolist() == [0.25, 0.5, 0.5, 0.25]


def words(values: list, hierarchy: dict | None):
    policy = policy_of("ranges", hierarchies={"s": hierarchy} if hierarchy else {})
    table = {"a": [0] * len(values), "b": [0] * len(values), "s": values}
    return list(similarity(scene_of(table, table, policy)))


def test_words_are_similar_under_one_label() -> None:
    paths = [["ulcer", "stomach", "*"], ["gastritis", "stomach", "*"], ["flu", "lungs", "*"]]
    (found,) = words(["ulcer", "gastritis", "ulcer", "*"], {"paths": paths})
    assert found.candidates.tolist() == [1] * 4
    assert found.success.tolist() == [0.75] * 3 + [0]
    (found,) = words(["ulcer", "gastritis", "flu", "flu"], {"paths": paths})
    assert (found.candidates.tolist(), found.success.tolist()) == ([2] * 4, [0.5] * 4)


def test_words_without_labels_between_are_never_similar() -> None:
    assert words(["flu", "cold"], None) == []
    assert words(["flu", "cold"], {"paths": [["flu", "*"], ["cold", "*"]]}) == []


def test_a_release_that_shows_no_number_is_measured_all_the_same() -> None:
    original = {"a": [1, 1, 9], "b": [0, 0, 0], "s": [None, None, 5]}
    published = {"a": [1, 1], "b": [0, 0], "s": [None, None]}
    for found in similarity(scene_of(original, published, policy_of("ranges"))):
        assert found.success.tolist() == [1.0, 1.0, 0.0]
