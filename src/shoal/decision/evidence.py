"""All that a decision looks at, each part measured or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.decision.class_figures import ClassFigures, class_figures
from shoal.leaks.leak import NOTE_PREFIX
from shoal.policy.model.people import row_warnings
from shoal.policy.model.policy import Policy
from shoal.release.leak_judgement import is_accepted
from shoal.release.naming_values import naming_warnings
from shoal.release.release import Release
from shoal.release.run_summary import RunSummary
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.hidden_cells import HIDDEN_CELLS
from shoal.verify.verdict import Verdict

if TYPE_CHECKING:
    from shoal.risk.preset_judgement import Judgement


@dataclass(frozen=True)
class StatedLeak:
    """What columns tell of hidden cells, in words for everybody and for the owner; ``people`` whose cells
    they tell, where that was counted."""

    public: str
    owner: str
    people: int | None = None


def stated_leaks(notes: Sequence[str], verdicts: Sequence[Verdict]) -> tuple[StatedLeak, ...]:
    """Leaks that the notes of a manifest state or, counted with the owner's link, a verdict."""
    public = [note.removeprefix(NOTE_PREFIX) for note in notes if note.startswith(NOTE_PREFIX)]
    counted = [note for verdict in verdicts if verdict.kind == HIDDEN_CELLS for note in verdict.notes]
    if counted and len(counted) != len(public):
        public = ["columns that are published as they are tell something of hidden cells"] * len(counted)
    return tuple(StatedLeak(*both) for both in zip(public, counted or public, strict=True))


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
    leaks: Sequence[StatedLeak] = ()
    rows: Sequence[str] = ()  # what speaks against taking every row for a person
    named: Sequence[str] = ()  # what looks as if published values named people


def evidence_of_run(
    ran: RunSummary, verdicts: Sequence[Verdict], classes: ClassFigures | None = None
) -> Evidence:
    """What a run has at hand: its verdicts, and what its classes give away, which is counted here of a table
    in memory. Attackers take longer than a run, so nobody is simulated."""
    if isinstance(ran, Release):
        classes = class_figures(PublishedTable(Table(ran.result.table)), ran.policy)
    leaks = [
        StatedLeak(leak.public, leak.counted(is_accepted(leak, ran.policy)), leak.filled or None)
        for leak in ran.result.leaks
    ]
    rows, named = row_warnings(ran.result.notes), naming_warnings(ran.result.notes)
    return Evidence(ran.policy, ran.rows, verdicts, ran.seeded, classes, leaks=leaks, rows=rows, named=named)
