"""``shoal verify``."""

from pathlib import Path
from time import perf_counter

from shoal.cli.engine import refuse_in_memory_only, running_engine
from shoal.cli.terminal.output import conclude, say, say_fingerprint, steps
from shoal.errors import ShoalError
from shoal.release.engine_choice import engine_for
from shoal.release.integrity.judgement_cache import remember_long_judgement
from shoal.release.integrity.manifest import SIGNATURE
from shoal.release.integrity.measurement_limits import verify_measurement_limits
from shoal.release.integrity.release_files import is_file_in
from shoal.release.opened_release import open_release
from shoal.table.source import Source
from shoal.verify.hidden_cells import HIDDEN_CELLS


def run_verify(
    folder: Path,
    against: Source | None,
    audit: Path | None,
    population: Path | None,
    recoding: Path | None,
    key: Path | None,
    as_json: bool,
    engine: str = "auto",
    memory: str | None = None,
    temp: Path | None = None,
    policy: Path | None = None,
) -> None:
    """Check a release against its manifest, its guarantees and, if given, its original."""
    for option, given in (("--audit", audit), ("--recoding", recoding), ("--policy", policy)):
        if given is not None and against is None:
            raise ShoalError(f"{option} needs --against", "give the original table as well.")
    if population is not None and audit is None:
        raise ShoalError(
            "--population needs --audit", "give the original table and the owner's link as well."
        )
    release = open_release(folder)
    chosen = engine_for(release.data, engine, memory)
    started = perf_counter()
    refuse_in_memory_only({"--population": population, "--recoding": recoding}, chosen)
    with steps(quiet=as_json) as step, running_engine(chosen, memory, temp, None, step) as (place, _):
        step("verifying")
        verdicts = release.verify(against, audit, recoding, population, key, policy, place)
    if all(verdict.holds for verdict in verdicts):
        remember_long_judgement(release.manifest, perf_counter() - started)
    fingerprint = release.manifest.fingerprint
    signed = is_file_in(folder, SIGNATURE)
    kinds = {verdict.kind for verdict in verdicts}
    looked = audit is not None and "truth" in kinds
    if not as_json:
        say_fingerprint(fingerprint, unchecked=signed and key is None)
        if looked and HIDDEN_CELLS not in kinds:
            say("leaks: looked for beside the original, none found")
    missing = verify_measurement_limits(leaks=looked)
    besides = {"fingerprint": fingerprint, "signed": signed, "not_measured": list(missing)}
    conclude(verdicts, as_json, besides)
