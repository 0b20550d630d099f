"""``shoal verify``."""

from pathlib import Path

from shoal.cli.output import conclude, steps
from shoal.errors import ShoalError
from shoal.release.opened import open_release


def run_verify(
    folder: Path,
    against: Path | None,
    audit: Path | None,
    population: Path | None,
    recoding: Path | None,
    as_json: bool,
) -> None:
    for option, given in (("--audit", audit), ("--recoding", recoding)):
        if given is not None and against is None:
            raise ShoalError(f"{option} needs --against", "give the original table as well.")
    if population is not None and audit is None:
        raise ShoalError(
            "--population needs --audit", "give the original table and the owner's link as well."
        )
    with steps(quiet=as_json) as step:
        step("verifying")
        verdicts = open_release(folder).verify(against, audit, recoding, population)
    conclude(verdicts, as_json)
