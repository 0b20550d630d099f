"""What a report is made of: sentences, tables, charts and texts to copy, in sections. No layout."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from shoal.decision.sentence import Level, Sentence

if TYPE_CHECKING:
    import altair as alt

Cell = str | int | float | bool | None
NOT_SHOWN = "not shown"


@dataclass(frozen=True)
class Grid:
    """A table. The first cell of a row names it."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        return {"table": asdict(self)}


@dataclass(frozen=True)
class Code:
    """Something to copy: commands, or a policy."""

    title: str
    text: str
    long: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {"code": asdict(self)}


class Chart(Protocol):
    """Data that can be drawn; whoever cannot see it reads its sentence and its table."""

    @property
    def title(self) -> str: ...
    def sentence(self) -> str: ...
    def grid(self) -> Grid: ...
    def as_dict(self) -> dict[str, Any]: ...
    def drawn(self) -> "alt.LayerChart": ...


@dataclass(frozen=True)
class PartGroup:
    """Parts that belong together under a title of their own."""

    title: str
    parts: "tuple[Part, ...]"
    level: Level | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"group": self.title, "level": self.level, "parts": [part.as_dict() for part in self.parts]}


Part = Sentence | Grid | Code | Chart | PartGroup


@dataclass(frozen=True)
class Section:
    """A titled part of a report, with a key by which programs find it."""

    key: str
    title: str
    parts: tuple[Part, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        return {"key": self.key, "title": self.title, "parts": [part.as_dict() for part in self.parts]}


def in_words(key: str) -> str:
    """
    >>> in_words("missing_before")
    'missing before'
    """
    return key.replace("_", " ")


def plain_cell(value: object) -> Cell:
    """A value as a table shows it: what is no single figure becomes words."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return ", ".join(
            f"{in_words(str(key))}: {cell_text(plain_cell(part))}" for key, part in value.items()
        )
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(plain_cell(part)) for part in value)
    return str(value)


def cell_text(value: Cell) -> str:
    """A cell as text: figures with the digits that matter.

    >>> cell_text(1234567), cell_text(0.000123456), cell_text(True), cell_text(None), cell_text(12.0)
    ('1,234,567', '0.0001235', 'yes', '–', '12')
    >>> cell_text(123456.789)
    '123,457'
    """
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    return value
