"""What can be said of a run, whichever engine it ran on."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.policy import Policy
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.release_html import release_html
from shoal.verify.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class RunSummary(ABC):
    """What a run in memory and a run beyond it both tell; ``result`` is what the method has made, ``rows``
    are those of the table that went in."""

    policy: Policy
    result: ReleaseFigures = field(repr=False)
    key: Key = field(repr=False)
    rows: int
    seeded: bool
    recoded: bool = False  # made by a saved recoding, in place of a search
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    @abstractmethod
    def records(self) -> int:
        """Number of published records."""

    @property
    @abstractmethod
    def verdicts(self) -> list[Verdict]:
        """One verdict for each promise, and one on truth."""

    @property
    def loss(self) -> dict[str, float]:
        """What the release has lost, by the name of the figure."""
        return self.result.loss

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever uses it should know of how it came about."""
        return self.result.notes

    @property
    def limits(self) -> list[str]:
        """What it does not protect against."""
        return protection_limits(self.policy, self.seeded, self.recoded)

    def _repr_html_(self) -> str:
        facts = {
            "method": f"{self.result.method} ({self.result.why})",
            "records": self.records,
            "left out": self.result.suppressed,
            "classes": self.result.classes,
            **{f"loss, {name}": figure for name, figure in self.loss.items()},
        }
        return release_html(facts, self.verdicts, self.limits, self.notes)
