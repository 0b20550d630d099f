"""What is asked of the plan of a family: the same for every method and engine."""

from dataclasses import dataclass

from shoal.anonymizer.choose import Choice
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.policy import Policy
from shoal.progress import Progress, unwatched


@dataclass(frozen=True)
class PlanRequest:
    """``on_progress`` is told how far a long search is."""

    policy: Policy
    key: Key
    choice: Choice
    on_progress: Progress = unwatched
