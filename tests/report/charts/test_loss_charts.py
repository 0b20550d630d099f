"""Charts: what is on them, and that their file appears whole or not at all."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from shoal.comparison.compare import ComparisonFigures, ComparisonResult
from shoal.errors import ShoalError
from shoal.report.charts import loss_charts as chart
from shoal.report.charts.loss_charts import (
    Point,
    check_chart,
    frontier_chart,
    frontier_charts,
    line_chart,
    loss_points,
    write_chart,
)

CURVE = [
    Point(name, k, loss * k) for name, loss in (("residual", 0.001), ("aggranon", 0.01)) for k in (2, 5, 50)
]


def compared(policy: str, method: str, k: int, ncp: float) -> ComparisonResult:
    return ComparisonResult(policy, method, k, ComparisonFigures(ncp, 2 * ncp, 0.5, 9, 0, k, True, 0.1))


def marks(path: Path, kind: str) -> list[str]:
    """The labels of the marks of this kind in an SVG file."""
    tree = ElementTree.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 our own file
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    return [
        element.attrib["aria-label"]
        for element in tree.iter()
        if element.attrib.get("aria-roledescription") == kind
    ]


def test_an_svg_has_a_line_per_series_and_a_mark_per_point(tmp_path: Path) -> None:
    write_chart(line_chart(CURVE, "k", "NCP"), tmp_path / "curve.svg")
    assert len(marks(tmp_path / "curve.svg", "line mark")) == 2
    labels = marks(tmp_path / "curve.svg", "point")
    assert len(labels) == len(CURVE)
    assert "k: 5; NCP: 0.005; series: residual" in labels


@pytest.mark.parametrize(
    ("places", "said"), [((50_000, 233_584), ["50,000", "233,584"]), ((0.5, 2), ["0.5", "2"])]
)
def test_every_place_is_named_on_its_axis(tmp_path: Path, places: tuple[float, ...], said: list[str]) -> None:
    write_chart(line_chart([Point("a", x, 1) for x in places], "x", "y"), tmp_path / "places.svg")
    tree = ElementTree.fromstring((tmp_path / "places.svg").read_text())  # noqa: S314 our own file
    texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert all(place in texts for place in said)


def test_a_single_k_gives_marks_without_lines(tmp_path: Path) -> None:
    write_chart(line_chart(CURVE[::3], "k", "NCP"), tmp_path / "one.svg")
    assert marks(tmp_path / "one.svg", "line mark") == []
    labels = marks(tmp_path / "one.svg", "point")
    assert [label.split("; ")[0] for label in labels] == ["series: residual", "series: aggranon"]


def test_a_png_is_a_png(tmp_path: Path) -> None:
    write_chart(line_chart(CURVE, "k", "NCP"), tmp_path / "curve.PNG")
    assert (tmp_path / "curve.PNG").read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize(
    ("xs", "ys", "kinds"),
    [
        ((2, 5, 50), (0.001, 0.01, 0.02), ("log", "log")),
        ((2, 5, 50), (0.0, 0.01, 0.02), ("log", "linear")),  # a loss of zero has no logarithm
        ((0, 0.05, 0.1), (0.01, 0.02, 0.03), ("linear", "linear")),
    ],
)
def test_axes_are_logarithmic_where_that_is_sensible(
    xs: tuple[float, ...], ys: tuple[float, ...], kinds: tuple[str, str]
) -> None:
    encoding = line_chart([Point("a", x, y) for x, y in zip(xs, ys, strict=True)], "x", "y").to_dict()[
        "encoding"
    ]
    assert (encoding["x"]["scale"]["type"], encoding["y"]["scale"]["type"]) == kinds


def test_the_points_of_a_comparison_are_its_losses() -> None:
    refused = ComparisonResult("p", "aggranon", 999, refused=ShoalError("too few rows"))
    alone = [compared("p", "aggranon", 2, 0.1), compared("p", "aggranon", 5, 0.2), refused]
    assert loss_points(alone) == [Point("aggranon", 2, 0.1), Point("aggranon", 5, 0.2)]
    several = [*alone, compared("q", "aggranon", 2, 0.3)]
    assert loss_points(several)[-1] == Point("q: aggranon", 2, 0.3)


def test_other_parameters_are_series_of_their_own() -> None:
    rows = [
        ComparisonResult(
            "p", "mdav", 2, compared("p", "mdav", 2, 0.1).figures, parameters={"k": 2, "suppression": s}
        )
        for s in (0, 0.02)
    ]
    assert [point.series for point in loss_points(rows)] == [
        "mdav, suppression = 0",
        "mdav, suppression = 0.02",
    ]


def test_a_frontier_is_one_line_through_the_points_that_nothing_beats(tmp_path: Path) -> None:
    points = [Point("a", 0.1, 0.3, label="k = 9"), Point("b", 0.2, 0.1, label="k = 4"), Point("b", 0.3, 0.2)]
    marked = [*points, Point("a", 0.2, 0.1, label="equal")]
    drawn = frontier_chart(marked, [True, True, False, True], "risk in words", "loss in words")
    write_chart(drawn, tmp_path / "frontier.svg")
    assert len(marks(tmp_path / "frontier.svg", "line mark")) == 1
    assert len(marks(tmp_path / "frontier.svg", "point")) == 4
    labels = marks(tmp_path / "frontier.svg", "text mark")
    assert sorted(label.rpartition("label: ")[2] for label in labels) == ["k = 4", "k = 9"]
    assert "risk in words: 0.3; loss in words: 0.2; series: b" in marks(tmp_path / "frontier.svg", "point")


@pytest.mark.parametrize("risks", [(0.0, 0.0), (0.5, 0.5), (0.001, 0.5)])
def test_a_frontier_of_zeros_equals_or_decades_can_be_drawn(tmp_path: Path, risks: tuple[float, ...]) -> None:
    drawn = frontier_chart([Point("a", risk, 0.0) for risk in risks], [True, False], "risk", "loss")
    write_chart(drawn, tmp_path / "frontier.svg")
    assert len(marks(tmp_path / "frontier.svg", "point")) == 2


def test_what_does_not_hold_is_drawn_and_named_so(tmp_path: Path) -> None:
    failed = ComparisonResult(
        "p", "rank-swap", 2, ComparisonFigures(0.1, 0.1, 0.5, 9, 0, 2, False, 0.1, risk=0.2)
    )
    write_chart(frontier_charts([failed, compared("p", "mondrian", 2, 0.3)]), tmp_path / "frontier.svg")
    assert any("rank-swap, does not hold" in label for label in marks(tmp_path / "frontier.svg", "point"))


def test_without_any_loss_there_is_nothing_to_draw() -> None:
    with pytest.raises(ShoalError, match="no release here has a loss"):
        frontier_charts([ComparisonResult("p", "aggranon", 999, refused=ShoalError("too few rows"))])


@pytest.mark.parametrize("name", ["chart.pdf", "chart", "chart.svg.gz"])
def test_other_endings_are_refused_with_a_hint(tmp_path: Path, name: str) -> None:
    with pytest.raises(ShoalError, match=r"cannot be written as '.*'\nHint: end its name in \.svg or \.png"):
        check_chart(tmp_path / name, force=False)


def test_what_is_there_is_refused_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    check_chart(path, force=False)
    path.write_text("mine")
    with pytest.raises(ShoalError, match="exists\nHint: choose another name, or add --force"):
        check_chart(path, force=False)
    check_chart(path, force=True)
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(ShoalError, match="exists\nHint: choose another name\\."):
        check_chart(tmp_path / "folder.svg", force=True)
    with pytest.raises(ShoalError, match="there is no folder"):
        check_chart(tmp_path / "nowhere" / "chart.svg", force=False)


def test_without_the_extra_the_way_to_get_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.report.charts.inline_svg.find_spec", lambda _: None)
    hint = r"Hint: pip install 'shoal\[charts\]'"
    with pytest.raises(ShoalError, match=hint):
        check_chart(tmp_path / "chart.svg", force=False)
    with pytest.raises(ShoalError, match=hint):
        line_chart(CURVE, "k", "NCP")


def test_a_chart_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "chart.svg"
    path.write_text("old")
    monkeypatch.setattr(chart.os, "fsync", full)
    with pytest.raises(ShoalError, match="cannot be written: No space left on device"):
        write_chart(line_chart(CURVE, "k", "NCP"), path)
    assert [(left.name, left.read_text()) for left in tmp_path.iterdir()] == [("chart.svg", "old")]


@pytest.mark.parametrize("places", [(2, 5), (2,)])
def test_ranges_are_strokes_beside_the_points(tmp_path: Path, places: tuple[int, ...]) -> None:
    points = [Point("ours", x, 3.0, 2.0, 4.5) for x in places] + [Point("printed", x, 3.5) for x in places]
    write_chart(line_chart(points, "k", "loss"), tmp_path / "ranges.svg")
    assert len(marks(tmp_path / "ranges.svg", "point")) == len(points)
    strokes = marks(tmp_path / "ranges.svg", "rule mark")
    assert len(strokes) == len(places)
    assert all("4.5" in label for label in strokes)
