"""All that a decision looks at, each part measured or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.decision.class_figures import ClassFigures, class_figures, figures_of_run
from shoal.policy.policy import Policy
from shoal.release.ran import Ran
from shoal.release.release import Release
from shoal.table.table import Table
from shoal.verify.cells import Published
from shoal.verify.verdict import Verdict

if TYPE_CHECKING:
    from shoal.attack.meets import Judgement


@dataclass(frozen=True)
class Evidence:
    """``people`` are all of the original table. What was not measured is None; attacks are the plain values
    of their results."""

    policy: Policy
    people: int
    verdicts: Sequence[Verdict]
    seeded: bool = False
    classes: ClassFigures | None = None
    attacks: Sequence[Mapping[str, Any]] | None = None
    judged: "Judgement | None" = None


def evidence_of_run(ran: Ran, verdicts: Sequence[Verdict]) -> Evidence:
    """What a run has at hand: its verdicts and, in memory, what the classes of its table give away. Attackers
    take longer than a run, so nobody is simulated here."""
    if isinstance(ran, Release):
        classes = class_figures(Published(Table(ran.made.table)), ran.policy)
    else:
        classes = figures_of_run(ran)
    return Evidence(ran.policy, ran.rows, verdicts, ran.seeded, classes)
