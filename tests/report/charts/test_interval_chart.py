"""Answers as intervals: one chart for each aggregate, and nothing drawn that is not known."""

from datetime import date
from xml.etree import ElementTree

from shoal.query.answer import Answer, Bounds
from shoal.report.charts.inline_svg import inline_svg
from shoal.report.charts.interval_chart import MOST_INTERVALS, AnswerInterval, IntervalChart, interval_charts


def answer_of(**cells: Bounds | str | None) -> Answer:
    return Answer(tuple(cells), (cells,))


def test_there_is_a_chart_for_every_aggregate_that_has_bounds() -> None:
    known, unknown = Bounds(1, 1.5, 3, 0.1, 9), Bounds(None, None, None, None, 0)
    charts = interval_charts(answer_of(job="flu", count=known, total=unknown))
    assert charts == [IntervalChart("count", (AnswerInterval("flu", 1, 1.5, 3),))]
    assert interval_charts(answer_of(job=None)) == []


def test_rows_without_keys_are_all_records_and_missing_keys_are_named() -> None:
    bounds = Bounds(2, 2, 2, 0.0, 2)
    assert interval_charts(answer_of(n=bounds))[0].sentence() == "all records: 2."
    assert interval_charts(answer_of(job=None, n=bounds))[0].intervals[0].label == "NULL"


def test_long_answers_are_cut() -> None:
    rows = tuple({"key": at, "n": Bounds(at, at, at, 0.0, 1)} for at in range(100))
    (chart,) = interval_charts(Answer(("key", "n"), rows))
    assert len(chart.intervals) == MOST_INTERVALS


def test_hostile_labels_and_equal_labels_are_drawn_as_text() -> None:
    label = "<script>'\t\"\u202e"
    chart = IntervalChart("n", (AnswerInterval(label, 1, None, 2), AnswerInterval(label, 3, 4, 5)))
    drawn = inline_svg(chart.drawn(), "a", chart.sentence())
    assert "<script>" not in drawn
    texts = [one.text for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("text")]  # noqa: S314
    assert sum((text or "").startswith("<script>") for text in texts) == 2


def test_dates_are_drawn_on_an_axis_of_time() -> None:
    chart = IntervalChart("max(day)", (AnswerInterval("all", date(2020, 1, 5), None, date(2021, 3, 1)),))
    assert chart.sentence() == "all: 2020-01-05 to 2021-03-01."
    assert "2021" in inline_svg(chart.drawn(), "a", "b")
