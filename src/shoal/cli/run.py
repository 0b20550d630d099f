"""``shoal run``."""

import sys
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymized_table import NodeReport
from shoal.cli.terminal.decision import say_decision
from shoal.cli.terminal.infeasible import leave_with_changes
from shoal.cli.terminal.output import (
    DIM,
    paint,
    say,
    say_fingerprint,
    say_json,
    say_limits,
    say_verdicts,
    steps,
    table_lines,
)
from shoal.cli.terminal.standard_output import note_done
from shoal.decision.decision import Decision, decide
from shoal.decision.evidence import evidence_of_run
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, file_hash
from shoal.release.integrity.release_files import is_file_in
from shoal.release.release import anonymize, check_targets, refuse_unsavable_recoding
from shoal.release.run_result import run_result
from shoal.release.run_summary import RunSummary
from shoal.release.storage.audit import Audit
from shoal.report.run_summary import run_summary, utility_of_means
from shoal.startup import announce_compiling
from shoal.verify.verdict import Verdict


def run_run(
    data: Path,
    policy_file: Path,
    out: Path,
    chosen_format: str,
    audit: Path | None,
    save_recoding: Path | None,
    sign: Path | None,
    secret_from: Path | None,
    seed: int | None,
    nodes: bool,
    force: bool,
    as_json: bool,
) -> None:
    started = perf_counter()
    policy = Policy.load(policy_file)
    if save_recoding is not None:
        refuse_unsavable_recoding(policy)
    check_targets(out, chosen_format, audit, force, save_recoding, sign)
    secret = None if secret_from is None else Audit.load(secret_from).secret
    try:
        with steps(quiet=as_json) as step, announce_compiling(step) if sys.stderr.isatty() else nullcontext():
            release = anonymize(
                data, policy, seed, secret, step, lambda share, told: step(f"anonymizing: {told}", share)
            )
            verdicts = release.write(out, chosen_format, audit, force, step, save_recoding, sign)
            note_done(f"the release {str(out)!r} was written")
            utility = utility_of_means(release, step)
    except ShoalError as refused:
        leave_with_changes(refused, data, policy, as_json)
        raise
    decision = decide(evidence_of_run(release, verdicts))
    seconds = {**release.seconds, "total": perf_counter() - started}
    if as_json:
        more = {"decision": decision.as_dict()} | ({"utility": utility} if utility else {})
        say_json(run_result(release, out, verdicts, seconds) | more)
    else:
        say_run(release, out, verdicts, decision, seconds, utility)
        if nodes:
            _tell_nodes(release.made.nodes)


def _tell_nodes(nodes: tuple[NodeReport, ...]) -> None:
    """One row per generalization that was found, the one taken first."""
    if not nodes:
        say("\nThis method does not search among the levels of hierarchies: there are no nodes to list.")
        return
    figures = ("ncp", "distortion", "height", "average_class", "discernibility")
    head = (*nodes[0].levels, "suppressed", *(figure.replace("_", " ") for figure in figures))
    rows = [
        (
            *map(str, node.levels.values()),
            f"{node.suppressed:,}",
            *(f"{node.loss[figure]:.4g}" for figure in figures),
        )
        for node in nodes
    ]
    say(f"\nLevels of the {len(nodes):,} found, the one taken first:")
    for line in table_lines([head, *rows]):
        say(line)


def say_run(
    release: RunSummary,
    out: Path,
    verdicts: list[Verdict],
    decision: Decision,
    seconds: dict[str, float],
    utility: dict[str, Any] | None = None,
    where: str = "",
) -> None:
    for sentence in run_summary(release, utility):
        say(sentence)
    say()
    say_verdicts(verdicts)
    say()
    say_decision(decision)
    say_limits(release.limits, ())
    spent = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items())
    say(f"\nWrote {out}/{where} {paint(f'(seconds: {spent})', DIM)}")
    say_fingerprint(file_hash(out / FILE_NAME), unchecked=is_file_in(out, SIGNATURE))
