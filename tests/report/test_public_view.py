"""What the public view lets through: good figures of promises, nothing about single people."""

from typing import Any

import numpy as np
import pytest

from shoal.adversary.result import AttackResult
from shoal.report.public_view import public_attack, public_verdict
from shoal.verify.verdict import Verdict


@pytest.mark.parametrize(
    ("figure", "asked", "good", "bad"),
    [("k", 5, 5, 4), ("l", 2.5, 3, 2), ("e", "1000", 1000, 999.5), ("t", "0.2", 0.2, 0.21), ("c", 3, 2, 3.5)],
)
def test_a_figure_is_shown_where_it_is_at_least_as_good_as_asked(
    figure: str, asked: Any, good: float, bad: float
) -> None:
    for found, expected in ((good, good), (bad, "not shown"), (None, "not shown")):
        verdict = Verdict(
            "some", found == good, {figure: asked}, {figure: found, "classes": 9}, "Nine!", (1,)
        )
        seen = public_verdict(verdict, "all is well")
        assert seen.achieved == {figure: expected}
        assert seen.worst == seen.notes == ()
        assert "Nine" not in seen.sentence


def test_a_sentence_of_its_own_is_shown_only_of_checks_that_hold() -> None:
    fine = Verdict("truth", True, {}, {"untrue_records": 0, "decided": False}, "Nothing contradicts it.")
    assert public_verdict(fine, None).sentence == "Nothing contradicts it."
    assert public_verdict(fine, None).achieved == {"decided": False}
    false = Verdict("truth", False, {}, {"untrue_records": 7}, "7 records are untrue.")
    assert public_verdict(false, None).sentence == "Not all that was published is true to the original."


@pytest.mark.parametrize("baseline", [None, 0.1])
@pytest.mark.parametrize("candidates", [1, 50])
def test_of_an_attack_only_its_level_is_left(candidates: int, baseline: float | None) -> None:
    found = np.full(31_337, candidates)
    result = AttackResult("linkage", "age", "record", 5, False, found, found, 1 / found, 31_337, baseline)
    seen = public_attack(result.as_dict())
    assert seen["level"] == result.level
    assert set(seen) == {"attack", "knows", "finds", "promised", "level", "needed", "sentence", "notes"}
    assert "31" not in seen["sentence"]
    assert ("not shown" in seen["sentence"]) is (result.level != "safe")
