"""A release of a table beyond memory: made, written, verified from what was written, and only then kept."""

from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymize import anonymize_rows
from shoal.engines.protocol import Engine
from shoal.engines.steps.shuffle import shuffle
from shoal.errors import ShoalError
from shoal.policy.model.people import people_faults, people_notes
from shoal.policy.model.policy import Policy
from shoal.release.leak_judgement import figures_with_leaks
from shoal.release.linked_leaks import linked_leaks
from shoal.release.people_in_rows import repeats_and_keys
from shoal.release.release import check_targets, random_key
from shoal.release.storage.atomic_folder import atomic_folder
from shoal.release.stored_release import Clock, StoredRelease, store_rows
from shoal.watchers import Progress, Step, unwatched


def release_large(
    engine: Engine,
    source: Any,
    policy: Policy | str | PathLike[str],
    target: str | PathLike[str],
    format: str = "parquet",
    audit: str | PathLike[str] | None = None,
    force: bool = False,
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
    sign: str | PathLike[str] | None = None,
    on_progress: Progress = unwatched,
) -> StoredRelease:
    """Anonymize a path or frame on an engine and write the folder whole, or nothing. ``on_step`` is told what
    is under way, ``on_progress`` how far a long search is."""
    folder, audit_file = Path(target).absolute(), None if audit is None else Path(audit)
    check_targets(folder, format, audit_file, force, sign=sign)
    with ExitStack() as link, atomic_folder(folder, force) as temporary:
        release = store_release(
            engine,
            source,
            Policy.of(policy),
            temporary / f"data.{format}",
            seed,
            secret,
            on_step,
            on_progress,
        )
        started = perf_counter()
        link.enter_context(release.audit(audit_file, force))
        release.complete(temporary, on_step, sign)
        release.seconds["write"] = perf_counter() - started
    return release


def store_release(
    engine: Engine,
    source: Any,
    policy: Policy,
    data: Path,
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
    on_progress: Progress = unwatched,
) -> StoredRelease:
    """Anonymized, written to a file or folder and verified from there; refused if a promise is not kept."""
    seconds: dict[str, float] = {}
    key, clock = random_key(seed, secret), Clock(seconds)
    on_step("reading")
    rows = engine.read(source, reading=policy.how_to_read)
    repeats, keys, count = repeats_and_keys(rows, policy)
    if faults := people_faults(repeats, keys, policy, count):
        raise ShoalError(faults)
    clock.spent("read")
    on_step("anonymizing")
    made = anonymize_rows(rows, policy, key, on_progress)
    shuffled = shuffle(made.rows, key, made.records)
    stored = store_rows(engine, shuffled, rows, policy, data, made.records, clock, on_step)
    written = stored.written
    figures = made.figures(written.told)
    linked = written.linked(stored.published)
    leaks = linked_leaks(written.link, linked, rows, policy, written.records, figures.classes)
    figures = figures_with_leaks(figures, policy, leaks)
    said = people_notes(repeats, keys, policy, made.rows_in)
    figures = replace(figures, notes=(*figures.notes, *said))
    clock.spent("verify")
    return StoredRelease(stored, policy, key, figures, made.rows_in, seed is not None, seconds=seconds)
