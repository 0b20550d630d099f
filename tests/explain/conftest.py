"""Examples as files, and what methods make of them."""

import csv
from collections import Counter
from pathlib import Path

from shoal.explain.explanation import Example, ExampleTable
from shoal.policy.model.policy import GROUP
from shoal.release.release import Release, anonymize_in_memory

SEED = 1  # the examples show what these choices give


def written(grid: ExampleTable, folder: Path) -> Path:
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([grid.head, *grid.rows])
    return path


def made(example: Example, folder: Path) -> Release:
    return anonymize_in_memory(written(example.before, folder), example.policy, seed=SEED)


def published(release: Release, folder: Path) -> ExampleTable:
    """The table as it was written, after every promise was checked."""
    release.write(folder / "release")
    with (folder / "release" / "data.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return ExampleTable(tuple(head), tuple(map(tuple, rows)))


def alike(one: ExampleTable, other: ExampleTable, sensitive: list[str]) -> bool:
    """The same rows in any order; of a permuted table, the same groups with the same values in them."""
    return one.head == other.head and _content(one, sensitive) == _content(other, sensitive)


def _content(grid: ExampleTable, sensitive: list[str]) -> object:
    if GROUP not in grid.head:
        return Counter(grid.rows)
    records = [dict(zip(grid.head, row, strict=True)) for row in grid.rows]
    groups = {record[GROUP] for record in records}
    return {_group([record for record in records if record[GROUP] == one], sensitive) for one in groups}


def _group(records: list[dict[str, str]], sensitive: list[str]) -> tuple[object, ...]:
    others = [name for name in records[0] if name not in (*sensitive, GROUP)]
    return (
        tuple(sorted(tuple(record[name] for name in others) for record in records)),
        *(tuple(sorted(record[name] for record in records)) for name in sensitive),
    )
