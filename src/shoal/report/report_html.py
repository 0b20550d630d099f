"""A report as one page: no script, no other file, readable in light and dark, on paper and on a phone."""

from functools import cache
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from shoal.report.content import Cell, Chart, Code, Grid, Group, Mark, Part, Sentence
from shoal.report.inline_svg import can_draw, inline_svg, printable

if TYPE_CHECKING:
    from shoal.report.report import Report

MOST_ROWS = 200  # of a table; the JSON has all
MOST_CHARTS = 40
MOST_CODE = 60_000  # characters
LONGEST = 2_000  # characters of one cell or sentence
SIGNS: dict[Mark, str] = {
    "safe": "●",
    "watch": "▲",
    "exposed": "■",
    "not measured": "○",
    "holds": "✓",
    "fails": "✗",
    "open": "?",
}


def report_html(report: "Report") -> str:
    page = _template().render(report=report, draw=_Pen(), can_draw=can_draw(), signs=SIGNS)
    return f"{page.strip()}\n"


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "said": said,
        "cell": cell,
        "kind": kind,
        "class_of": class_of,
        "numeric": numeric,
    }
    environment.globals |= {"most_rows": MOST_ROWS, "most_code": MOST_CODE}
    return environment.from_string(files("shoal.report").joinpath("report.html").read_text(encoding="utf-8"))


class _Pen:
    """Draws the charts of one page, each under a name of its own, up to as many as a page can hold."""

    def __init__(self) -> None:
        self.numbers = count(1)

    def __call__(self, chart: Chart) -> Markup:
        number = next(self.numbers)
        if number > MOST_CHARTS or not can_draw():
            return Markup()
        svg = inline_svg(chart.drawn(), f"chart-{number}", f"{chart.title}. {chart.sentence()}")
        return Markup(svg)  # noqa: S704 made and escaped by us


def kind(part: Part) -> str:
    match part:
        case Sentence() | Grid() | Code() | Group():
            return type(part).__name__.lower()
    return "chart"


def class_of(level: Mark) -> str:
    """The name of a level in the style sheet."""
    return level.replace(" ", "-")


def numeric(grid: Grid) -> list[bool]:
    """Which columns have nothing but figures, and stand to the right.

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
    shown = printable(text)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"


def cell(value: Cell) -> str:
    """
    >>> cell(1234567), cell(0.000123456), cell(True), cell(None), cell(12.0), cell(123456.789)
    ('1,234,567', '0.0001235', 'yes', '–', '12', '123,457')
    """
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return said(value)
