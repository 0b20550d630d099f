"""Look at a table that was chosen: its first rows, its columns, and a draft of a policy."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal.policy.draft import draft_policy
from shoal.policy.proposals import propose
from shoal.release.private_file import write_privately
from shoal.table.profile import profile
from shoal.table.read import read_table
from shoal.table.table import Table

SHOWN_ROWS = 20
LONGEST_CELL = 200


def profile_task(folder: Path, arguments: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Its result is counts only; the first rows and the draft are files beside it."""
    source = Path(arguments["source"])
    tell("reading")
    table = read_table(source)
    tell("counting")
    found = profile(table)
    tell("drafting a policy")
    proposals = propose(table, found, {}, folder)
    draft = draft_policy(found, arguments["name"], proposals)
    write_privately(folder / "first_rows.json", "file", lambda file: json.dump(_first_rows(table), file))
    write_privately(folder / "draft.toml", "file", lambda file: file.write(draft))
    return found.as_dict() | {"proposals": {name: asdict(one) for name, one in proposals.items()}}


def _first_rows(table: Table) -> list[list[str | None]]:
    rows = table.arrow.slice(0, SHOWN_ROWS)
    columns = [[_shown(value) for value in rows.column(name).to_pylist()] for name in rows.column_names]
    return [list(row) for row in zip(*columns, strict=True)]


def _shown(value: object) -> str | None:
    return None if value is None else str(value)[:LONGEST_CELL]
