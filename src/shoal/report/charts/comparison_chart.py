"""Releases side by side: what each risks and what it loses, and which of them no other beats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.comparison.compare import ComparisonResult
from shoal.comparison.recommend import families, frontier
from shoal.report.charts.inline_svg import INK, with_page_theme
from shoal.report.charts.loss_charts import frontier_charts
from shoal.report.content import Cell, Grid

if TYPE_CHECKING:
    import altair as alt

HEAD = ("release", "risk", "loss", "measured by", "not beaten")


@dataclass(frozen=True)
class ComparisonChart:
    """Releases as points of risk and loss, with the recommended one marked."""

    rows: tuple[ComparisonResult, ...]
    recommended: int | None = None  # the place of a row

    @property
    def title(self) -> str:
        return "Privacy and utility: the further down and left, the better"

    def sentence(self) -> str:
        """What nothing else beats, in words.

        >>> from shoal.comparison.compare import ComparisonFigures
        >>> made = ComparisonFigures(0.25, 0.25, 0.5, 9, 0, 5, True, 0.1, risk=0.125)
        >>> ComparisonChart((ComparisonResult("p", "mondrian", 5, made),)).sentence()
        'Not beaten by another in both: mondrian, k = 5 (risk 0.125, NCP 0.25).'
        """
        best = [f"{row[0]} (risk {row[1]:.4g}, {row[3]} {row[2]:.4g})" for row in self.grid().rows if row[-1]]
        return f"Not beaten by another in both: {'; '.join(best) or 'none'}."

    def grid(self) -> Grid:
        marks = frontier(self.rows)
        rows: list[tuple[Cell, ...]] = [
            (self.rows[at].label, *family.point(self.rows[at]), family.loss_name, marks[at])
            for family in families(self.rows)
            for at in family.places
        ]
        return Grid(self.title, HEAD, tuple(rows))

    def as_dict(self) -> dict[str, Any]:
        return {"chart": {"kind": "comparison", "title": self.title, "rows": _rows(self.rows)}}

    def drawn(self) -> "alt.LayerChart":
        charts: Any = frontier_charts(self.rows, self.recommended)
        drawn: alt.LayerChart = with_page_theme(charts).configure_text(color=INK)
        return drawn


def _rows(rows: Sequence[ComparisonResult]) -> list[dict[str, Any]]:
    return [{"name": row.name, **row.as_dict()} for row in rows]
