"""The results of an experiment: a chart per figure, ``results.json``, and ``results.md`` to read."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import shoal
from shoal.report.charts.loss_charts import Point, line_chart, write_chart


@dataclass(frozen=True)
class Claim:
    """A statement of the paper about a figure, and whether ours says the same."""

    text: str
    met: bool
    otherwise: str = ""  # why not, where that is known

    def __str__(self) -> str:
        why = f" ({self.otherwise})" if self.otherwise and not self.met else ""
        return f"{self.text}: {'yes' if self.met else 'no'}{why}"


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    x: str
    y: str
    points: tuple[Point, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Every claim with its answer, then the notes.

        >>> Figure("f", "F", "k", "NCP", (), (Claim("it falls", False, "it is flat"),), ("a/b 2",)).sentence()
        'It falls: no (it is flat); a/b 2.'
        """
        said = "; ".join(map(str, (*self.claims, *self.notes)))
        return f"{said[:1].upper()}{said[1:]}."


def line(points: Sequence[Point], series: str) -> dict[float, float]:
    """A series by its place on the x axis, in order.

    >>> line([Point("a", 5, 0.2), Point("b", 2, 0.3), Point("a", 2, 0.1)], "a")
    {2: 0.1, 5: 0.2}
    """
    found = {point.x: point.y for point in points if point.series == series}
    return dict(sorted(found.items()))


def write_results(figures: Sequence[Figure], folder: Path, title: str, about: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for figure in figures:
        write_chart(line_chart(figure.points, figure.x, figure.y), folder / f"{figure.name}.svg")
    results = {
        "title": title,
        "about": about,
        "software": f"shoal {shoal.__version__}, Python {platform.python_version()}",
        "figures": [asdict(figure) | {"sentence": figure.sentence()} for figure in figures],
    }
    (folder / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    page = f"# {title}\n\n{about}\n" + "".join(map(_section, figures))
    (folder / "results.md").write_text(page, encoding="utf-8")


def _section(figure: Figure) -> str:
    places = sorted({point.x for point in figure.points})
    names = list(dict.fromkeys(point.series for point in figure.points))
    cells = {(point.series, point.x): _cell(point) for point in figure.points}
    head = f"{figure.y} by {figure.x}".replace("|", r"\|")
    rows = [
        [head, *(f"{place:,}" for place in places)],
        ["---", *("---:" for _ in places)],
        *([name, *(cells.get((name, place), "") for place in places)] for name in names),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"\n## {figure.title}\n\n![{figure.title}]({figure.name}.svg)\n\n{table}\n\n{figure.sentence()}\n"


def _cell(point: Point) -> str:
    """
    >>> _cell(Point("a", 2, 12.34)), _cell(Point("a", 2, 12.34, 11, 14.56))
    ('12.3', '12.3 (11 to 14.6)')
    """
    if point.low is None:
        return f"{point.y:.3g}"
    return f"{point.y:.3g} ({point.low:.3g} to {point.high:.3g})"
