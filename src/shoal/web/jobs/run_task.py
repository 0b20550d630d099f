"""Anonymize a table under a policy, verify what was written, keep it only if all holds."""

from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.comparison.compare import comparison_figures
from shoal.comparison.diagnosis import PolicyChange
from shoal.decision.decision import decide
from shoal.decision.evidence import Evidence
from shoal.decision.run_with_evidence import run_with_evidence
from shoal.engines.memory.engine import MemoryEngine
from shoal.engines.row_progress import RowProgress
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.policy.text.policy_text import plain_mapping, policy_text
from shoal.policy.toml import toml_mapping
from shoal.release.engine_choice import disk_engine, engine_for, is_in_memory
from shoal.release.release import Release
from shoal.release.run_result import run_result
from shoal.release.run_summary import RunSummary
from shoal.release.side_by_side import release_side_by_side
from shoal.report.run_sentences import run_sentences, short_loss, utility_of_means
from shoal.startup import announce_compiling
from shoal.web.jobs.failure_diagnosis import FailureDiagnosis
from shoal.web.jobs.task_files import write_json, write_text

POLICY, RELEASE, AUDIT, RESULT, ROWS = "policy.toml", "release", "audit.csv", "result.json", "rows.json"
FIGURES = "figures.json"  # for comparisons
CHANGED = "change-{}.toml"  # policies that would work, counted from 1
CHOICES = 3  # of classes to show
SHOWN_ROWS = 20
MOST_CHANGES = 5
IN_SHORT = ("method", "rows", "published", "suppressed", "classes", "loss", "short_loss")


def run_task(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The policy lies in the job's folder, as it was when the run was asked for. A table beyond memory goes
    by way of the disk; rows before and after, and what a comparison needs, are of tables in memory only."""
    started = perf_counter()
    source = Path(arguments["source"])
    text = (folder / POLICY).read_text(encoding="utf-8")
    policy = Policy.parse(text, source.parent)
    in_memory = is_in_memory(engine_for(source))
    try:
        with announce_compiling(tell) as told:
            watched = RowProgress(told)
            release, evidence = run_with_evidence(
                MemoryEngine() if in_memory else disk_engine(folder=folder, watched=watched),
                source,
                policy,
                folder / RELEASE,
                arguments["format"],
                folder / AUDIT,
                on_step=watched.begin,
                on_progress=lambda share, detail: told("anonymizing", share, detail),
            )
    except ShoalError as refused:
        raise _diagnosed(refused, folder, source, policy, tell) if in_memory else refused from None
    if isinstance(release, Release):
        tell("looking at rows before and after")
        choices = [asdict(release_side_by_side(release, SHOWN_ROWS, choice)) for choice in range(CHOICES)]
        write_json(folder / ROWS, choices)
    seconds = {**release.seconds, "total": perf_counter() - started}
    result = _result(release, folder / RELEASE, evidence, seconds, utility_of_means(release, tell))
    write_json(folder / RESULT, result)
    if isinstance(release, Release):
        tell("measuring what a comparison needs")
        write_json(folder / FIGURES, asdict(comparison_figures(release, list(evidence.verdicts))))
    return {name: result[name] for name in IN_SHORT}


def _result(
    release: RunSummary,
    folder: Path,
    evidence: Evidence,
    seconds: dict[str, float],
    utility: dict[str, Any] | None,
) -> dict[str, Any]:
    """The result as ``shoal run --json`` has it, and the same in words."""
    verdicts = list(evidence.verdicts)
    return run_result(release, folder, verdicts, seconds) | {
        "release": RELEASE,
        "decision": decide(evidence).as_dict(),
        "verdicts": [verdict.as_dict() | {"mark": verdict.mark.lower()} for verdict in verdicts],
        "told": run_sentences(release, utility),
        "short_loss": short_loss(release),
        "limits": release.limits,
        **({"utility": utility} if utility else {}),
    }


def _diagnosed(refused: ShoalError, folder: Path, source: Path, policy: Policy, tell: Any) -> ShoalError:
    """The error of a policy that asks for too much, with how far off it is and policies that would work, each
    in a file."""
    from shoal.comparison.smallest_change import asks_too_much, diagnose

    if not asks_too_much(refused, source, policy):
        return refused
    tell("looking for the smallest change that works")
    found = diagnose(
        source,
        policy,
        refused,
        on_step=lambda text: tell("looking for the smallest change that works", None, text),
    )
    changes = found.changes[:MOST_CHANGES]
    for place, change in enumerate(changes, 1):
        write_text(folder / CHANGED.format(place), _changed_text(folder, change))
    shortfalls = [one.as_dict() for one in found.shortfalls]
    return FailureDiagnosis(
        refused.faults, {"shortfalls": shortfalls, "changes": [one.as_dict() for one in changes]}
    )


def _changed_text(folder: Path, change: PolicyChange) -> str:
    """The policy as it was written, with other guarantees or another method."""
    mapping = toml_mapping((folder / POLICY).read_text(encoding="utf-8"))
    changed = plain_mapping(change.policy)
    return policy_text({**mapping, "guarantees": changed["guarantees"], "method": changed.get("method", {})})
