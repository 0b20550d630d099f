"""``shoal export``."""

from pathlib import Path

from shoal.cli.terminal.output import BOLD, paint, say, say_json, steps
from shoal.cli.terminal.standard_output import note_done
from shoal.release.export.export import export_release
from shoal.release.export.export_form import ExportForm
from shoal.release.opened_release import open_release


def run_export(
    folder: Path, out: Path, form: ExportForm, key: Path | None, force: bool, as_json: bool
) -> None:
    """Write a release into one file and tell what is in it."""
    with steps(quiet=as_json) as step:
        written = export_release(open_release(folder, key), out, form, force, step)
    note_done(f"{written.file} was written")
    if as_json:
        say_json(written.as_dict())
        return
    say(f"Wrote {paint(written.file, BOLD)}: {written.records:,} records, {len(written.columns)} columns")
    if written.labelled:
        say(f"  labels of published codes: {', '.join(written.labelled)}")
    say("  Read back and compared with the release, cell by cell.")
