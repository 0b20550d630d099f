"""A release of a table beyond memory: made, written, verified from what was written, and only then kept."""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymize import anonymize_rows
from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.engines.protocol import Engine
from shoal.engines.steps.shuffle import shuffle
from shoal.errors import ShoalError
from shoal.policy.model.people import people_faults, people_notes
from shoal.policy.model.policy import Policy
from shoal.release.engine_choice import open_engine
from shoal.release.integrity.manifest import file_hash
from shoal.release.leak_judgement import figures_with_leaks
from shoal.release.linked_leaks import linked_leaks
from shoal.release.people_in_rows import repeats_and_keys
from shoal.release.release import check_targets, random_key
from shoal.release.release_html import release_html
from shoal.release.storage.atomic_folder import atomic_folder
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.release.stored_release import Clock, StoredRelease, store_rows
from shoal.table.files.data_file import PARTS
from shoal.verify.verdict import Verdict
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


@dataclass(frozen=True)
class LargeRelease:
    """A table beyond memory as it is published, stored in a work folder, with the verdicts on it; used in a
    ``with`` block, or closed by hand.

    After that nothing is left but what was written.
    """

    stored: StoredRelease = field(repr=False)
    open_table: Callable[[], Any] = field(repr=False)
    open_things: ExitStack = field(repr=False)
    hashes: dict[str, str] = field(default_factory=dict, repr=False)  # of the files as they were verified

    def __post_init__(self) -> None:
        work = self._data.parent
        self.hashes.update({name: file_hash(work / name) for name in self.stored.stored.written.files})

    def __enter__(self) -> "LargeRelease":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the work folder away; the frame cannot be used any more."""
        self.open_things.close()

    @property
    def policy(self) -> Policy:
        return self.stored.policy

    @property
    def made(self) -> ReleaseFigures:
        return self.stored.made

    @property
    def verdicts(self) -> list[Verdict]:
        """On the rows as they are stored, those of ``table``."""
        return self.stored.verdicts

    @property
    def rows(self) -> int:
        """Of the table that went in."""
        return self.stored.rows

    @property
    def records(self) -> int:
        """That are published."""
        return self.stored.records

    @property
    def loss(self) -> dict[str, float]:
        return self.made.loss

    @property
    def notes(self) -> tuple[str, ...]:
        return self.made.notes

    @property
    def limits(self) -> list[str]:
        """What it does not protect against."""
        return self.stored.limits

    @property
    def seconds(self) -> dict[str, float]:
        return self.stored.seconds

    @cached_property
    def table(self) -> Any:
        """The published rows in the order drawn for them, which are not read yet: a frame of Spark, or else a
        dataset of Arrow; a range is a struct of ``lo`` and ``hi``."""
        return self.open_table()

    @property
    def _data(self) -> Path:
        return self.stored.stored.written.data

    def write(
        self,
        target: str | PathLike[str],
        audit: str | PathLike[str] | None = None,
        force: bool = False,
        sign: str | PathLike[str] | None = None,
    ) -> list[Verdict]:
        """Copy what was verified into a release folder, whole or not at all, its manifest last; a private key
        to ``sign`` with signs it."""
        folder, audit_file = Path(target).absolute(), None if audit is None else Path(audit)
        check_targets(folder, "parquet", audit_file, force, sign=sign)
        with self.stored.audit(audit_file, force), atomic_folder(folder, force) as temporary:
            copy = shutil.copytree if self._data.is_dir() else shutil.copy
            copy(self._data, temporary / self._data.name)
            if self.stored.complete(temporary, sign=sign) != self.hashes:
                raise ShoalError("the work folder was changed", "leave it alone, and anonymize again.")
        return self.verdicts

    def _repr_html_(self) -> str:
        facts = {
            "method": f"{self.made.method} ({self.made.why})",
            "records": self.records,
            "left out": self.made.suppressed,
            "classes": self.made.classes,
            **{f"loss, {name}": figure for name, figure in self.loss.items()},
        }
        return release_html(facts, self.verdicts, self.limits, self.notes)


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
        data = folder / PARTS
        release = store_release(running, source, policy, data, seed, secret, on_step, on_progress)
        return LargeRelease(release, partial(_dataset, data), stack.pop_all())


def _dataset(data: Path) -> Any:
    from pyarrow import dataset

    return dataset.dataset(data)
