"""An explanation: plain sentences, and a tiny table before and after."""

from dataclasses import dataclass
from typing import Any, Literal

from shoal.policy.model.policy import Policy

Kind = Literal["guarantee", "method", "word"]


@dataclass(frozen=True)
class ExampleTable:
    """A tiny table, every cell as it would be printed."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        return {"head": list(self.head), "rows": [list(row) for row in self.rows]}


def example_table(head: str, *rows: str) -> ExampleTable:
    """A table from lines whose cells have bars between them.

    >>> example_table("age | illness", "24 | flu").rows
    (('24', 'flu'),)
    """
    first, *rest = (tuple(cell.strip() for cell in line.split("|")) for line in (head, *rows))
    return ExampleTable(first, tuple(rest))


@dataclass(frozen=True)
class Example:
    """A table before and after. Of a guarantee, ``before`` breaks the policy's promise and ``after``
    keeps it; elsewhere the policy's method makes ``after`` of ``before``."""

    before: ExampleTable
    after: ExampleTable
    shows: str  # what to see in it
    policy: Policy

    def as_dict(self) -> dict[str, Any]:
        return {
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "shows": self.shows,
            "policy": self.policy.public(),
        }


@dataclass(frozen=True)
class Explanation:
    """``says`` what it is and what an attacker can no longer do, ``protects_not`` where that ends."""

    name: str
    kind: Kind
    title: str
    says: tuple[str, ...]
    protects_not: str
    example: Example
    source: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "title": self.title,
            "says": list(self.says),
            "protects_not": self.protects_not,
            "example": self.example.as_dict(),
            "source": self.source,
        }
