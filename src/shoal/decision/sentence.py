"""A sentence with a level: how bad it is what it says."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Level = Literal["safe", "watch", "exposed", "not measured"]
Mark = Level | Literal["holds", "fails", "open"]  # of a verdict; open: it could not be decided


@dataclass(frozen=True)
class Sentence:
    """One sentence of a decision, with its mark where it has one."""

    text: str
    level: Mark | None = None
    name: str | None = None  # what it is about, in a word or two

    def as_dict(self) -> dict[str, Any]:
        return {"sentence": self.text, "level": self.level, "name": self.name}


def worst(levels: Iterable[Mark | None]) -> Level:
    """The worst of what was measured.

    >>> worst(["safe", "not measured", "watch"]), worst([])
    ('watch', 'not measured')
    """
    found = set(levels)
    for level in ("exposed", "watch", "safe"):
        if level in found:
            return level
    return "not measured"
