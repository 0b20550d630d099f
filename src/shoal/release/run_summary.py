"""What a run leaves to be told, whichever engine it ran on."""

from typing import Protocol

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.policy.model.policy import Policy


class RunSummary(Protocol):
    """What a run in memory and a run beyond it both tell."""

    @property
    def policy(self) -> Policy: ...

    @property
    def made(self) -> ReleaseFigures: ...

    @property
    def seeded(self) -> bool: ...

    @property
    def rows(self) -> int:
        """Of the table that went in."""
        ...

    @property
    def records(self) -> int:
        """That were published."""
        ...

    @property
    def limits(self) -> list[str]:
        """What it does not protect against."""
        ...
