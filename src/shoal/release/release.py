"""A release: anonymized, verified, and written only when every verdict holds."""

from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
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
from shoal.query.schema import SECONDS
from shoal.release.database.questions import Ask, open_table
from shoal.release.integrity.protection_limits import protection_limits
from shoal.release.integrity.signature import check_signing_key
from shoal.release.leak_judgement import refuse_leaks
from shoal.release.release_html import release_html
from shoal.release.storage.atomic_folder import atomic_folder, refuse_existing
from shoal.release.storage.audit import refuse_existing_audit
from shoal.release.storage.private_file import refuse_inside
from shoal.release.storage.recoding_file import recoding_file_write, refuse_existing_recoding
from shoal.release.stored_release import Clock, StoredRelease, store_rows
from shoal.table.columns.dictionary_encoding import decode_columns
from shoal.table.files.data_file import FORMATS
from shoal.table.files.frames import Restore
from shoal.table.read import Source, read_with_restore, refuse_odd_name
from shoal.table.table import Table
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_with_link
from shoal.watchers import Progress, Step, unwatched

if TYPE_CHECKING:
    from shoal.query.answer import Answer


@dataclass(frozen=True)
class Release:
    """A published table with its verdicts; ``write`` puts it into a folder.

    >>> import pyarrow as pa
    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> release = anonymize(pa.table({"age": [30, 31, 52, 53]}), policy)
    >>> sorted((cell["lo"], cell["hi"]) for cell in release.table["age"].to_pylist())
    [(30, 31), (30, 31), (52, 53), (52, 53)]
    """

    original: Table = field(repr=False)  # what is private stays out of notebooks and logs
    policy: Policy
    made: AnonymizedTable = field(repr=False)
    key: Key = field(repr=False)
    seeded: bool
    restore: Restore = field(repr=False)
    seconds: dict[str, float] = field(default_factory=dict)
    applied: Recoding | None = field(default=None, repr=False)  # which made it, in place of a search

    @property
    def rows(self) -> int:
        """Of the table that went in."""
        return len(self.original)

    @property
    def records(self) -> int:
        """That are published."""
        return int(self.made.table.num_rows)

    @property
    def loss(self) -> dict[str, float]:
        return self.made.loss

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever uses it should know of how it came about."""
        return self.made.notes

    @property
    def limits(self) -> list[str]:
        """What it does not protect against."""
        return protection_limits(self.policy, self.seeded, self.applied is not None)

    @cached_property
    def table(self) -> Any:
        """The published table as the kind of frame that went in."""
        return self.restore(self._plain())

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on the table in memory; ``write`` gives those on the written file."""
        made = Table(self.made.table)
        return verify_with_link(made, self.original, self._judged_by, self.made.input_rows)

    def query(self, sql: str, seconds: float = SECONDS) -> "Answer":
        """An aggregate query over the table ``data``, answered with bounds that hold the true answer; it is
        given up after some seconds."""
        return self._ask(sql, seconds)

    def _repr_html_(self) -> str:
        facts = {
            "method": f"{self.made.method} ({self.made.why})",
            "records": self.records,
            "left out": self.made.suppressed,
            "classes": self.made.classes,
            **{f"loss, {name}": figure for name, figure in self.loss.items()},
        }
        return release_html(facts, self.verdicts, self.limits, self.notes)

    @cached_property
    def _ask(self) -> Ask:
        return open_table(self._plain(), self.policy, self.made.suppressed)

    @cached_property
    def recoding(self) -> Recoding:
        """What the method has found, for `apply_recoding` on other rows; it is private."""
        if self.made.recoding is None:
            refuse_unsavable_recoding(self.policy)
            raise ShoalError("this release was made by a recoding", "save the one that it was made by.")
        return self.made.recoding()

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
        folder = Path(target).absolute()
        audit_file = None if audit is None else Path(audit)
        recoding_file = None if recoding is None else Path(recoding)
        check_targets(folder, format, audit_file, force, recoding_file, sign)
        clock = Clock(self.seconds)
        with ExitStack() as private, atomic_folder(folder, force) as temporary:
            on_step("writing")
            stored = self._stored(temporary / f"data.{format}", clock, on_step)
            private.enter_context(stored.audit(audit_file, force))
            private.enter_context(self._saved(recoding_file, force))
            stored.complete(temporary, on_step, sign)
            clock.spent("write")
        return stored.verdicts

    def _stored(self, data: Path, clock: Clock, on_step: Step) -> StoredRelease:
        made = self.made
        shown = made.table if data.suffix == ".csv" else self._plain()
        original = MemoryRows.as_written(self.original)
        rows = published_with_link(shown, made.input_rows, made.class_of)
        stored = store_rows(
            MemoryEngine(), rows, original, self._judged_by, data, self.records, clock, on_step
        )
        return StoredRelease(
            stored,
            self.policy,
            self.key,
            made,
            self.rows,
            self.seeded,
            self.applied is not None,
            self.seconds,
        )

    def _plain(self) -> pa.Table:
        """What a method has encoded for itself, cell by cell."""
        arrow = self.original.arrow
        return decode_columns(self.made.table, [field.name for field in arrow.schema
                                         if not pa.types.is_dictionary(field.type)])  # fmt: skip

    @property
    def _judged_by(self) -> Policy:
        """The policy with the labels of the recoding that was applied, if one was."""
        return (
            self.policy if self.applied is None else policy_with_recoding_labels(self.original, self.applied)
        )

    def _saved(self, path: Path | None, force: bool) -> AbstractContextManager[None]:
        return nullcontext() if path is None else recoding_file_write(self.recoding, path, force)


def anonymize(
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
    started = perf_counter()
    key = random_key(seed, secret)
    policy = Policy.of(policy)
    on_step("reading")
    table, restore = read_with_restore(source, reading=policy.how_to_read)
    read = perf_counter()
    on_step("anonymizing")
    people = insist_on_people(table, policy)
    made = refuse_leaks(table, policy, anonymize_table(table, policy, key, on_progress))
    made = replace(made, notes=(*made.notes, *people))
    seconds = {"read": read - started, "anonymize": perf_counter() - read}
    return Release(table, policy, made, key, seed is not None, restore, seconds)


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


def check_targets(
    folder: Path,
    format: str,
    audit: Path | None,
    force: bool,
    recoding: Path | None = None,
    sign: str | PathLike[str] | None = None,
) -> None:
    """What can be known to go wrong with writing, before any work is done."""
    if format not in FORMATS:
        raise ShoalError(f"there is no format {format!r}", f"choose {' or '.join(FORMATS)}.")
    refuse_odd_name(folder)
    if not folder.parent.is_dir():
        raise ShoalError(f"there is no folder {str(folder.parent)!r}", "make it, or choose another place.")
    refuse_existing(folder, force)
    if audit is not None:
        refuse_inside(folder, audit, "audit file")
        refuse_existing_audit(audit, force)
    if recoding is not None:
        refuse_inside(folder, recoding, "recoding file")
        refuse_existing_recoding(recoding, force)
        if audit is not None and audit.resolve() == recoding.resolve():
            raise ShoalError("audit and recoding would be one file", "choose another name for one of them.")
    if sign is not None:
        check_signing_key(sign)
