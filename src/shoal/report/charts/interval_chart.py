"""An answer to a question, drawn: from lower to upper, with what to expect in between."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from shoal.query.answer import Answer, Bounds, Figure
from shoal.report.charts.inline_svg import ACCENT, INK, SHORT, with_page_theme
from shoal.report.content import Cell, Grid, cell_text

if TYPE_CHECKING:
    import altair as alt

MOST_INTERVALS = 40  # in one chart; the table has all
LONGEST_LABEL = 60
WIDTH, STEP = 460, 26
LONGEST_SHOWN = 280  # pixels of a label
ROOM = 32  # pixels beside labels: letters of the page may be wider than those that were measured


@dataclass(frozen=True)
class AnswerInterval:
    """One row of an answer to be drawn: its two ends, and what to expect."""

    label: str  # the row of the answer it stands for
    lower: Figure
    expected: Figure | None
    upper: Figure


@dataclass(frozen=True)
class IntervalChart:
    """One aggregate of an answer, an interval for each of its rows."""

    name: str
    intervals: tuple[AnswerInterval, ...]

    @property
    def title(self) -> str:
        return f"{self.name}: the true answer lies between the ends"

    def sentence(self) -> str:
        """
        >>> IntervalChart("sum(pay)", (AnswerInterval("flu", 2, 2.5, 4),)).sentence()
        'flu: 2 to 4, expect 2.5.'
        """
        return "; ".join(map(_interval_text, self.intervals)) + "."

    def grid(self) -> Grid:
        rows = tuple(
            (one.label, _cell(one.lower), _cell(one.expected), _cell(one.upper)) for one in self.intervals
        )
        return Grid(self.name, ("row", "lower", "expected", "upper"), rows)

    def as_dict(self) -> dict[str, Any]:
        intervals = [{key: _cell(value) for key, value in asdict(one).items()} for one in self.intervals]
        return {"chart": {"kind": "intervals", "name": self.name, "intervals": intervals}}

    def drawn(self) -> "alt.LayerChart":
        import altair as alt

        values = [{key: _cell(value) for key, value in asdict(one).items()} | {"at": f"{at}\t{one.label}"}
                  for at, one in enumerate(self.intervals)]  # fmt: skip
        dated = any(isinstance(one.lower, date) for one in self.intervals)
        kind, text = ("temporal", {}) if dated else ("quantitative", {"labelExpr": SHORT})
        scale = alt.Undefined if dated else alt.Scale(zero=False)
        place = alt.Y(
            "at:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelExpr="split(datum.label, '\t')[1]", labelLimit=LONGEST_SHOWN),
        )
        along: Any = {
            "type": kind,
            "title": self.name[:LONGEST_LABEL],
            "scale": scale,
            "axis": alt.Axis(**text),
        }
        chart = alt.Chart(alt.Data(values=values)).encode(y=place)
        lines = chart.mark_rule(color=ACCENT, strokeWidth=3).encode(x=alt.X("lower", **along), x2="upper")
        ends = [
            chart.mark_tick(color=ACCENT, thickness=3, size=14).encode(x=alt.X(end, **along))
            for end in ("lower", "upper")
        ]
        expected = chart.transform_filter("isValid(datum.expected)").mark_point(
            color=INK, fill=INK, size=55, opacity=1
        )
        layers = alt.layer(lines, *ends, expected.encode(x=alt.X("expected", **along)))
        return with_page_theme(
            layers.properties(width=WIDTH, height=alt.Step(STEP), padding={"left": ROOM, "right": ROOM / 2})
        )


def interval_charts(answer: Answer) -> list[IntervalChart]:
    """A chart for every aggregate of an answer that has bounds to draw."""
    labels = [_label(answer, row) for row in answer.rows]
    found = []
    for name in answer.columns:
        cells = [row[name] for row in answer.rows]
        intervals = [interval for label, cell in zip(labels, cells, strict=True)
                     if (interval := _interval(label, cell))]  # fmt: skip
        if intervals:
            found.append(IntervalChart(name, tuple(intervals[:MOST_INTERVALS])))
    return found


def _interval(label: str, cell: Any) -> AnswerInterval | None:
    if not isinstance(cell, Bounds) or cell.lower is None or cell.upper is None:
        return None
    return AnswerInterval(label, cell.lower, cell.expected, cell.upper)


def _label(answer: Answer, row: dict[str, Any]) -> str:
    """The keys of a row, which name it."""
    keys = [row[name] for name in answer.columns if not isinstance(row[name], Bounds)]
    return ", ".join("NULL" if key is None else str(key) for key in keys)[:LONGEST_LABEL] or "all records"


def _interval_text(one: AnswerInterval) -> str:
    ends: Sequence[Figure] = (one.lower,) if one.lower == one.upper else (one.lower, one.upper)
    expect = "" if one.expected is None or len(ends) == 1 else f", expect {cell_text(_cell(one.expected))}"
    return f"{one.label}: {' to '.join(cell_text(_cell(end)) for end in ends)}{expect}"


def _cell(value: Figure | str | None) -> Cell:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value
