"""Why no release satisfies a policy, in figures and words: how far off it is, and what would work."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from shoal.policy.model.policy import Policy


@dataclass(frozen=True)
class Shortfall:
    """How much of a guarantee's parameter can be reached while everything else stays as it is."""

    place: int | None  # number of the guarantee
    kind: str
    parameter: str
    asked: Any
    reachable: Any
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "kind": self.kind,
            "parameter": self.parameter,
            "asked": _plain_number(self.asked),
            "reachable": _plain_number(self.reachable),
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class PolicyChange:
    """One parameter with another value, and the policy that then has a release.

    ``besides`` has to change with it: ``policy`` and ``sentence`` have all of it.
    """

    parameter: str
    place: int | None  # number of the guarantee; none for the method
    now: Any
    then: Any
    policy: Policy = field(repr=False)
    sentence: str
    written: tuple[str, ...]  # in the policy file
    costs: float  # share of its range by which it is relaxed
    smallest: bool = True  # else not everything was tried, and less may do
    besides: tuple["PolicyChange", ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "parameter": self.parameter,
            "place": self.place,
            "now": _plain_number(self.now),
            "then": _plain_number(self.then),
            "sentence": self.sentence,
            "written": list(self.written),
            "costs": self.costs,
            "smallest": self.smallest,
            "besides": [change.as_dict() for change in self.besides],
        }


@dataclass(frozen=True)
class Diagnosis:
    """Which guarantees fall short, and what would work, the least change first. It holds no cell."""

    shortfalls: tuple[Shortfall, ...] = ()
    changes: tuple[PolicyChange, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "shortfalls": [one.as_dict() for one in self.shortfalls],
            "changes": [one.as_dict() for one in self.changes],
        }


def _plain_number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value
