"""Charts inside a page: its colours, small, and each with names of its own."""

import re
from xml.etree import ElementTree

import pytest

from shoal.report.charts.candidate_chart import CandidateChart
from shoal.report.charts.distribution_chart import DistributionChart
from shoal.report.charts.inline_svg import inline_svg
from shoal.report.content import Chart

BARS = {"0": 2, "1": 1, "2": 0, "3-4": 2, "5-9": 60, "10-19": 1000, "20-49": 0, "50-99": 0, "100+": 1}
CANDIDATES = CandidateChart("age", "record", 7, BARS)
WORDS = DistributionChart(
    "illness", ("<b>flu</b>", "flu", "flu", "a\x00b"), (5, 3, 2, 1), (4, 3, 3, 1), words=True
)
NUMBERS = DistributionChart(
    "age", tuple(f"{5 * at} to {5 * at + 4}" for at in range(20)), tuple(range(20)), tuple(range(20))
)


def drawn(chart: Chart, key: str = "one") -> str:
    return inline_svg(chart.drawn(), key, f"What <it> & 'shows' about {chart.title}")


def texts(svg: str) -> list[str]:
    tree = ElementTree.fromstring(svg)  # noqa: S314 our own
    return [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("chart", [CANDIDATES, WORDS, NUMBERS], ids=lambda chart: type(chart).__name__)
def test_a_chart_has_the_colours_of_the_page_and_no_others(chart: Chart) -> None:
    svg = drawn(chart)
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg)) - {"none", "transparent"}
    assert all(colour.startswith("var(--") for colour in colours)
    assert len(svg) < 15_000
    assert svg == drawn(chart)


def test_a_chart_is_one_picture_with_a_name() -> None:
    root = ElementTree.fromstring(drawn(CANDIDATES))  # noqa: S314 our own
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"].startswith("What <it> & 'shows' about People")
    assert [element for element in root.iter() if "role" in element.attrib] == [root]


def test_two_charts_on_a_page_share_no_id() -> None:
    ids = [re.findall(r' id="([^"]*)"', drawn(WORDS, key)) for key in ("one", "two")]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])


def test_bars_say_how_many_they_are_and_whether_that_is_enough() -> None:
    said = texts(drawn(CANDIDATES))
    assert {"? 2", "■ 1", "▲ 60", "● 1,000"} <= set(said)
    assert {"■ fewer than needed", "● enough"} <= set(said)
    assert not any(text.endswith(" 0") for text in said)


def test_words_that_are_alike_or_look_like_markup_have_bars_of_their_own() -> None:
    said = texts(drawn(WORDS))
    assert [text for text in said if text[0] in "<fa"] == ["<b>flu</b>", "flu", "flu (3)", "a\ufffdb"]


@pytest.mark.parametrize("chart", [CANDIDATES, WORDS, NUMBERS], ids=lambda chart: type(chart).__name__)
def test_the_table_of_a_chart_has_a_row_per_bar(chart: Chart) -> None:
    grid = chart.grid()
    data = chart.as_dict()["chart"]
    assert len(grid.rows) == len(data.get("bars", data.get("before")))
    assert all(len(row) == len(grid.head) for row in grid.rows)
