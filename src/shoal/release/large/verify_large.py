"""A release beyond memory checked again: its files, its promises and, with the owner's link, its truth."""

from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.engines.disk.engine import DiskEngine
from shoal.engines.protocol import Engine
from shoal.errors import Fault, ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.database.database_check import large_database_faults
from shoal.release.integrity.judgement_cache import is_judged, remember_judgement
from shoal.release.integrity.statements import form_faults, one_spelling_columns, spelling_faults
from shoal.release.large.published_rows import contents_of, published_batches, published_rows
from shoal.release.leak_judgement import leak_verdicts
from shoal.release.linked_leaks import classes_in, linked_leaks
from shoal.release.opened_release import HINT, OpenedRelease, open_release
from shoal.release.storage.audit import audit_batches
from shoal.verify.parts.linked_truth import verify_linked_truth
from shoal.verify.parts.spare_spellings import large_spare_spellings
from shoal.verify.parts.verify_rows import verify_rows, ways_to_read
from shoal.verify.verdict import Verdict


def insist_large(engine: Engine, release: OpenedRelease) -> None:
    """Refuse a release beyond memory that is not what it states: it is looked at part by part, once, and its
    files are compared with their fingerprints each time."""
    known = is_judged(release.manifest)
    verdicts = release.seals() if known else verify_large(engine, release)
    if broken := [verdict for verdict in verdicts if not verdict.holds]:
        raise ShoalError(Fault(verdict.sentence.removesuffix("."), HINT) for verdict in broken)
    if not known:
        remember_judgement(release.manifest)


def verify_large(
    engine: Engine,
    folder: Path | OpenedRelease,
    against: Any = None,
    audit: Path | None = None,
    key: str | PathLike[str] | None = None,
    made_by: Policy | str | PathLike[str] | None = None,
) -> list[Verdict]:
    """As `OpenedRelease.verify`; truth takes the owner's link here, as leaks do. The policy that a release
    was ``made_by`` tells what lies under its labels."""
    if audit is not None and not isinstance(engine, DiskEngine):
        raise ShoalError("the owner's link is read on one machine", "choose --engine disk.")
    release = folder if isinstance(folder, OpenedRelease) else open_release(folder)
    seals = release.seals(key)
    if not all(seal.holds for seal in seals):
        return seals
    if against is not None and audit is None:
        raise ShoalError(
            "without the owner's link, truth can be checked in memory only",
            "give the file that --audit wrote, or leave --against out.",
        )
    policy = release.policy
    published = published_rows(engine, release.data)
    contents = contents_of(published, policy)
    batches = partial(published_batches, release.data)
    if faults := form_faults(release.manifest, contents) or release.letter_faults(batches()):
        return [release.unfounded(faults), *seals[1:]]
    ways, records = ways_to_read(published, policy), contents.records
    spare = large_spare_spellings(published, one_spelling_columns(policy), ways)
    if faults := spelling_faults(spare):
        return [release.unfounded(faults), *seals[1:]]
    found = verify_rows(published, policy, ways, records)
    rebuilt = partial(large_database_faults, release.folder, batches, policy)
    if faults := release.statement_faults(contents, found, rebuilt):
        return [release.unfounded(faults), *seals[1:], *found]
    verdicts = [*seals, *found]
    if against is None or audit is None or not isinstance(engine, DiskEngine):
        return verdicts
    link = partial(audit_batches, audit, records)
    linked = engine.linked_by(link, published)
    original = engine.read(against, reading=policy.how_to_read)
    complete = policy if made_by is None else release.completed(made_by, contents.words)
    truth = verify_linked_truth(linked, original, complete, records)
    leaks = linked_leaks(link, linked, original, complete, records, classes_in(link))
    return [*verdicts, truth, *leak_verdicts(leaks, complete)]
