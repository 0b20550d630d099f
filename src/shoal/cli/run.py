"""``shoal run``."""

import sys
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymized_table import NodeReport
from shoal.cli.engine import refuse_in_memory_only, running_engine
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
from shoal.decision.decision import decide
from shoal.decision.evidence import Evidence
from shoal.decision.run_with_evidence import run_with_evidence
from shoal.display import sized
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.engine_choice import is_in_memory
from shoal.release.integrity.manifest import FILE_NAME, SIGNATURE, file_hash
from shoal.release.integrity.release_files import is_file_in
from shoal.release.release import refuse_unsavable_recoding
from shoal.release.release_folder import check_targets
from shoal.release.run_result import run_result
from shoal.release.run_summary import RunSummary
from shoal.release.storage.audit import Audit
from shoal.report.run_sentences import run_sentences, utility_of_means
from shoal.startup import announce_compiling
from shoal.table.source import Source


def run_run(
    data: Source,
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
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
) -> None:
    """Anonymize a table, write the release and tell what holds, on the engine of this name."""
    refuse_in_memory_only({"--save-recoding": save_recoding, "--nodes": nodes}, engine)
    started = perf_counter()
    policy = Policy.load(policy_file)
    if save_recoding is not None:
        refuse_unsavable_recoding(policy)
    if engine == "spark" and chosen_format != "parquet":
        raise ShoalError("Spark writes Parquet only", "use --format parquet.")
    check_targets(out, chosen_format, audit, force, save_recoding, sign)
    secret = None if secret_from is None else Audit.load(secret_from).secret
    try:
        with (
            steps(quiet=as_json) as step,
            announce_compiling(step) if sys.stderr.isatty() else nullcontext(),
            running_engine(engine, memory, temp, master, step, out.absolute()) as (place, watched),
        ):
            release, evidence = run_with_evidence(
                place, data, policy, out, chosen_format, audit, force, seed, secret, sign, save_recoding,
                watched.begin, lambda share, told: step(f"anonymizing: {told}", share),
            )  # fmt: skip
            note_done(f"the release {str(out)!r} was written")
            utility = utility_of_means(release, step)
    except ShoalError as refused:
        if is_in_memory(engine):
            leave_with_changes(refused, data, policy, as_json)
        raise
    more: dict[str, Any] = {"utility": utility} if utility else {}
    if not is_in_memory(engine):
        more["engine"] = {"name": engine, "bytes_spilled": watched.bytes_spilled}
    say_run(release, evidence, out, started, as_json, more)
    if nodes and not as_json:
        _tell_nodes(release.result.nodes)


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
    release: RunSummary, evidence: Evidence, out: Path, started: float, as_json: bool, more: dict[str, Any]
) -> None:
    """What a run has made since it ``started``; with ``more`` for whoever reads JSON."""
    verdicts, decision = list(evidence.verdicts), decide(evidence)
    seconds = {**release.seconds, "total": perf_counter() - started}
    if as_json:
        say_json(run_result(release, out, verdicts, seconds) | {"decision": decision.as_dict()} | more)
        return
    for sentence in run_sentences(release, more.get("utility")):
        say(sentence)
    say()
    say_verdicts(verdicts)
    say()
    say_decision(decision)
    say_limits(release.limits, ())
    spent = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items())
    say(f"\nWrote {out}/{_where(**more.get('engine', {}))} {paint(f'(seconds: {spent})', DIM)}")
    say_fingerprint(file_hash(out / FILE_NAME), unchecked=is_file_in(out, SIGNATURE))


def _where(name: str = "", bytes_spilled: int = 0) -> str:
    """The engine that was used beyond memory, and how much of its disk."""
    spilled = f"; {sized(bytes_spilled)} went through temporary files" if bytes_spilled else ""
    return f" on the engine {name!r}{spilled}" if name else ""
