"""A release of a table beyond memory: made, written, verified from what was written, and only then kept."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymize import anonymize_rows
from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.plan_request import Progress, unwatched
from shoal.engines.output import EngineOutput
from shoal.engines.protocol import Engine
from shoal.engines.steps.shuffle import shuffle
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.people import people_faults, people_notes
from shoal.policy.model.policy import Policy
from shoal.release.database.database_file import write_large_database_files
from shoal.release.integrity.contents import labelled_columns
from shoal.release.integrity.manifest import FILE_NAME, file_hash
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.integrity.release_files import names_in
from shoal.release.integrity.signature import sign_manifest
from shoal.release.large.people import repeats_and_keys
from shoal.release.large.published_rows import contents_of, published_batches, published_rows
from shoal.release.leak_judgement import figures_with_leaks
from shoal.release.linked_leaks import linked_leaks
from shoal.release.release import check_targets, insist_on_verdicts, random_key, release_manifest
from shoal.release.storage.atomic_folder import atomic_folder
from shoal.release.storage.audit import link_written
from shoal.verify.parts.linked_truth import verify_linked_truth
from shoal.verify.parts.verify_rows import verify_rows, ways_to_read
from shoal.verify.verdict import Verdict

Step = Callable[[str], None]


def silent(_: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True)
class LargeRelease:
    """What was published; the rows are in files and nowhere else."""

    written: EngineOutput = field(repr=False)
    policy: Policy
    key: Key = field(repr=False)
    made: ReleaseFigures
    rows: int
    records: int
    seeded: bool
    words: Mapping[str, frozenset[str]] = field(repr=False)  # of columns with labels
    verdicts: list[Verdict] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def limits(self) -> list[str]:
        return protection_limits(self.policy, self.seeded, False)

    def audit(self, path: Path | None, force: bool) -> AbstractContextManager[None]:
        """The owner's link takes its place when the block ends well: that of the folder lies inside."""
        return (
            nullcontext()
            if path is None
            else link_written(self.written.link, path, self.key.tobytes(), force)
        )

    def complete(
        self, folder: Path, on_step: Step = silent, sign: str | PathLike[str] | None = None
    ) -> dict[str, str]:
        """Its data is in the folder. What a permuted release has besides is added, and the manifest comes
        last, with its signature if there is a key; given are the fingerprints of the data files."""
        data = {name: file_hash(folder / name) for name in self.written.files}
        more = _database_files(folder / self.written.data.name, self.policy, folder, on_step)
        files = data | {name: file_hash(folder / name) for name in more}
        if names_in(folder, files) != set(files):
            raise ShoalError("something was added to the release while it was written", "try again.")
        manifest = release_manifest(self, self.verdicts, files, self.words)
        (folder / FILE_NAME).write_text(manifest.to_json(), encoding="utf-8")
        sign_manifest(folder, sign)
        return data


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
    on_step: Step = silent,
    sign: str | PathLike[str] | None = None,
    on_progress: Progress = unwatched,
) -> LargeRelease:
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
    on_step: Step = silent,
    on_progress: Progress = unwatched,
) -> LargeRelease:
    """Anonymized, written to a file or folder and verified from there; refused if a promise is not kept."""
    key, clock = random_key(seed, secret), _Clock()
    on_step("reading")
    rows = engine.read(source, reading=policy.how_to_read)
    repeats, keys, count = repeats_and_keys(rows, policy)
    if faults := people_faults(repeats, keys, policy, count):
        raise ShoalError(faults)
    clock.spent("read")
    on_step("anonymizing")
    made = anonymize_rows(rows, policy, key, on_progress)
    written = engine.write(shuffle(made.rows, key, made.records), data)
    if written.records != made.records:
        raise ShoalError(
            f"not all records were written: {written.records:,} of {made.records:,}",
            "try again; if it happens once more, tell us about it.",
        )
    clock.spent("anonymize")
    on_step("verifying")
    published = published_rows(engine, written.data)
    verdicts = verify_rows(published, policy, ways_to_read(published, policy), written.records)
    linked = written.linked(published)
    verdicts.append(verify_linked_truth(linked, rows, policy, written.records))
    insist_on_verdicts(verdicts)
    figures = made.figures(written.told)
    leaks = linked_leaks(written.link, linked, rows, policy, written.records, figures.classes)
    figures = figures_with_leaks(figures, policy, leaks)
    said = people_notes(repeats, keys, policy, made.rows_in)
    figures = replace(figures, notes=(*figures.notes, *said))
    clock.spent("verify")
    return LargeRelease(
        written,
        policy,
        key,
        figures,
        made.rows_in,
        written.records,
        seed is not None,
        contents_of(published, policy).words if labelled_columns(policy) else {},
        verdicts,
        clock.seconds,
    )


def _database_files(data: Path, policy: Policy, folder: Path, on_step: Step) -> list[str]:
    """The names of what a permuted release has beside its data."""
    if not policy.permutes:
        return []
    batches = partial(published_batches, data)
    files = write_large_database_files(batches, policy, folder, data.suffix[1:], on_step)
    return [file.name for file in files]


class _Clock:
    """How long each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = perf_counter()

    def spent(self, step: str) -> None:
        now = perf_counter()
        self.seconds[step] = now - self._since
        self._since = now
