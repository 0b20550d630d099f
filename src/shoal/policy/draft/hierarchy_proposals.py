"""Hierarchies to begin with: for every column that may be generalized a guess, for the owner to correct.

Widths and shares are round numbers (1, 2, 5, 10, ...), so a draft shows no cell of the table.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.errors import ShoalError
from shoal.hierarchy.read import read_hierarchy
from shoal.policy.draft.draft_policy import DEFAULT_K, NUMERIC, HierarchyProposal
from shoal.policy.toml import toml_text
from shoal.table.columns.categories import categories_from_arrow
from shoal.table.columns.numbers import Numbers
from shoal.table.profile.column_names import looks_postal
from shoal.table.profile.profile import LEFT_OUT, WRITE_DATES, ColumnProfile, Profile
from shoal.table.table import Table

FEW = 8  # so many values need no groups
GROUPS = (20, 8, 4)  # about so many ranges on each level
BULK = (0.02, 0.98)  # widths are measured without the outermost values
LONGEST_CODE = 10
DATE = r"\d{4}-\d{2}-\d{2}([T ].*)?"
QUARTERS = '{ dates = ["month", "quarter", "year"] }'
DECADES = '{ dates = ["month", "year", "decade"] }'
YEARS = 3  # dates of fewer years are grouped more finely
RARE, HALF = Decimal("0.01"), Decimal("0.5")


def propose_hierarchies(
    table: Table, found: Profile, files: Mapping[str, Path], beside: Path
) -> dict[str, HierarchyProposal]:
    """A proposal for every quasi column that needs one; ``beside`` is the folder of the policy."""
    k = min(DEFAULT_K, found.rows)
    proposals = {}
    for column in found.columns:
        if column.guess != "quasi":
            continue
        file = files.get(column.name)
        proposal = _built(table, column, k) if file is None else _from_file(table, column.name, file, beside)
        if proposal is not None:
            proposals[column.name] = proposal
    return proposals


def hierarchy_files(folder: Path, names: list[str]) -> dict[str, Path]:
    """The files of a folder that are named after columns: ``age.csv`` or ``..._hierarchy_age.csv``."""
    if not folder.is_dir():
        raise ShoalError(f"there is no folder {str(folder)!r}", "give the folder of your hierarchy files.")
    stems = {_plain(file.stem): file for file in sorted(folder.glob("*.csv"), reverse=True)}
    found = {}
    for name in names:
        wanted = _plain(name)
        fitting = [stem for stem in stems if stem.endswith(f"hierarchy-{wanted}")]
        spellings = (wanted, f"{wanted}-hierarchy", *fitting)
        if file := next((stems[stem] for stem in spellings if stem in stems), None):
            found[name] = file
    if not found:
        raise ShoalError(
            f"no file in {str(folder)!r} is named after a column of the table",
            "name each file like its column, for example age.csv.",
        )
    return found


def _plain(name: str) -> str:
    """Names differ in capitals, blanks and dashes only: they mean the same.

    >>> _plain("Marital_Status") == _plain("marital-status")
    True
    """
    return re.sub(r"[\W_]+", "-", name.lower())


def with_known_columns(found: Profile, files: Mapping[str, Path]) -> Profile:
    """Somebody who has a hierarchy for a column means to generalize it."""
    return replace(found, columns=tuple(
        replace(column, guess="quasi", why="there is a hierarchy for it")
        if column.name in files and (column.guess == "other" or column.why == LEFT_OUT)
        else column
        for column in found.columns
    ))  # fmt: skip


def _from_file(table: Table, name: str, file: Path, beside: Path) -> HierarchyProposal:
    written = toml_text(Path(os.path.relpath(file, beside)).as_posix())
    try:
        hierarchy = read_hierarchy(file, name)
    except ShoalError as error:
        return HierarchyProposal("file", written, error.faults[0].what, works=False)
    words = [word for word in categories_from_arrow(table.column(name)).word_counts() if word is not None]
    if unknown := int((hierarchy.codes(words) < 0).sum()):
        return HierarchyProposal("file", written, f"lacks {unknown:,} of the column's values", works=False)
    return HierarchyProposal(
        "file", written, f"named after the column; levels above its values: {hierarchy.height}"
    )


def _built(table: Table, column: ColumnProfile, k: int) -> HierarchyProposal | None:
    name = column.name
    try:
        counts = categories_from_arrow(table.column(name)).word_counts()
    except pa.ArrowException:  # lists and other cells that are no words
        return None
    words = [word for word in counts if word is not None]
    if not words:
        return None
    numeric = column.kind in NUMERIC
    if _codes(name, words, numeric):
        return HierarchyProposal("mask", '{ mask = "right" }', "characters are starred from the right")
    if numeric and all(Decimal(word).is_finite() for word in words):
        return _intervals(table.numbers(name), column.distinct)
    if all(re.fullmatch(DATE, word) for word in words):
        return _dates(words)
    if column.advice == WRITE_DATES:
        return HierarchyProposal("dates", DECADES, WRITE_DATES, works=False)
    return None if numeric else _frequency([counts[word] for word in words], k)


def _codes(name: str, words: list[str], numeric: bool) -> bool:
    """Digits of one length that are no number, or whatever a column of postal codes holds."""
    lengths = set(map(len, words))
    if looks_postal(name):
        return len(lengths) == 1 or (not numeric and max(lengths) <= LONGEST_CODE)
    return not numeric and lengths != {1} and len(lengths) == 1 and all(map(str.isdecimal, words))


def _intervals(numbers: Numbers, distinct: int) -> HierarchyProposal | None:
    if distinct <= FEW:
        return None
    units = numbers.units[~numbers.missing]
    low, high = np.quantile(units, BULK, method="nearest").tolist()
    if low == high:
        low, high = int(units.min()), int(units.max())
    widths = interval_widths(Decimal(high - low).scaleb(-numbers.scale), whole=numbers.scale == 0)
    written = ", ".join(f"{width:f}" for width in widths)
    return HierarchyProposal("intervals", f"{{ intervals = [{written}] }}", "ranges of these widths")


def interval_widths(span: Decimal, whole: bool) -> list[Decimal]:
    """Round widths, each a multiple of the one before, for about 20, 8 and 4 ranges.

    >>> [int(width) for width in interval_widths(Decimal(73), whole=True)]
    [5, 10, 20]
    """
    widths: list[Decimal] = []
    for groups in GROUPS:
        nearest = _nearest_step(span / groups)
        fitting = (
            step
            for step in _steps(nearest)
            if not (whole and step < 2) and not (widths and (step <= widths[-1] or step % widths[-1]))
        )
        widths.append(next(fitting))
    return [width for width in widths if width < span] or widths[:1]


def _nearest_step(size: Decimal) -> Decimal:
    """The round number nearest to a size, as a ratio."""
    below = Decimal(1).scaleb(size.adjusted())
    return min((below * times for times in (1, 2, 5, 10)), key=lambda step: max(step / size, size / step))


def _steps(first: Decimal) -> Iterator[Decimal]:
    """1, 2, 5, 10, 20, 50, ... from one of them on."""
    step = first
    while True:
        yield step
        step *= Decimal("2.5") if step.normalize().as_tuple().digits == (2,) else 2


def _dates(words: list[str]) -> HierarchyProposal | None:
    try:
        days = [date.fromisoformat(word[:10]) for word in words]
    except ValueError:
        return None
    short = max(days).year - min(days).year <= YEARS
    return HierarchyProposal("dates", QUARTERS if short else DECADES, "days become these")


def _frequency(counts: list[int], k: int) -> HierarchyProposal | None:
    """Words that few share become one group, then those that are five times as frequent."""
    total = sum(counts)
    share = max(_nearest_step(Decimal(k) / total), RARE)
    shares = [one for one in (share, share * 5) if one < HALF]
    if len(counts) <= FEW or not shares or min(counts) >= share * total:
        return None
    written = ", ".join(f"{one:f}" for one in shares)
    return HierarchyProposal("frequency", f"{{ frequency = [{written}] }}", "rarer values become one group")
