"""A table goes all the way on any engine: anonymized, written, and with the evidence to decide about it."""

from pathlib import Path
from typing import Any

from shoal.decision.evidence import Evidence, evidence_of_run
from shoal.engines.protocol import Engine
from shoal.policy.model.policy import Policy
from shoal.progress import Progress, Step, unwatched
from shoal.release.engine_choice import is_in_memory
from shoal.release.release import anonymize_in_memory
from shoal.release.run_summary import RunSummary


def run_with_evidence(
    engine: Engine,
    source: Any,
    policy: Policy,
    target: Path,
    format: str = "csv",
    audit: Path | None = None,
    force: bool = False,
    seed: int | None = None,
    secret: bytes | None = None,
    sign: Path | None = None,
    recoding: Path | None = None,
    on_step: Step = unwatched,
    on_progress: Progress = unwatched,
) -> tuple[RunSummary, Evidence]:
    """The release that was written to a folder, and what a decision looks at; in memory alone a ``recoding``
    can be saved."""
    if is_in_memory(engine):
        release = anonymize_in_memory(source, policy, seed, secret, on_step, on_progress)
        verdicts = release.write(target, format, audit, force, on_step, recoding, sign)
        return release, evidence_of_run(release, verdicts)
    from shoal.decision.large_class_figures import large_class_figures  # brings kernels up
    from shoal.release.large_release import release_large

    stored = release_large(
        engine, source, policy, target, format, audit, force, seed, secret, on_step, sign, on_progress
    )
    on_step("counting what classes give away")
    classes = large_class_figures(engine, target / f"data.{format}", policy, stored.records)
    return stored, evidence_of_run(stored, stored.verdicts, classes)
