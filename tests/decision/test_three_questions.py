"""Every question has an answer, as bad as the worst that was found about it."""

from typing import Any

import pytest

from shoal.decision.sentence import Sentence
from shoal.decision.three_questions import answers
from shoal.verify.verdict import Verdict


def attack(name: str, level: str, finds: str = "record") -> dict[str, Any]:
    return {"attack": name, "level": level, "finds": finds}


def promise(kind: str, holds: bool) -> Verdict:
    return Verdict(kind, holds, {}, {}, "")


@pytest.mark.parametrize(
    ("verdicts", "attacks", "levels"),
    [
        ([], [], ["not measured"] * 3),
        ([promise("k-anonymity", True)], [], ["not measured"] * 3),
        ([promise("k-anonymity", False)], [], ["exposed", "not measured", "not measured"]),
        ([promise("alpha-k-anonymity", True)], [], ["not measured"] * 3),
        ([], [attack("linkage", "watch")], ["watch", "watch", "not measured"]),
        (
            [],
            [attack("composition", "exposed"), attack("linkage", "safe")],
            ["safe", "exposed", "not measured"],
        ),
        ([], [attack("minimality", "watch")], ["watch", "not measured", "not measured"]),
        ([], [attack("minimality", "watch", "value")], ["not measured", "not measured", "watch"]),
        (
            [promise("t-closeness", True)],
            [attack("skewness", "watch", "value")],
            ["not measured"] * 2 + ["watch"],
        ),
        (
            [],
            [attack("definetti", "exposed", "value"), attack("background", "safe", "value")],
            ["not measured"] * 2 + ["exposed"],
        ),
    ],
)
def test_a_question_is_answered_by_what_is_about_it(
    verdicts: list[Verdict], attacks: list[dict[str, Any]], levels: list[str]
) -> None:
    found = answers(verdicts, attacks, sensitive=True)
    assert [answer.level for answer in found] == levels
    assert all(("Not measured." in answer.text) is (answer.level == "not measured") for answer in found)


def test_where_no_column_is_declared_sensitive_inference_is_not_assessed() -> None:
    found = answers([], [], sensitive=False)[-1]
    assert (found.level, "no column is declared sensitive" in found.text) == ("not measured", True)
    assert answers([], [attack("homogeneity", "exposed", "value")], sensitive=False)[-1].level == "exposed"


@pytest.mark.parametrize(
    ("verdicts", "level"),
    [([], "watch"), ([promise("k-anonymity", True)], "watch"), ([promise("k-anonymity", False)], "exposed")],
)
def test_what_singles_out_without_an_attack_is_told_with_singling_out(
    verdicts: list[Verdict], level: str
) -> None:
    beside = [Sentence("cost is published exactly.", "watch")]
    singling, linkability, _ = answers(verdicts, [], sensitive=True, beside=beside)
    assert (singling.level, linkability.level) == (level, "not measured")
    assert singling.text.endswith("cost is published exactly.")
    assert "Not measured." not in singling.text
