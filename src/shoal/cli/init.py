"""``shoal init``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shoal.cli.terminal.output import say, say_json, steps
from shoal.cli.terminal.standard_output import note_done
from shoal.comparison.draft_trial import tried_draft
from shoal.engines.first_look import BEGINNING, first_look
from shoal.errors import ShoalError
from shoal.policy.draft.draft import DraftRequest
from shoal.policy.draft.draft_policy import HierarchyProposal
from shoal.policy.draft.hierarchy_proposals import hierarchy_files
from shoal.policy.draft.presets import find_preset
from shoal.release.rerun_commands import shell_command
from shoal.table.files.reading import Reading
from shoal.table.profile.profile import ColumnProfile
from shoal.table.source import Source, reading_of_source, source_name


def _unmatched(folder: Path, files: dict[str, Path]) -> list[str]:
    used = {file.name for file in files.values()}
    return sorted(file.name for file in folder.glob("*.csv") if file.name not in used)


def _say_not_used(proposals: Mapping[str, HierarchyProposal]) -> None:
    for name, proposal in proposals.items():
        if not proposal.works:
            of_file = proposal.kind == "file"
            what = f"the hierarchy file of {name}" if of_file else f"a hierarchy of {name}, which has"
            say(f"Not used: {what} {proposal.why}.")


def rows_as_people(column: ColumnProfile, rows: int) -> str:
    """That the draft promises k rows, which may be of fewer people, and the way out."""
    return (
        f"Warning: {column.repeats_in(rows)}, and the draft counts every row as a person. If it numbers "
        'people, give one row per person and delete the line rows = "people" of the draft.'
    )


def run_init(
    data: Source,
    out: Path,
    hierarchies: Path | None,
    preset: str | None,
    reading: Reading,
    force: bool,
    as_json: bool,
) -> None:
    """Write the draft of a policy for a table, with guessed roles to be confirmed."""
    chosen = None if preset is None else find_preset(preset)
    if out.exists() and not force:
        raise ShoalError(f"{str(out)!r} exists", "choose another name with -o, or add --force.")
    with steps(quiet=as_json) as step:
        step("reading")
        table, whole = first_look(data, reading)
        if reading.without_header:
            reading = replace(reading, header=None, names=tuple(table.names))
        files = {} if hierarchies is None else hierarchy_files(hierarchies, table.names)
        step("drafting")
        said = reading_of_source(data, reading)
        made = tried_draft(DraftRequest(table, source_name(data), out.parent, files, chosen, said))
    found, proposals = made.found, made.proposals
    try:
        out.write_text(made.text, encoding="utf-8")
    except OSError:
        raise ShoalError(f"{str(out)!r} cannot be written", "check the folder.") from None
    warnings = [rows_as_people(column, found.rows) for column in found.repeating]
    note_done(f"the draft {str(out)!r} was written")
    if as_json:
        roles = {column.name: column.guess for column in found.columns}
        kinds = {name: proposal.kind for name, proposal in proposals.items() if proposal.works}
        say_json(
            {
                "policy": str(out),
                "preset": preset,
                "guesses": roles,
                "hierarchies": kinds,
                "whole": whole,
                "warnings": warnings,
            }
        )
        return
    _say_not_used(proposals)
    if hierarchies is not None and (spare := _unmatched(hierarchies, files)):
        say(f"Not used: {', '.join(spare)}, named after no column of the table.")
    for warning in warnings:
        say(warning)
    if not whole:
        say(BEGINNING.format(rows=found.rows))
    by = "" if preset is None else f" by preset {preset}, which proves no compliance"
    say(f"Wrote {out}: a draft{by}, every role in it is a guess. Read it, correct it, then:")
    say(f"  {shell_command(['shoal', 'run', str(data), str(out), '-o', 'release'])}")
