"""A verdict: does the table keep a promise, how well, and in words that a lawyer can read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.arrays import Ints
from shoal.display import html_note, html_sentence, html_table

SHOWN_CLASSES = 5


@dataclass(frozen=True)
class Verdict:
    """``worst`` lists the sizes of the smallest classes; a verdict never holds a cell's value."""

    kind: str
    holds: bool
    asked: Mapping[str, Any]
    achieved: Mapping[str, Any]
    sentence: str
    worst: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "holds": self.holds,
            "asked": dict(self.asked),
            "achieved": dict(self.achieved),
            "sentence": self.sentence,
            "worst": list(self.worst),
            "notes": list(self.notes),
        }

    @property
    def mark(self) -> str:
        """The verdict in a word: it holds, it fails, or whether it does was too costly to decide."""
        if self.holds and self.achieved.get("decided") is False:
            return "open"
        return "holds" if self.holds else "FAILS"

    def _repr_html_(self) -> str:
        asked, found = dict(_flat(self.asked)), dict(_flat(self.achieved))
        rows = [(name, asked.get(name, ""), found.get(name, "")) for name in {**asked, **found}]
        smallest = [f"Smallest classes: {', '.join(map(str, self.worst))} records"] if self.worst else []
        return (
            html_sentence(self.mark, f"{self.kind}: {self.sentence}")
            + (html_table(["figure", "asked", "found"], rows) if rows else "")
            + "".join(map(html_note, [*smallest, *self.notes]))
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Verdict":
        return cls(
            **{name: data[name] for name in ("kind", "holds", "asked", "achieved", "sentence")},
            worst=tuple(data.get("worst", ())),
            notes=tuple(data.get("notes", ())),
        )


def _flat(figures: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Figures by name, those inside others under both names.

    >>> list(_flat({"k": 1200, "certain": {"pay": 0.25}}))
    [('k', '1,200'), ('certain: pay', '0.25')]
    """
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}: ")
        else:
            yield f"{above}{name}", _figure(value)


def _figure(value: Any) -> str:
    match value:
        case None:
            return "not known"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}"
        case list() | tuple():
            return ", ".join(map(str, value))
    return str(value)


def smallest_classes(sizes: Ints) -> tuple[int, ...]:
    """The sizes of the smallest classes, smallest first.

    >>> smallest_classes(np.array([9, 2, 3, 8, 7, 6]))
    (2, 3, 6, 7, 8)
    """
    return tuple(int(size) for size in np.sort(sizes)[:SHOWN_CLASSES])


def times(count: int) -> str:
    """
    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"
