"""All that was measured of a release, once, for every report on it. It is the owner's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from shoal.adversary.attacks import Folder, open_scene, run_attacks
from shoal.adversary.risk_figures import risk_figures
from shoal.adversary.scene import largest_k
from shoal.decision.class_figures import ClassFigures, class_figures
from shoal.decision.evidence import Evidence, stated_leaks
from shoal.engines.memory.engine import MemoryEngine
from shoal.policy.draft.presets import Preset
from shoal.policy.model.people import row_warnings
from shoal.policy.model.policy import Policy
from shoal.progress import Step, unwatched
from shoal.release.integrity.statements import UNCHECKED
from shoal.release.naming_values import naming_warnings
from shoal.release.opened_release import SEALS, OpenedRelease
from shoal.risk.preset_judgement import Judgement, preset_judgement
from shoal.risk.reidentification import Risk
from shoal.table.read import Source
from shoal.utility.utility import Utility, measure_utility
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.verdict import Verdict

QUERIES = 50  # of a workload, to see how far answers are off


@dataclass(frozen=True)
class Measurements:
    """What was not measured is None. Attacks are the plain values of their results."""

    opened: OpenedRelease
    verdicts: tuple[Verdict, ...]
    attacks: Sequence[Mapping[str, Any]] | None = None
    risk: Risk | None = None
    utility: Utility | None = None
    judged: Judgement | None = None
    classes: ClassFigures | None = None

    @property
    def evidence(self) -> Evidence:
        """What a decision looks at."""
        manifest = self.opened.manifest
        people = manifest.records + manifest.suppressed
        return Evidence(
            manifest.policy,
            people,
            self.verdicts,
            manifest.seeded,
            self.classes,
            self.attacks,
            self.judged,
            stated_leaks(manifest.notes, self.verdicts),
            tuple(map(_unchecked, row_warnings(manifest.notes))),
            tuple(map(_unchecked, naming_warnings(manifest.notes))),
        )


def _unchecked(note: str) -> str:
    """A reason that rests on the word of the manifest alone."""
    return UNCHECKED.format(note=note)


def measure(
    opened: OpenedRelease,
    against: Source | None = None,
    audit: str | PathLike[str] | None = None,
    recoding: str | PathLike[str] | None = None,
    preset: Preset | None = None,
    others: Sequence[Folder] = (),
    on_step: Step = unwatched,
    policy: Policy | str | PathLike[str] | None = None,
) -> Measurements:
    """Verify the release again and count its risk; with the original, attack it (beside other releases of the
    same people) and measure its utility. Changed files are not looked into. The policy that the release was
    made by tells what lies under its labels."""
    on_step("verifying")
    verdicts = tuple(opened.verify(against, audit, recoding, policy=policy, engine=MemoryEngine()))
    found = Measurements(opened, verdicts)
    if any(not verdict.holds for verdict in verdicts if verdict.kind in SEALS):
        return found
    on_step("counting")
    stated, table = opened.policy, opened.read()
    threshold = 1 / largest_k(stated) if preset is None else preset.thresholds.largest_risk
    published = PublishedTable(table)
    risk = risk_figures(published, stated, threshold=threshold)
    kept = all(verdict.holds for verdict in verdicts)
    judged = None if preset is None else preset_judgement(preset, risk, stated, verified=kept)
    found = replace(found, risk=risk, judged=judged, classes=class_figures(published, stated))
    if against is None:
        return found
    scene = open_scene(against, opened, policy, audit, others)
    results = run_attacks(scene, on_step=on_step)
    on_step("measuring utility")
    useful = measure_utility(scene.original.table, table, scene.policy, queries=QUERIES)
    return replace(found, attacks=[result.as_dict() for result in results], utility=useful)
