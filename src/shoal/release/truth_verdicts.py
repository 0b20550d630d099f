"""A release beside the table that it was made from: truth, and what only its owner can tell."""

from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.protocol import LinkingEngine, Rows
from shoal.errors import ShoalError
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.policy import UNPUBLISHED, Policy
from shoal.release.leak_judgement import leak_verdicts, linked_leak_verdicts
from shoal.release.linked_leaks import classes_in, linked_leaks
from shoal.release.storage.audit import audit_batches, input_rows_of
from shoal.table.read import Source, read_table
from shoal.table.table import Table
from shoal.verify.parts.linked_truth import verify_linked_truth
from shoal.verify.truth.published_levels import verify_levels
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_against

if TYPE_CHECKING:
    from shoal.release.opened_release import OpenedRelease

PolicyFile = Policy | str | PathLike[str]


def truth_in_memory(
    release: "OpenedRelease",
    table: Table,
    against: Source,
    audit: Path | None,
    recoding: str | PathLike[str] | None,
    population: Source | None,
    made_by: PolicyFile | None,
) -> list[Verdict]:
    """Every promise with what the original adds to it, and truth; with the owner's link also leaks."""
    policy = release.policy
    original = read_table(against, reading=policy.how_to_read)
    if faults := column_faults(policy, original.names, optional=UNPUBLISHED):
        raise ShoalError(faults)
    rows = None if audit is None else input_rows_of(audit, len(table), len(original))
    expected = policy.how_to_read.expecting(policy.columns)
    people = None if population is None else read_table(population, reading=expected)
    complete = release.policy_for(original, recoding, made_by)
    verdicts = [
        *release.beside_original(len(original)),
        *verify_against(table, original, complete, rows, people),
    ]
    if levels := verify_levels(table, original, complete):
        verdicts.append(levels)
    return verdicts if rows is None else [*verdicts, *linked_leak_verdicts(table, original, complete, rows)]


def truth_by_link(
    release: "OpenedRelease",
    engine: LinkingEngine,
    published: Rows,
    against: Any,
    audit: Path,
    made_by: PolicyFile | None,
) -> list[Verdict]:
    """Truth and leaks of rows that need not fit into memory, by the owner's link."""
    records = release.manifest.records
    link = partial(audit_batches, audit, records)
    linked = engine.linked_by(link, published)
    original = engine.read(against, reading=release.policy.how_to_read)
    complete = release.policy if made_by is None else release.completed(made_by, engine)
    truth = verify_linked_truth(linked, original, complete, records)
    leaks = linked_leaks(link, linked, original, complete, records, classes_in(link))
    rows = original.fold(len, int.__add__) or 0
    return [*release.beside_original(rows), truth, *leak_verdicts(leaks, complete)]
