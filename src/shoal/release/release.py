"""A release: anonymized, verified, and written only when every verdict holds."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.anonymizer.anonymize import anonymize_table
from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.apply import policy_with_recoding_labels
from shoal.anonymizer.choose import recoding_faults
from shoal.anonymizer.recoding import Recoding
from shoal.engines.memory.engine import MemoryEngine, published_with_link
from shoal.engines.memory.rows import MemoryRows
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key, fresh_key, key_from_bytes, seeded_key
from shoal.policy.model.people import insist_on_people
from shoal.policy.model.policy import Policy
from shoal.progress import Progress, Step, unwatched
from shoal.query.schema import SECONDS
from shoal.release.database.questions import Ask, open_table
from shoal.release.leak_judgement import refuse_leaks
from shoal.release.naming_values import refuse_naming_values
from shoal.release.release_folder import write_folder
from shoal.release.run_summary import RunSummary
from shoal.release.storage.recoding_file import recoding_file_write
from shoal.release.stored_release import Clock, StoredRelease, insist_on_verdicts, store_rows
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.files.frames import Restore
from shoal.table.read import Source, read_with_restore
from shoal.table.table import Table
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_with_link

if TYPE_CHECKING:
    from shoal.query.answer import Answer
    from shoal.release.export.export import ExportResult
    from shoal.release.export.export_form import ExportForm


@dataclass(frozen=True, kw_only=True)
class Release(RunSummary):
    """A published table with its verdicts; ``write`` puts it into a folder.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> release = anonymize_in_memory(pa.table({"age": [30, 31, 52, 53]}), policy)
    >>> sorted((cell["lo"], cell["hi"]) for cell in release.table["age"].to_pylist())
    [(30, 31), (30, 31), (52, 53), (52, 53)]
    """

    result: AnonymizedTable = field(repr=False)  # what is private stays out of notebooks and logs
    original: Table = field(repr=False)
    restore: Restore = field(repr=False)
    applied: Recoding | None = field(default=None, repr=False)  # which made it, in place of a search

    @property
    def records(self) -> int:
        """Number of published records."""
        return int(self.result.table.num_rows)

    @cached_property
    def table(self) -> Any:
        """The published table as the kind of frame that went in."""
        return self.restore(self._plain())

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on the table in memory; ``write`` gives those on the written file."""
        made = Table(self.result.table)
        return verify_with_link(made, self.original, self._judged_by, self.result.input_rows)

    def query(self, sql: str, seconds: float = SECONDS) -> "Answer":
        """An aggregate query over the table ``data``, answered with bounds that hold the true answer; it is
        given up after some seconds."""
        return self._ask(sql, seconds)

    @cached_property
    def _ask(self) -> Ask:
        return open_table(self._plain(), self.policy, self.result.suppressed)

    @cached_property
    def recoding(self) -> Recoding:
        """What the method has found, for `apply_recoding` on other rows; it is private."""
        if self.result.recoding is None:
            refuse_unsavable_recoding(self.policy)
            raise ShoalError("this release was made by a recoding", "save the one that it was made by.")
        return self.result.recoding()

    def save_recoding(self, path: str | PathLike[str], force: bool = False) -> None:
        """Write the recoding to a file that only you can read."""
        with recoding_file_write(self.recoding, Path(path), force):
            pass

    def write(
        self,
        target: str | PathLike[str],
        format: str = "csv",
        audit: str | PathLike[str] | None = None,
        force: bool = False,
        on_step: Step = unwatched,
        recoding: str | PathLike[str] | None = None,
        sign: str | PathLike[str] | None = None,
    ) -> list[Verdict]:
        """Write the folder whole, after checking every promise on the written file itself; beside it, if
        asked for, the owner's private link and recoding. A private key to ``sign`` with signs it."""
        clock = Clock(self.seconds)

        def store(data: Path) -> StoredRelease:
            on_step("writing")
            return self._stored(data, clock, on_step)

        def save() -> AbstractContextManager[None]:
            return (
                nullcontext()
                if recoding is None
                else recoding_file_write(self.recoding, Path(recoding), force)
            )

        return write_folder(target, format, store, audit, force, sign, on_step, recoding, save).verdicts

    def export(
        self, path: str | PathLike[str], form: "ExportForm | None" = None, force: bool = False
    ) -> "ExportResult":
        """The published table as one file for another program, if every promise holds; the name says the
        format: .csv, .parquet, .sav, .dta or .xlsx."""
        from shoal.release.export.export import AS_PUBLISHED, check_export, export_table, refuse_seeded

        check_export(Path(path), form or AS_PUBLISHED, force)
        refuse_seeded(self.seeded)
        insist_on_verdicts(self.verdicts)
        return export_table(self._plain(), Path(path), form or AS_PUBLISHED, force)

    def _stored(self, data: Path, clock: Clock, on_step: Step) -> StoredRelease:
        made = self.result
        shown = made.table if data.suffix == ".csv" else self._plain()
        original = MemoryRows.as_written(self.original)
        rows = published_with_link(shown, made.input_rows, made.class_of)
        stored = store_rows(
            MemoryEngine(), rows, original, self._judged_by, data, self.records, clock, on_step
        )
        own = {one.name: getattr(self, one.name) for one in fields(RunSummary)}
        return StoredRelease(stored=stored, **own)

    def _plain(self) -> pa.Table:
        """What a method has encoded for itself, cell by cell."""
        arrow = self.original.arrow
        return decode_columns(self.result.table, [field.name for field in arrow.schema
                                         if not pa.types.is_dictionary(field.type)])  # fmt: skip

    @property
    def _judged_by(self) -> Policy:
        """The policy with the labels of the recoding that was applied, if one was."""
        return (
            self.policy if self.applied is None else policy_with_recoding_labels(self.original, self.applied)
        )


