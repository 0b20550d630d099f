"""``shoal run`` on tables beyond memory: on the disk of this machine, or on Spark."""

import sys
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter

from shoal.cli.engine import running_engine
from shoal.cli.run import say_run
from shoal.cli.terminal.output import say_json, steps
from shoal.cli.terminal.standard_output import note_done
from shoal.decision.decision import decide
from shoal.decision.evidence import evidence_of_run
from shoal.decision.large_class_figures import large_class_figures
from shoal.display import sized
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.large_release import release_large
from shoal.release.release import check_targets
from shoal.release.run_result import run_result
from shoal.release.storage.audit import Audit
from shoal.startup import announce_compiling


def run_large(
    data: Path,
    policy_file: Path,
    out: Path,
    chosen_format: str,
    audit: Path | None,
    sign: Path | None,
    secret_from: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
    engine: str,
    memory: str | None,
    temp: Path | None,
    master: str | None,
) -> None:
    started = perf_counter()
    policy = Policy.load(policy_file)
    secret = None if secret_from is None else Audit.load(secret_from).secret
    if engine == "spark" and chosen_format != "parquet":
        raise ShoalError("Spark writes Parquet only", "use --format parquet.")
    check_targets(out.absolute(), chosen_format, audit, force, sign=sign)
    with (
        steps(quiet=as_json) as step,
        announce_compiling(step) if sys.stderr.isatty() else nullcontext(),
        running_engine(engine, memory, temp, master, step, out.absolute()) as (place, watched),
    ):
        release = release_large(
            place,
            data,
            policy,
            out,
            chosen_format,
            audit,
            force,
            seed,
            secret,
            watched.begin,
            sign,
            lambda share, told: step(f"anonymizing: {told}", share),
        )
        note_done(f"the release {str(out)!r} was written")
        watched.begin("counting what classes give away")
        classes = large_class_figures(place, out / f"data.{chosen_format}", policy, release.records)
    seconds = {**release.seconds, "total": perf_counter() - started}
    decision = decide(evidence_of_run(release, release.verdicts, classes))
    used = {"name": engine, "bytes_spilled": watched.bytes_spilled}
    if as_json:
        say_json(
            run_result(release, out, release.verdicts, seconds)
            | {"decision": decision.as_dict(), "engine": used}
        )
    else:
        spilled = watched.bytes_spilled
        more = f"; {sized(spilled)} went through temporary files" if spilled else ""
        say_run(release, out, release.verdicts, decision, seconds, where=f" on the engine {engine!r}{more}")
