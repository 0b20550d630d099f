"""A release of a table beyond memory: made, written, verified from what was written, and only then kept."""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from shoal.anonymizer.anonymize import anonymize_rows
from shoal.engines.protocol import Engine
from shoal.engines.steps.shuffle import shuffle
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.progress import Progress, Step, unwatched
from shoal.release.engine_choice import open_engine
from shoal.release.integrity.manifest import file_hash
from shoal.release.leak_judgement import figures_with_leaks
from shoal.release.linked_leaks import linked_leaks
from shoal.release.naming_values import refuse_naming_values
from shoal.release.people_in_rows import insist_on_people_in_rows
from shoal.release.release import random_key
from shoal.release.release_folder import write_folder
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.release.stored_release import Clock, StoredRelease, store_rows
from shoal.table.files.data_file import PARTS
from shoal.verify.verdict import Verdict


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

    def store(data: Path) -> StoredRelease:
        return store_release(engine, source, Policy.of(policy), data, seed, secret, on_step, on_progress)

    return write_folder(target, format, store, audit, force, sign, on_step)


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
    people = insist_on_people_in_rows(rows, policy)
    clock.spent("read")
    on_step("anonymizing")
    made = anonymize_rows(rows, policy, key, on_progress)
    shuffled = shuffle(made.rows, key, made.records)
    stored = store_rows(engine, shuffled, rows, policy, data, made.records, clock, on_step)
    written = stored.output
    figures = made.figures(written.statistics)
    linked = written.with_input_rows(stored.published)
    leaks = linked_leaks(written.link, linked, rows, policy, written.records, figures.classes)
    figures = figures_with_leaks(figures, policy, leaks)
    named = refuse_naming_values(stored.published, policy)
    clock.spent("verify")
    return StoredRelease(
        policy=policy,
        result=replace(figures, notes=(*figures.notes, *people, *named)),
        key=key,
        rows=made.rows_in,
        seeded=seed is not None,
        seconds=seconds,
        stored=stored,
    )


@dataclass(frozen=True, kw_only=True)
class LargeRelease(StoredRelease):
    """A table beyond memory as it is published, stored in a work folder, with the verdicts on it; used in a
    ``with`` block, or closed by hand.

    After that nothing is left but what was written.
    """

    open_table: Callable[[Path], Any] = field(repr=False)
    open_things: ExitStack = field(repr=False)
    hashes: dict[str, str] = field(default_factory=dict, repr=False)  # of the files as they were verified

    def __post_init__(self) -> None:
        work = self._data.parent
        self.hashes.update({name: file_hash(work / name) for name in self.stored.output.files})

    def __enter__(self) -> "LargeRelease":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the work folder away; the frame cannot be used any more."""
        self.open_things.close()

    @cached_property
    def table(self) -> Any:
        """The published rows in the order drawn for them, which are not read yet: a frame of Spark, or else a
        dataset of Arrow; a range is a struct of ``lo`` and ``hi``."""
        return self.open_table(self._data)

    @property
    def _data(self) -> Path:
        return self.stored.output.data

    def write(
        self,
        target: str | PathLike[str],
        format: str = "parquet",
        audit: str | PathLike[str] | None = None,
        force: bool = False,
        on_step: Step = unwatched,
        recoding: str | PathLike[str] | None = None,
        sign: str | PathLike[str] | None = None,
    ) -> list[Verdict]:
        """Copy what was verified into a release folder, whole or not at all, its manifest last; a private key
        to ``sign`` with signs it. The arguments are those of ``Release.write``, but for what only memory has:
        CSV and recodings."""
        if format == "csv" or recoding is not None:
            raise ShoalError(
                "a release beyond memory is Parquet, and saves no recoding",
                "leave that out, or anonymize with engine='memory'.",
            )

        def store(data: Path) -> StoredRelease:
            copy = shutil.copytree if self._data.is_dir() else shutil.copy
            copy(self._data, data)
            return self

        return write_folder(target, format, store, audit, force, sign, on_step).verdicts

    def complete(
        self, folder: Path, on_step: Step = unwatched, sign: str | PathLike[str] | None = None
    ) -> dict[str, str]:
        """As ``StoredRelease`` does; refused if the data are no longer those that were verified."""
        found = super().complete(folder, on_step, sign)
        if found != self.hashes:
            raise ShoalError("the work folder was changed", "leave it alone, and anonymize again.")
        return found


def work_release(
    open_things: ExitStack,
    open_table: Callable[[Path], Any],
    engine: Engine,
    source: Any,
    policy: Policy,
    folder: Path,
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
    on_progress: Progress = unwatched,
) -> LargeRelease:
    """A release whose rows lie in a work folder; it closes what is open on the way."""
    release = store_release(engine, source, policy, folder / PARTS, seed, secret, on_step, on_progress)
    own = {one.name: getattr(release, one.name) for one in fields(release)}
    return LargeRelease(**own, open_table=open_table, open_things=open_things.pop_all())


def anonymize_large(
    source: Any,
    policy: Policy,
    engine: str,
    memory: str | None = None,
    work: str | PathLike[str] | None = None,
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
    on_progress: Progress = unwatched,
) -> LargeRelease:
    """Anonymize a path or frame on an engine of this machine. The published rows lie in a ``work`` folder, by
    default that for temporary files, until the release is closed."""
    place = Path(tempfile.gettempdir() if work is None else work)
    with ExitStack() as stack:
        running = stack.enter_context(open_engine(engine, memory, place))
        folder = stack.enter_context(hidden_folder(place, "shoal-work"))
        return work_release(
            stack, _dataset, running, source, policy, folder, seed, secret, on_step, on_progress
        )


def _dataset(data: Path) -> Any:
    from pyarrow import dataset

    return dataset.dataset(data)
