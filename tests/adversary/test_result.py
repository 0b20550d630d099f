"""What a result says of its people."""

import json

import numpy as np
import pytest

from shoal.adversary.result import AttackResult


def result(candidates: list[int], **more: object) -> AttackResult:
    found = np.array(candidates, np.int64)
    given = {"attack": "linkage", "knows": "age", "finds": "record", "needed": 3, "promised": True,
             "people": np.arange(len(found)), "candidates": found, "population": len(found),
             "success": np.where(found > 0, 1 / np.maximum(found, 1), 0.0)}  # fmt: skip
    return AttackResult(**(given | more))


def test_figures_are_those_of_the_people_who_were_found():
    found = result([0, 1, 2, 3, 40])
    assert (found.below, found.smallest, found.median) == (0.4, 1, 2.5)
    assert found.expected == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 40) / 5)
    assert found.largest == 1.0
    assert sum(found.histogram.values()) == 5


def test_nobody_at_all_is_no_danger():
    found = result([])
    assert (found.below, found.smallest, found.median, found.expected, found.largest) == (0, 0, 0, 0, 0)
    assert found.level == "safe"


@pytest.mark.parametrize(("candidates", "promised", "level"), [
    ([3, 9], True, "safe"), ([2, 9], True, "exposed"), ([2, 9], False, "watch"), ([0, 9], True, "safe"),
])  # fmt: skip
def test_the_level_depends_on_what_was_promised(candidates, promised, level):
    assert result(candidates, promised=promised).level == level


@pytest.mark.parametrize(("right", "level"), [(250, "safe"), (330, "watch"), (700, "exposed")])
def test_guesses_are_judged_by_how_far_they_beat_chance(right, level):
    success = np.repeat([1.0, 0.0], [right, 1000 - right])
    assert result([4] * 1000, success=success, baseline=0.25, promised=False).level == level


@pytest.mark.parametrize(("right", "level"), [(60, "safe"), (144, "watch")])
def test_small_chances_are_compared_by_how_many_times_better_a_guess_is(right, level):
    success = np.repeat([1.0, 0.0], [right, 10_000 - right])
    assert result([4] * 10_000, success=success, baseline=0.006, promised=False).level == level


@pytest.mark.parametrize(("right", "level"), [(294, "safe"), (296, "watch"), (298, "exposed")])
def test_guesses_that_are_nearly_certain_are_compared_by_the_doubt_they_leave(right, level):
    success = np.repeat([1.0, 0.0], [right, 300 - right])
    assert result([4] * 300, success=success, baseline=289 / 300, promised=False).level == level


def test_margins_are_those_of_drawing_without_replacement():
    found = result([1, 1, 4, 4] * 100, population=40_000)
    spread = np.std([1, 1, 0.25, 0.25])
    assert found.margin == pytest.approx(1.96 * spread / 20 * np.sqrt(1 - 400 / 40_000))
    assert found.below_margin == pytest.approx(1.96 * 0.5 / 20 * np.sqrt(1 - 400 / 40_000))
    assert result([1, 4]).margin is None


def test_it_is_plain_json():
    content = json.loads(json.dumps(result([1, 2], population=9).as_dict()))
    assert content["attacked"] == 2
    assert content["people"] == 9
    assert content["histogram"]["1"] == 1


def test_a_notebook_shows_it_with_every_name_escaped():
    shown = result([1, 2, 40], knows="<script>alert(1)</script>", notes=("a \u202e note",))._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "linkage: exposed" in shown
    assert "<th" in shown
    assert "\u202e" not in shown


def test_nobody_among_some_is_not_nobody_at_all():
    found = result([9] * 300, population=100_000)
    assert (found.below, found.below_margin, found.level) == (0.0, 0.01, "safe")
    assert "0% ± 1%" in found.sentence()


@pytest.mark.parametrize(("baseline", "right", "level"), [
    (0.92, 1000, "exposed"), (0.92, 955, "watch"), (0.92, 921, "safe"), (1.0, 1000, "safe"),
])  # fmt: skip
def test_what_is_nearly_known_by_chance_can_still_be_given_away(baseline, right, level):
    success = np.repeat([1.0, 0.0], [right, 1000 - right])
    assert result([4] * 1000, success=success, baseline=baseline, promised=False).level == level


@pytest.mark.parametrize(("broken", "level"), [(True, "exposed"), (False, "watch")])
def test_a_promise_of_another_kind_is_judged_by_itself(broken, level):
    assert result([2, 9], baseline=0.9, broken=broken).level == level
