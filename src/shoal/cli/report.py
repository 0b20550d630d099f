"""``shoal report``."""

import sys
from pathlib import Path
from typing import cast

from shoal.cli.terminal.decision import say_decision
from shoal.cli.terminal.output import say, say_json, steps
from shoal.cli.terminal.standard_output import note_done
from shoal.errors import ShoalError
from shoal.policy.draft.presets import find_preset
from shoal.release.opened_release import open_release
from shoal.report.measurements import measure
from shoal.report.report import AUDIENCES, Audience, Report, report_on
from shoal.report.report_file import check_report_file, write_report
from shoal.table.source import Source


def run_report(
    folder: Path,
    against: Source | None,
    audit: Path | None,
    recoding: Path | None,
    audience: str,
    preset: str | None,
    others: list[Path],
    out: Path | None,
    force: bool,
    as_json: bool,
    key: Path | None = None,
    policy: Path | None = None,
) -> None:
    """Write or print the report on a release, for its owner or for the public."""
    owners = {"--audit": audit, "--recoding": recoding, "--with": others or None, "--policy": policy}
    for option, given in owners.items():
        if given is not None and against is None:
            raise ShoalError(f"{option} needs --against", "give the original table as well.")
    if audience not in AUDIENCES:
        raise ShoalError(f"there is no audience {audience!r}", "say public or owner.")
    judge = None if preset is None else find_preset(preset)
    opened = open_release(folder, key)
    path = Path("report.html") if out is None and not as_json else out
    if path is not None:
        check_report_file(path, [folder, *others], force)
    with steps(quiet=as_json) as step:
        found = measure(opened, against, audit, recoding, judge, others, step, policy)
        report = report_on(found, cast(Audience, audience))
        if path is not None:
            step("writing")
            write_report(report, path)
            note_done(f"the report {str(path)!r} was written")
    if as_json:
        say_json({"report": path and str(path), **report.as_dict()})
    else:
        _tell(report, path)
    if not all(verdict.holds for verdict in found.verdicts):
        sys.exit(1)


def _tell(report: Report, path: Path | None) -> None:
    say_decision(report.decision)
    say(f"\nWrote {path}")
