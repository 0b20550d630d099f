"""Look at a table that was chosen: its first rows, its columns and their words, and a draft of a policy."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.comparison.draft_trial import tried_draft
from shoal.engines.first_look import BEGINNING, first_look
from shoal.policy.draft.draft import DraftRequest
from shoal.table.files.reading import Reading
from shoal.table.profile.preview import preview
from shoal.table.profile.word_counts import word_counts
from shoal.table.table import Table
from shoal.web.jobs.task_files import write_json, write_text

SHOWN_ROWS = 10
MOST_WORDS = 5_000  # of a column, to show how it may be generalized
FIRST_ROWS, DRAFT, WORDS = "first_rows.json", "draft.toml", "words"


def profile_task(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Its result is counts only; first rows, words and draft are files beside it."""
    source = Path(arguments["source"])
    if arguments.get("demo"):
        tell("making up a table")
        _make_up(source)
    reading = Reading(**{key: _plain(value) for key, value in arguments.get("reading", {}).items()})
    tell("reading the first rows")
    first = preview(source, SHOWN_ROWS, reading=reading)
    write_json(folder / FIRST_ROWS, {"names": first.names, "rows": first.rows})
    tell("reading")
    table, whole = first_look(source, reading)
    (folder / WORDS).mkdir(mode=0o700)
    for at, name in enumerate(table.names):
        tell("counting words", at / len(table.names))
        write_json(folder / WORDS / f"{at}.json", _words(table, name))
    tell("drafting a policy")
    made = tried_draft(DraftRequest(table, arguments["name"], folder, reading=reading))
    write_text(folder / DRAFT, made.text)
    found = made.found
    proposed = {name: asdict(one) for name, one in made.proposals.items()}
    beginning = "" if whole else BEGINNING.format(rows=found.rows)
    return found.as_dict() | {"proposals": proposed, "beginning": beginning}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _make_up(source: Path) -> None:
    from pyarrow import csv

    from shoal.demo.tax_table import tax_table

    csv.write_csv(tax_table(), source)


def _words(table: Table, name: str) -> list[tuple[str | None, int]]:
    try:
        return list(word_counts(table, name, MOST_WORDS).items())
    except pa.ArrowException:  # lists and other cells that are no words
        return []
