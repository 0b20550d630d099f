"""A verdict: does the table keep a promise, how well, and in words that a lawyer can read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Verdict":
        return cls(
            **{name: data[name] for name in ("kind", "holds", "asked", "achieved", "sentence")},
            worst=tuple(data.get("worst", ())),
            notes=tuple(data.get("notes", ())),
        )


def smallest_classes(sizes: NDArray[np.int64]) -> tuple[int, ...]:
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
