"""A report as one page: no script, no other file, readable in light and dark, on paper and on a phone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from shoal.decision.sentence import Mark, Sentence
from shoal.display import visible_text
from shoal.report.charts.inline_svg import can_draw, inline_svg
from shoal.report.content import Cell, Chart, Code, Grid, Part, PartGroup, Section, cell_text
from shoal.table.files.spreadsheet import escape_name

if TYPE_CHECKING:
    from shoal.report.report import Report

MOST_CODE = 60_000  # characters
LONGEST = 2_000  # characters of a sentence
LONGEST_CELL = 300
MOST_COLUMNS = 16
SIGNS: dict[Mark, str] = {
    "safe": "●",
    "watch": "▲",
    "exposed": "■",
    "not measured": "○",
    "holds": "✓",
    "fails": "✗",
    "open": "?",
}


@dataclass(frozen=True)
class PageLimits:
    """How much a page can hold, and where the rest is."""

    most_charts: int = 40
    most_rows: int = 200  # of a table
    rest: str = "the JSON"
    folded: bool = False  # is a group opened by whoever wants to read it?


def report_html(report: "Report") -> str:
    """The whole report as the text of one HTML page."""
    return _rendered("report.html", PageLimits(), report=report, sections=report.sections)


def light_html(report: "Report") -> str:
    """The verdict on the whole, to stand in another page: no style, and no page around it."""
    return _rendered("light.html", PageLimits(), report=report)


def fragment_html(sections: Sequence[Section], room: PageLimits) -> str:
    """Some sections of a report, to stand in another page."""
    return _rendered("fragment.html", room, sections=sections)


def _rendered(template: str, room: PageLimits, **content: Any) -> str:
    page = _templates().get_template(template).render(
        **content,
        draw=_Pen(room.most_charts),
        can_draw=can_draw(),
        signs=SIGNS,
        most_rows=room.most_rows,
        rest=room.rest,
        folded=room.folded,
    )  # fmt: skip
    return f"{page.strip()}\n"


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "said": said,
        "cell": cell,
        "kind": kind,
        "class_of": class_of,
        "numeric": numeric,
    }
    environment.globals |= {"most_code": MOST_CODE, "most_columns": MOST_COLUMNS}
    return environment


class _Pen:
    """Draws the charts of one page, each under a name of its own, up to as many as a page can hold."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.asked_for = 0

    @property
    def left_out(self) -> int:
        return max(self.asked_for - self.most, 0)

    def has_room(self) -> bool:
        self.asked_for += 1
        return not self.left_out

    def __call__(self, chart: Chart) -> Markup:
        if not can_draw():
            return Markup()
        label = f"{chart.title}. {chart.sentence()}"
        return Markup(inline_svg(chart.drawn(), f"chart-{self.asked_for}", label))  # noqa: S704 escaped there


def kind(part: Part) -> str:
    """The name of the template block that shows a part of a section."""
    match part:
        case Sentence() | Grid() | Code():
            return type(part).__name__.lower()
        case PartGroup():
            return "group"
    return "chart"


def class_of(level: Mark) -> str:
    """The name of a level in the style sheet."""
    return level.replace(" ", "-")


def numeric(grid: Grid) -> list[bool]:
    """Marks of the columns that have nothing but figures, and stand to the right.

    >>> numeric(Grid("", ("a", "b", "c"), (("x", 1, True), ("y", None, 2))))
    [False, True, False]
    """
    columns = zip(*grid.rows, strict=True)
    found = [[value for value in column if value is not None] for column in columns]
    return [bool(column) and all(_is_figure(value) for value in column) for column in found]


def _is_figure(value: Cell) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def said(text: str) -> str:
    """Text that does a page no harm; escaping comes after it."""
    shown = visible_text(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def cell(value: Cell) -> str:
    """What stands in a table, from where it may be copied to a spreadsheet."""
    text = visible_text(cell_text(escape_name(value) if isinstance(value, str) else value))
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"
