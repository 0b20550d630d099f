"""A report on disk: whole or not at all; the owner's for the owner's eyes only."""

import os
from collections.abc import Sequence
from pathlib import Path

from shoal.errors import ShoalError
from shoal.release.storage.new_file import refuse_existing
from shoal.release.storage.private_file import write_privately
from shoal.report.report import Report

WHAT = "report"
READABLE = 0o644


def check_report_file(path: Path, releases: Sequence[Path], force: bool) -> None:
    """What can be known to go wrong, before any work is done."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ShoalError(f"a report cannot be written as {path.name!r}", "end its name in .html.")
    refuse_existing(path, force)
    if any(release.resolve() in path.resolve().parents for release in releases):
        raise ShoalError(
            "the report would lie inside the release, which holds no file that it does not list",
            "choose another place.",
        )


def write_report(report: Report, path: Path) -> None:
    """Write a report as one page; others may read only the public one."""
    page = report.to_html()
    write_privately(path, WHAT, lambda file: file.write(page))
    if report.audience == "public":
        path.chmod(READABLE & ~_mask())


def _mask() -> int:
    """What this user takes away from others by default."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
