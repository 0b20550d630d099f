"""``shoal apply``."""

from pathlib import Path
from time import perf_counter

from shoal.cli.run import say_run
from shoal.cli.terminal.output import steps
from shoal.cli.terminal.standard_output import note_done
from shoal.decision.evidence import evidence_of_run
from shoal.release.apply import apply_recoding
from shoal.release.release_folder import check_targets
from shoal.release.storage.audit import Audit
from shoal.release.storage.recoding_file import load_recoding
from shoal.table.source import Source


def run_apply(
    recoding_file: Path,
    data: Source,
    out: Path,
    chosen_format: str,
    suppression: float | None,
    audit: Path | None,
    sign: Path | None,
    secret_from: Path | None,
    seed: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Apply a saved recoding to a table, write the release and tell what holds."""
    started = perf_counter()
    recoding = load_recoding(recoding_file)
    check_targets(out, chosen_format, audit, force, sign=sign)
    secret = None if secret_from is None else Audit.load(secret_from).secret
    with steps(quiet=as_json) as step:
        release = apply_recoding(recoding, data, suppression, seed, secret, on_step=step)
        verdicts = release.write(out, chosen_format, audit, force, on_step=step, sign=sign)
    note_done(f"the release {str(out)!r} was written")
    say_run(
        release, evidence_of_run(release, verdicts), out, started, as_json, {"recoding": str(recoding_file)}
    )
