"""What is asked of the plan of a family: the same for every method and engine."""

from collections.abc import Callable
from dataclasses import dataclass

from shoal.anonymizer.choose import Choice
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.policy import Policy

Progress = Callable[[float, str], None]  # the share of the time that has passed, and how far it is


def unwatched(_share: float, _standing: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True)
class PlanRequest:
    """``on_progress`` is told how far a long search is."""

    policy: Policy
    key: Key
    choice: Choice
    on_progress: Progress = unwatched
