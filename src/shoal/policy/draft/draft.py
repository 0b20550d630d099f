"""A draft for a table, from the first look to the text: spellings, roles, hierarchies, promises.

Cells are read as the draft says before anything is guessed of them, so that what it promises is about the
values that a run will see. Columns that a trial found to give others away are left out with the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.policy.draft.diversity_proposals import propose_diversity
from shoal.policy.draft.draft_policy import NUMERIC, DraftParts, HierarchyProposal, draft_policy
from shoal.policy.draft.hierarchy_proposals import FEW, propose_hierarchies, with_known_columns
from shoal.policy.draft.preset_text import preset_text
from shoal.policy.draft.presets import Preset
from shoal.policy.draft.spelling_proposals import SpellingProposal, propose_spellings
from shoal.policy.model.reading_rules import reader_of
from shoal.policy.model.type_spec import TypeSpec
from shoal.table.files.reading import AS_IT_LOOKS, Reading
from shoal.table.profile.profile import ColumnProfile, Profile, profile
from shoal.table.profile.role_guess import LEFT_OUT, NUMBERS_ROWS, WEIGHT
from shoal.table.rules.column_readers import ColumnReaders
from shoal.table.rules.missing_codes import MissingCodes
from shoal.table.table import Table

NOTHING_SAID: Mapping[str, str] = {}
Spellings = Mapping[str, SpellingProposal]
GAPS = "few different numbers, of which some are missing: missing is a value like them"
LAST_LEFT = "no other column is left that somebody could know"


@dataclass(frozen=True)
class Draft:
    """A drafted policy and what it was drafted from."""

    text: str
    found: Profile
    proposals: Mapping[str, HierarchyProposal]


@dataclass(frozen=True)
class DraftRequest:
    """What a draft is made for: a table called ``source``, with the policy in the folder ``beside``."""

    table: Table
    source: str
    beside: Path = Path()
    files: Mapping[str, Path] = field(default_factory=dict)
    preset: Preset | None = None
    reading: Reading = AS_IT_LOOKS


def draft(asked: DraftRequest, left_out: Mapping[str, str] = NOTHING_SAID, diverse: bool = True) -> Draft:
    """The draft; columns that are ``left_out`` for a reason, and not ``diverse``: without promises about
    sensitive values, which are comments then."""
    spellings = propose_spellings(asked.table)
    table, found = _looked_at(asked.table, spellings)
    if gaps := _few_with_gaps(found, spellings):
        spellings = spellings | gaps
        table, found = _looked_at(asked.table, spellings)
    found = with_known_columns(found, asked.files)
    found = _with_somebody_known(_without(found, left_out, spellings))
    proposals = propose_hierarchies(table, found, asked.files, asked.beside)
    demanded = None if asked.preset is None else preset_text(asked.preset, found, alone=not diverse)
    parts = DraftParts(spellings, propose_diversity(table, found), diverse)
    text = draft_policy(found, asked.source, proposals, demanded, asked.reading, parts)
    return Draft(text, found, proposals)


def _looked_at(table: Table, spellings: Spellings) -> tuple[Table, Profile]:
    read = read_as_proposed(table, spellings)
    return read, profile(read, [name for name, one in spellings.items() if one.entry == "category"])


def read_as_proposed(table: Table, spellings: Spellings) -> Table:
    """The table as a policy with these proposals reads it."""
    codes = [(name, tuple(map(str, one.codes))) for name, one in spellings.items() if one.codes]
    readers = [(name, reader_of(_spec(one.entry))) for name, one in spellings.items() if one.entry]
    rows = table.arrow
    missing = MissingCodes(tuple(codes))
    rows = missing(rows) if codes else rows
    if readers:
        rows = ColumnReaders(tuple(readers))(rows)
        rows = missing(rows) if codes else rows
    return Table(rows, table.lines)


def _spec(entry: Any) -> TypeSpec:
    return TypeSpec(**({"kind": entry} if isinstance(entry, str) else entry))


def _few_with_gaps(found: Profile, spellings: Spellings) -> dict[str, SpellingProposal]:
    """Numbers too few for ranges, some of them missing, are words: no range has a place for a gap."""
    return {
        column.name: replace(spellings.get(column.name, SpellingProposal()), entry="category", why=GAPS)
        for column in found.columns
        if column.guess == "quasi" and column.missing and column.kind in NUMERIC and column.distinct <= FEW
    }


def _without(
    found: Profile, left_out: Mapping[str, str], spellings: Mapping[str, SpellingProposal]
) -> Profile:
    hints = {name: one.hint for name, one in spellings.items() if one.hint}

    def changed(column: ColumnProfile) -> ColumnProfile:
        if column.name in left_out:
            return replace(column, guess="drop", why=left_out[column.name], sure="high", additive=False)
        if column.name in hints and column.guess != "identifier":
            return replace(column, guess="drop", why=hints[column.name], sure="high", additive=False)
        return column

    return replace(found, columns=tuple(map(changed, found.columns)))


def _with_somebody_known(found: Profile) -> Profile:
    """A policy needs a column that somebody may know."""
    if any(column.guess == "quasi" for column in found.columns):
        return found
    left = [one for one in found.columns if one.guess in ("sensitive", "other")]
    left = left or [one for one in found.columns if one.why in (NUMBERS_ROWS, LEFT_OUT, WEIGHT)]
    if not left:
        return found
    chosen = max(left, key=lambda one: (one.guess == "other" and one.distinct > 1, one.distinct)).name
    return replace(found, columns=tuple(
        replace(one, guess="quasi", why=LAST_LEFT, sure="low") if one.name == chosen else one
        for one in found.columns
    ))  # fmt: skip
