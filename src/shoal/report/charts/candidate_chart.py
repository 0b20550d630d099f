"""How many people have how many candidates, under one attacker: a bar for each number."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shoal.report.charts.inline_svg import BAD, GOOD, INK, QUIET, SHORT, WATCH, with_page_theme
from shoal.report.content import Grid

if TYPE_CHECKING:
    import altair as alt

Kind = Literal["not found", "fewer than needed", "some fewer than needed", "enough"]
COLOURS: dict[Kind, str] = {
    "not found": QUIET,
    "fewer than needed": BAD,
    "some fewer than needed": WATCH,
    "enough": GOOD,
}
MARKS: dict[Kind, str] = {
    "not found": "?",
    "fewer than needed": "■",
    "some fewer than needed": "▲",
    "enough": "●",
}
HEIGHT, WIDTH = 170, 460


@dataclass(frozen=True)
class CandidateChart:
    """``bars`` is the histogram of an AttackResult: people by their number of candidates."""

    knows: str
    finds: str
    needed: int
    bars: Mapping[str, int]

    @property
    def title(self) -> str:
        return f"People by the number of {self.finds}s that may be theirs"

    def sentence(self) -> str:
        """What the bars show, in words.

        >>> CandidateChart("age", "record", 5, {"0": 0, "3-4": 1, "5-9": 9}).sentence()
        '3-4 records (fewer than needed): 1; 5-9 records (enough): 9.'
        """
        told = [
            f"{bar} {self.finds}s ({kind_of(bar, self.needed)}): {people:,}"
            for bar, people in self.bars.items()
            if people
        ]
        return "; ".join(told) + "."

    def grid(self) -> Grid:
        rows = tuple((bar, people, kind_of(bar, self.needed)) for bar, people in self.bars.items())
        return Grid(f"{self.title} (needed: {self.needed:,})", (f"{self.finds}s", "people", "enough?"), rows)

    def as_dict(self) -> dict[str, Any]:
        return {"chart": {"kind": "candidates", "title": self.title, "knows": self.knows,
                          "finds": self.finds, "needed": self.needed, "bars": dict(self.bars)}}  # fmt: skip

    def drawn(self) -> "alt.LayerChart":
        import altair as alt

        kinds = {bar: kind_of(bar, self.needed) for bar in self.bars}
        values = [
            {"bar": bar, "people": people, "kind": kinds[bar], "label": f"{MARKS[kinds[bar]]} {people:,}"}
            for bar, people in self.bars.items()
        ]
        there = [kind for kind in COLOURS if any(self.bars[bar] for bar in kinds if kinds[bar] == kind)]
        scale = alt.Scale(domain=there, range=[COLOURS[kind] for kind in there])
        marks = " ".join(f"datum.label == '{kind}' ? '{MARKS[kind]} {kind}' :" for kind in there)
        legend = alt.Legend(
            title=None,
            orient="top",
            symbolType="square",
            labelLimit=0,
            columnPadding=32,
            labelExpr=f"{marks} ''",
        )
        upright = alt.Axis(labelAngle=0, labelOverlap=False)
        base = alt.Chart(alt.Data(values=values)).encode(
            x=alt.X("bar:N", sort=None, title=f"{self.finds}s that may be theirs", axis=upright),
            y=alt.Y("people:Q", title="people", axis=alt.Axis(labelExpr=SHORT)),
        )
        bars = base.mark_bar().encode(color=alt.Color("kind:N", scale=scale, legend=legend))
        counts = base.transform_filter("datum.people > 0").mark_text(dy=-7, fontSize=11, color=INK)
        chart = (bars + counts.encode(text="label:N")).properties(width=WIDTH, height=HEIGHT)
        return with_page_theme(chart)


def kind_of(bar: str, needed: int) -> Kind:
    """
    >>> [kind_of(bar, 7) for bar in ("0", "3-4", "5-9", "10-19", "100+")]
    ['not found', 'fewer than needed', 'some fewer than needed', 'enough', 'enough']
    """
    low, _, high = bar.partition("-")
    first = int(low.rstrip("+"))
    if first == 0:
        return "not found"
    if first >= needed:
        return "enough"
    if bar.endswith("+"):
        return "some fewer than needed"
    return "fewer than needed" if int(high or low) < needed else "some fewer than needed"
