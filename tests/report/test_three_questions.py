"""Every question has an answer, as bad as the worst that was found about it."""

from typing import Any

import pytest

from shoal.report.three_questions import answers
from shoal.verify.verdict import Verdict


def attack(name: str, level: str, finds: str = "record") -> dict[str, Any]:
    return {"attack": name, "level": level, "finds": finds}


def promise(kind: str, holds: bool) -> Verdict:
    return Verdict(kind, holds, {}, {}, "")


@pytest.mark.parametrize(
    ("verdicts", "attacks", "levels"),
    [
        ([], [], ["not measured"] * 3),
        ([promise("k-anonymity", True)], [], ["safe", "not measured", "not measured"]),
        ([promise("k-anonymity", False)], [], ["exposed", "not measured", "not measured"]),
        ([promise("alpha-k-anonymity", True)], [], ["safe", "not measured", "safe"]),
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


def test_where_nothing_is_sensitive_nothing_can_be_inferred() -> None:
    assert [answer.level for answer in answers([], [], sensitive=False)][-1] == "safe"
    assert answers([], [attack("homogeneity", "exposed", "value")], sensitive=False)[-1].level == "exposed"
