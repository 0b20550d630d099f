"""Charts of losses, risks and times: a line or marks per series, drawn by Altair, written as SVG or PNG.

A chart is made of series names and figures only; no cell of a table ever gets here.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.comparison.compare import ComparisonResult
from shoal.comparison.recommend import FIT, Family, families, frontier
from shoal.errors import ShoalError
from shoal.release.storage.new_file import refuse_existing
from shoal.report.charts.chart_axis import scale_of, share_along, span_of
from shoal.report.charts.chart_labels import Label, place_labels
from shoal.report.charts.inline_svg import can_draw

if TYPE_CHECKING:
    import altair as alt

FORMATS = (".svg", ".png")
WIDTH, HEIGHT = 420, 300
PNG_SCALE = 2
MADE = "made"
FEW = 10  # series that the plain colours tell apart


@dataclass(frozen=True)
class Point:
    """One mark of a chart, with the series and the frontier that it may belong to."""

    series: str
    x: float
    y: float
    low: float | None = None  # if y is a mean, over this range
    high: float | None = None
    label: str = field(default="", kw_only=True)
    group: int = field(default=0, kw_only=True)  # whose frontier it may lie on
    named: bool = field(default=False, kw_only=True)  # by its label, also off the frontier


def loss_name(compared: Iterable[ComparisonResult]) -> str:
    """What loss_points are about."""
    return FIT[_common_loss(list(compared))]


def loss_points(compared: Iterable[ComparisonResult]) -> list[Point]:
    """Loss against k of every release that there is, one series per method, policy and parameters: NCP, or
    the error of answers if all are permuted, which blurs nothing, or SSE / SST if all show class means."""
    rows = list(compared)
    loss = _common_loss(rows)
    return [
        Point(_series(row, rows), row.k, getattr(row.figures, loss))
        for row in rows
        if row.figures is not None
    ]


def frontier_points(
    rows: Sequence[ComparisonResult], family: Family, recommended: int | None = None
) -> list[Point]:
    """Loss against risk of the rows of a family, one series per method and policy, with what was varied."""
    promises = list(dict.fromkeys(row.promise for row in rows))
    return [
        Point(
            _kind(rows[at], rows) + ("" if rows[at].holds else ", does not hold"),
            *family.point(rows[at]),
            label=(rows[at].name or _varied(rows[at])) + (", recommended" if at == recommended else ""),
            group=promises.index(rows[at].promise),
            named=bool(rows[at].name) or at == recommended,
        )
        for at in family.places
    ]


def _common_loss(rows: list[ComparisonResult]) -> str:
    found = families(rows)
    return found[0].loss if len(found) == 1 else "ncp"


def _of_policy(row: ComparisonResult, rows: Sequence[ComparisonResult]) -> str:
    return f"{row.policy}: {row.method}" if len({one.policy for one in rows}) > 1 else row.method


def _kind(row: ComparisonResult, rows: Sequence[ComparisonResult]) -> str:
    return MADE if row.name else _of_policy(row, rows)


def _series(row: ComparisonResult, rows: Sequence[ComparisonResult]) -> str:
    besides = [f"{name} = {value}" for name, value in row.parameters.items() if name != "k"]
    return ", ".join([_of_policy(row, rows), *besides])


def _varied(row: ComparisonResult) -> str:
    return ", ".join(f"{name} = {value}" for name, value in row.parameters.items())


def frontier_charts(rows: Sequence[ComparisonResult], recommended: int | None = None) -> "alt.TopLevelMixin":
    """A chart for each family of comparable rows, side by side."""
    _require_extra()
    import altair as alt

    marks = frontier(rows)
    charts = [
        frontier_chart(
            frontier_points(rows, family, recommended),
            [marks[at] for at in family.places],
            f"risk: chance of an attacker to find {family.target}, on average",
            f"loss: {family.loss_name}",
        )
        for family in families(rows)
    ]
    if not charts:
        raise ShoalError("no release here has a loss that could be drawn", "leave the chart of risks out.")
    return charts[0] if len(charts) == 1 else alt.hconcat(*charts).resolve_scale(color="independent")


def frontier_chart(points: Sequence[Point], on_frontier: Sequence[bool], x: str, y: str) -> "alt.LayerChart":
    """Every point in the colour and shape of its series, and a line through those that no other point beats,
    which are named by their labels where there is room."""
    _require_extra()
    import altair as alt

    names = list(dict.fromkeys(point.series for point in points))
    values = [{"series": point.series, "x": point.x, "y": point.y, "label": point.label, "group": point.group}
              for point in points]  # fmt: skip
    on_top = sorted(range(len(points)), key=lambda at: points[at].named)  # what is named hides what is not
    best = [value for value, unbeaten in zip(values, on_frontier, strict=True) if unbeaten]
    chart = alt.Chart(alt.Data(values=[values[at] for at in on_top])).properties(width=WIDTH, height=HEIGHT)
    along = chart.properties(data=alt.Data(values=best))
    scheme = "tableau20" if len(names) > FEW else "tableau10"
    place = alt.X("x:Q", title=x, scale=_spanning(point.x for point in points))
    figure = alt.Y("y:Q", title=y, scale=_spanning(point.y for point in points))
    colour = alt.Color("series:N", title=None, sort=names, scale=alt.Scale(domain=names, scheme=scheme))
    line = along.mark_line(color="gray", strokeDash=[4, 3]).encode(
        x=place, y=figure, order="x:Q", detail="group:N"
    )
    shape = alt.Shape("series:N", title=None, sort=names, scale=alt.Scale(domain=names))
    marks = chart.mark_point(filled=True, size=60, opacity=0.9).encode(
        x=place, y=figure, color=colour, shape=shape
    )
    labels = [
        chart.properties(data=alt.Data(values=[values[label.place] | {"label": label.text}]))
        .mark_text(align="left", baseline="top", x=label.x, y=label.y, fontSize=9)
        .encode(text="label:N")
        for label in _labels(points, on_frontier)
    ]
    return alt.layer(line, marks, *labels)


def _spanning(figures: Iterable[float]) -> "alt.Scale":
    import altair as alt

    values = list(figures)
    return alt.Scale(type=scale_of(values), domain=list(span_of(values)), zero=False, nice=False)


def _labels(points: Sequence[Point], on_frontier: Sequence[bool]) -> list[Label]:
    """Labels of the points that are named, then of those on the frontier; equal points share one."""
    xs, ys = [point.x for point in points], [point.y for point in points]
    pixels = [
        (WIDTH * across, HEIGHT * (1 - up)) for across, up in zip(_shares(xs), _shares(ys), strict=True)
    ]
    chosen = [at for at, point in enumerate(points) if point.named]
    chosen += [at for at, unbeaten in enumerate(on_frontier) if unbeaten and at not in chosen]
    texts: dict[tuple[float, float], tuple[int, str]] = {}
    for at in chosen:
        place = (points[at].x, points[at].y)
        if place not in texts:
            texts[place] = (at, points[at].label)
        elif points[at].named:
            first, text = texts[place]
            texts[place] = (first, f"{text}, {points[at].label}")
    return place_labels(pixels, [(at, text) for at, text in texts.values() if text], (WIDTH, HEIGHT))


def _shares(figures: Sequence[float]) -> list[float]:
    """The places of figures on the axis that they need, from 0 to 1."""
    return [share_along(figure, span_of(figures), scale_of(figures)) for figure in figures]


def line_chart(points: Sequence[Point], x: str, y: str) -> "alt.Chart | alt.LayerChart":
    """y against x, one line per series with a mark per point; with a single x, the marks alone. Where points
    have ranges, these are upright strokes.

    Axes are logarithmic where the figures spread over a decade, and linear where one of them is 0.
    """
    _require_extra()
    import altair as alt

    places = sorted({point.x for point in points})
    names = list(dict.fromkeys(point.series for point in points))
    values = [{"series": point.series, "x": point.x, "y": point.y} for point in points]
    ranges = [{"series": point.series, "x": point.x, "low": point.low, "high": point.high}
              for point in points if point.low is not None]  # fmt: skip
    chart = alt.Chart(alt.Data(values=values)).properties(width=WIDTH, height=HEIGHT)
    figure = alt.Y("y:Q", title=y, scale=alt.Scale(type=scale_of(point.y for point in points)))
    strokes = chart.properties(data=alt.Data(values=ranges)).mark_rule(opacity=0.5, strokeWidth=2)
    if len(places) == 1:
        series = alt.X("series:N", title=None, sort=names, axis=alt.Axis(labelAngle=0))
        marks = chart.mark_point(filled=True, size=90).encode(
            x=series, y=figure.title(f"{y} ({x} = {places[0]:g})")
        )
        return marks + strokes.encode(x=series, y="low:Q", y2="high:Q") if ranges else marks
    place = alt.X(
        "x:Q",
        title=x,
        scale=alt.Scale(type=scale_of(places), nice=False, zero=False),
        axis=alt.Axis(values=places, format=",d" if all(place == int(place) for place in places) else "~g"),
    )
    scheme = "tableau20" if len(names) > FEW else "tableau10"
    colour = alt.Color("series:N", title=None, sort=names, scale=alt.Scale(scheme=scheme))
    lines = chart.mark_line(point=True).encode(x=place, y=figure, color=colour)
    return lines + strokes.encode(x=place, y="low:Q", y2="high:Q", color=colour) if ranges else lines


def check_chart(path: Path, force: bool) -> None:
    """What can be known to go wrong with a chart, before any work is done."""
    if path.suffix.lower() not in FORMATS:
        raise ShoalError(
            f"a chart cannot be written as {path.name!r}", f"end its name in {' or '.join(FORMATS)}."
        )
    refuse_existing(path, force)
    _require_extra()


def write_chart(chart: "alt.TopLevelMixin", path: Path) -> None:
    """Write the chart whole or not at all, as its name ends: SVG or PNG."""
    content = _rendered(chart, path.suffix.lower())
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise ShoalError(
            f"{str(path)!r} cannot be written: {error.strerror or type(error).__name__}",
            "check the folder, or choose another place.",
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


def _rendered(chart: "alt.TopLevelMixin", ending: str) -> bytes:
    if ending == ".svg":
        text = StringIO()
        chart.save(text, format="svg", engine="vl-convert")
        return text.getvalue().encode()
    pixels = BytesIO()
    chart.save(pixels, format="png", engine="vl-convert", scale_factor=PNG_SCALE)
    return pixels.getvalue()


def _require_extra() -> None:
    if not can_draw():
        raise ShoalError("charts need the packages altair and vl-convert", "pip install 'shoal[charts]'")