def anonymize_in_memory(
    source: Source,
    policy: Policy | str | PathLike[str],
    seed: int | None = None,
    secret: bytes | None = None,
    on_step: Step = unwatched,
    on_progress: Progress = unwatched,
) -> Release:
    """Anonymize a path or frame that fits into memory under a policy. A seed makes it repeatable and unsafe
    to publish.

    ``on_step`` is told what is under way, ``on_progress`` how far a long search is: the share of its time
    that has passed, and how good its best result is known to be."""
    key = random_key(seed, secret)
    policy = Policy.of(policy)
    return release_of(
        source,
        policy,
        key,
        seed is not None,
        lambda table: anonymize_table(table, policy, key, on_progress),
        on_step,
    )


def release_of(
    source: Source,
    policy: Policy,
    key: Key,
    seeded: bool,
    anonymized: Callable[[Table], AnonymizedTable],
    on_step: Step,
    applied: Recoding | None = None,
) -> Release:
    """What a search or, if one is ``applied``, a recoding makes of a path or frame of people, if no column
    gives another one away."""
    started = perf_counter()
    on_step("reading")
    table, restore = read_with_restore(source, reading=policy.how_to_read)
    read = perf_counter()
    on_step("anonymizing" if applied is None else "applying the recoding")
    people = insist_on_people(table, policy)
    made = refuse_leaks(table, policy, anonymized(table))
    named = refuse_naming_values(MemoryRows(made.table), policy)
    return Release(
        policy=policy,
        result=replace(made, notes=(*made.notes, *people, *named)),
        key=key,
        rows=len(table),
        seeded=seeded,
        recoded=applied is not None,
        seconds={"read": read - started, "anonymize": perf_counter() - read},
        original=table,
        restore=restore,
        applied=applied,
    )


def random_key(seed: int | None, secret: bytes | None) -> Key:
    """The key behind the random choices: a fresh one, unless one is given."""
    if seed is not None and secret is not None:
        raise ShoalError("a seed and a secret were given", "leave the seed out: it is for tests only.")
    if seed is not None:
        return seeded_key(seed)
    return fresh_key() if secret is None else key_from_bytes(secret)


def refuse_unsavable_recoding(policy: Policy) -> None:
    """Only some methods find what can be applied to other rows."""
    if faults := recoding_faults(policy):
        raise ShoalError(faults)
