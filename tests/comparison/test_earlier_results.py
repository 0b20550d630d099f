"""What was tried and made, weighed by the policy as it is written now."""

from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pytest

from shoal.comparison.compare import (
    ComparisonFigures,
    ComparisonResult,
    compare,
    comparison_figures,
    with_method_name,
)
from shoal.comparison.earlier_results import EarlierRelease, EarlierTrial, rows_of_earlier_results
from shoal.comparison.recommend import families, recommend
from shoal.comparison.strictness import differ_in_degree
from shoal.comparison.vary import policy_with_parameters
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import plain_mapping
from shoal.release.release import anonymize_in_memory
from shoal.report.charts.comparison_chart import ComparisonChart
from shoal.report.charts.inline_svg import inline_svg
from shoal.report.charts.loss_charts import MADE, frontier_points
from shoal.web.forms.policy_edit import with_method, with_parameters

AGES = pa.table({"age": [30, 31, 32, 40, 50, 51, 52, 53, 90], "pay": [1, 2, 3, 1, 2, 3, 1, 2, 3]})


def asking(k: int, role: str = "sensitive", **method: Any) -> Policy:
    asked = [{"kind": "k-anonymity", "k": k}]
    return Policy(
        columns={"age": "quasi", "pay": role}, guarantees=asked, method={"name": "mondrian", **method}
    )


@pytest.fixture(scope="module")
def tried() -> list[ComparisonResult]:
    return compare(AGES, {"p": asking(3)}, [2, 3, 99], ["mondrian"])


def test_rows_survive_being_written_down(tried: list[ComparisonResult]) -> None:
    for row in tried:
        figures = None if row.figures is None else ComparisonFigures(**asdict(row.figures))
        again = ComparisonResult.from_dict(row.as_dict(), figures)
        assert again.as_dict() == row.as_dict()
        assert (again.holds, again.infeasible, again.label) == (row.holds, row.infeasible, row.label)


def test_what_a_row_is_worth_follows_the_policy_of_today(tried: list[ComparisonResult]) -> None:
    seen = [EarlierTrial(row, asking(3)) for row in tried]
    assert [row.as_written for row in rows_of_earlier_results(asking(3), seen)] == [False, True, True]
    assert [row.as_written for row in rows_of_earlier_results(asking(2), seen)] == [True, True, True]
    today = asking(2)
    (chosen,) = recommend(rows_of_earlier_results(today, seen), {"policy": today})
    assert chosen.place == 0


def test_other_promises_are_not_weighed(tried: list[ComparisonResult]) -> None:
    today = asking(3, role="other")
    rows = rows_of_earlier_results(today, [EarlierTrial(row, asking(3)) for row in tried])
    assert {row.policy for row in rows} == {"another policy"}
    (chosen,) = recommend(rows, {"policy": today})
    assert chosen.place is None


def test_a_release_that_was_made_stands_beside_what_was_tried(tried: list[ComparisonResult]) -> None:
    release = anonymize_in_memory(AGES, asking(3))
    figures = comparison_figures(release)
    assert figures == comparison_figures(release, release.verdicts)
    made = EarlierRelease("run 7", asking(3), "mondrian", figures)
    rows = rows_of_earlier_results(asking(3), [made, *(EarlierTrial(row, asking(3)) for row in tried)])
    assert rows[0].label == "run 7: mondrian, k = 3"
    assert rows[0].figures is not None
    assert rows[2].figures is not None
    assert (rows[0].figures.ncp, rows[0].figures.risk) == (rows[2].figures.ncp, rows[2].figures.risk)
    assert rows[0].promise == rows[2].promise
    points = frontier_points(rows, families(rows)[0])
    assert [(point.series, point.label, point.named) for point in points] == [
        (MADE, "run 7", True),
        ("mondrian", "k = 2", False),
        ("mondrian", "k = 3", False),
    ]
    chart = ComparisonChart(tuple(rows))
    drawn = inline_svg(chart.drawn(), "c", chart.sentence())
    assert "run 7</text>" in drawn
    assert [row[0] for row in chart.grid().rows] == [rows[at].label for at in (0, 1, 2)]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (asking(3), asking(9, suppression=0.5), True),
        (asking(3), asking(3, role="other"), False),
        (asking(3), Policy(columns={"age": "quasi", "pay": "sensitive"}, guarantees=[
            {"kind": "k-anonymity", "k": 3}, {"kind": "l-diversity", "l": 2, "sensitive": "pay"}]), False),
    ],
)  # fmt: skip
def test_policies_differ_in_degree_or_in_kind(one: Policy, other: Policy, alike: bool) -> None:
    assert differ_in_degree(one, other) is alike
    assert differ_in_degree(other, one) is alike


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"k": 4},
        {"suppression": 0.25, "k": 7},
        {"l": 3, "c": 5},
        {"objective": "discernibility"},
        {"options.relaxed": True, "t": 0.5},
    ],
)
def test_texts_are_varied_as_policies_are(parameters: dict[str, Any]) -> None:
    policy = Policy(
        columns={"age": "quasi", "pay": "sensitive"},
        guarantees=[
            {"kind": "k-anonymity", "k": 3},
            {"kind": "l-diversity", "l": 2, "sensitive": "pay"},
            {"kind": "t-closeness", "t": 0.9, "sensitive": "pay"},
        ],
    )
    expected = policy_with_parameters(with_method_name(policy, "mondrian"), parameters)
    changed = with_parameters(with_method(plain_mapping(policy), "mondrian"), parameters)
    assert Policy.from_mapping(changed) == expected
