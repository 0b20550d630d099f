"""``shoal profile``."""

from shoal.cli.terminal.output import say, say_json, steps, table_lines
from shoal.cli.terminal.reading_options import choice_options
from shoal.engines.first_look import BEGINNING, first_look
from shoal.release.rerun_commands import shell_command
from shoal.table.files.reading import Reading
from shoal.table.profile.profile import profile
from shoal.table.source import Source


def run_profile(data: Source, reading: Reading, as_json: bool) -> None:
    """Tell what the columns of a table are like and which roles they may have."""
    with steps(quiet=as_json) as step:
        step("reading")
        table, whole = first_look(data, reading)
        step("counting")
        found = profile(table)
    if as_json:
        say_json(found.as_dict() | {"whole": whole})
        return
    head = ("column", "kind", "missing", "different", "unique", "role (a guess)")
    rows = [
        (
            column.name,
            column.kind,
            f"{column.missing:,}",
            f"{column.distinct:,}",
            f"{column.unique:,}",
            f"{column.guess}: {column.why}",
        )
        for column in found.columns
    ]
    if not whole:
        say(BEGINNING.format(rows=found.rows))
    say(f"{found.rows:,} rows, {len(found.columns)} columns")
    for line in table_lines([head, *rows]):
        say(line)
    if repeating := found.repeating:
        names = ", ".join(column.name for column in repeating)
        say(f"\n{names}: the same value stands in several rows. Promises count every row as a person;")
        say('give one row per person, or say rows = "people" in the policy if these are different people.')
    say(f"\nNext: {shell_command(['shoal', 'init', str(data), *choice_options(data)])}")
