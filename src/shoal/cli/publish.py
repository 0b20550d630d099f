"""``shoal publish``."""

from pathlib import Path

from shoal.cli.terminal.output import BOLD, paint, say, say_json, steps, table_lines
from shoal.cli.terminal.standard_output import note_done
from shoal.release.publish import publish


def run_publish(
    folder: Path, url: str, schema: str, force: bool, as_json: bool, key: Path | None = None
) -> None:
    """Load a release into a PostgreSQL schema and tell its tables and views."""
    with steps(quiet=as_json) as step:
        loaded = publish(folder, url, schema, force, step, key)
    note_done(f"the release was loaded into schema {loaded.schema!r}")
    if as_json:
        say_json(loaded.as_dict())
        return
    say(f"Loaded into schema {paint(loaded.schema, BOLD)}")
    rows = [(name, f"{count:,}") for name, count in loaded.tables.items()]
    for line in table_lines([("table", "rows"), *rows]):
        say(f"  {line}")
    if loaded.views:
        say(f"  views: {', '.join(loaded.views)}")
