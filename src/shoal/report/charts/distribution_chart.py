"""One column before and after: bars for the original, a stroke across each for what was published."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.charts.inline_svg import ACCENT, PALE, with_page_theme
from shoal.report.content import Grid

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT, ROW = 460, 170, 20
SHOWN_LABEL = 40  # characters
WORD_ROOM = 160


@dataclass(frozen=True)
class DistributionChart:
    """Records per bin or word, in the original and as published. Labels are values of the original."""

    column: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    words: bool = False
    distance: float | None = None

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "DistributionChart":
        """A chart from a distribution's plain values; ``bins`` are words, or the least and largest value."""
        labels = [bin_label(one) for one in found["bins"]]
        return cls(
            found["column"],
            tuple(labels),
            tuple(found["before"]),
            tuple(found["after"]),
            found["kind"] == "word",
            found.get("distance"),
        )

    @property
    def title(self) -> str:
        return f"{self.column}: original and published"

    def sentence(self) -> str:
        apart = "" if self.distance is None else f", at a distance of {self.distance:.3g} from each other"
        return f"Records by {self.column} in the original and in the release{apart}."

    def grid(self) -> Grid:
        rows = tuple(
            (label, round(one, 1), round(other, 1))
            for label, one, other in zip(self.labels, self.before, self.after, strict=True)
        )
        return Grid(self.title, ("value", "original", "published"), rows)

    def as_dict(self) -> dict[str, Any]:
        return {"chart": {"kind": "distribution", "title": self.title, "column": self.column,
                          "labels": list(self.labels), "before": list(self.before),
                          "after": list(self.after), "distance": self.distance}}  # fmt: skip

    def drawn(self) -> "alt.LayerChart":
        import altair as alt

        labels = _told_apart(self.labels)
        values = [
            {"label": label, "original": before, "published": after}
            for label, before, after in zip(labels, self.before, self.after, strict=True)
        ]
        base = alt.Chart(alt.Data(values=values))
        named = base.transform_calculate(which="'original'"), base.transform_calculate(which="'published'")
        colour = alt.Color(
            "which:N",
            scale=alt.Scale(domain=["original", "published"], range=[PALE, ACCENT]),
            legend=alt.Legend(title=None, orient="top", symbolType="square"),
        )
        if self.words:
            label = alt.Y(
                "label:N",
                sort=labels,
                title=None,
                axis=alt.Axis(labelLimit=WORD_ROOM - 40, minExtent=WORD_ROOM),
            )
            bars = named[0].mark_bar().encode(x=alt.X("original:Q", title="records"), y=label, color=colour)
            strokes = (
                named[1]
                .mark_tick(opacity=1, thickness=3, bandSize=16)
                .encode(x="published:Q", y=label, color=colour)
            )
            return with_page_theme(
                (bars + strokes).properties(width=WIDTH - WORD_ROOM, height=ROW * len(values))
            )
        label = alt.X(
            "label:N",
            sort=labels,
            title=None,
            axis=alt.Axis(labelAngle=-40, labelOverlap="greedy", labelLimit=110),
        )
        bars = named[0].mark_bar().encode(x=label, y=alt.Y("original:Q", title="records"), color=colour)
        width = max(6, int(0.8 * WIDTH / max(len(values), 1)))
        strokes = (
            named[1]
            .mark_tick(opacity=1, thickness=3, bandSize=width)
            .encode(x=label, y="published:Q", color=colour)
        )
        return with_page_theme((bars + strokes).properties(width=WIDTH, height=HEIGHT))


def _told_apart(labels: tuple[str, ...]) -> list[str]:
    """
    >>> _told_apart(("a", "b", "a"))
    ['a', 'b', 'a (3)']
    """
    return [
        f"{label} ({place})" if label in labels[: place - 1] else label
        for place, label in enumerate(labels, 1)
    ]


def bin_label(one: Any) -> str:
    """
    >>> bin_label([0.0, 4.0]), bin_label([7, 7]), bin_label("rare"), bin_label(None)
    ('0 to 4', '7', 'rare', 'missing')
    """
    if one is None:
        return "missing"
    if not isinstance(one, list | tuple):
        text = str(one)
        return text if len(text) <= SHOWN_LABEL else f"{text[:SHOWN_LABEL]}…"
    low, high = (f"{end:,.10g}" if isinstance(end, int | float) else str(end) for end in one)
    return low if low == high else f"{low} to {high}"
