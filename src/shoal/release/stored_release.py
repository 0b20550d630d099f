"""Anonymized rows become a release, on every engine: written, read back, verified, and only then completed.

Data comes first and the manifest last, so a folder with a manifest is whole.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from time import perf_counter

import pyarrow as pa

from shoal.engines.memory.rows import whole_table
from shoal.engines.output import INPUT, EngineOutput
from shoal.engines.protocol import Engine, Rows
from shoal.errors import Infeasible, ShoalError
from shoal.policy.model.policy import Policy
from shoal.progress import Step, unwatched
from shoal.release.data.published_rows import batches_of_rows, contents_of, published_rows
from shoal.release.database.database_file import write_database_files
from shoal.release.integrity.contents import labelled_columns
from shoal.release.integrity.manifest import FILE_NAME, Manifest, file_hash
from shoal.release.integrity.release_files import names_in
from shoal.release.integrity.signature import sign_manifest
from shoal.release.run_summary import RunSummary
from shoal.release.storage.audit import link_written
from shoal.table.columns.numbered_rows import ints_of
from shoal.verify.parts.linked_truth import verify_linked_truth
from shoal.verify.parts.verify_rows import verify_rows, ways_to_read
from shoal.verify.verdict import Verdict
from shoal.verify.verify import verify_with_link
from shoal.version import __version__


@dataclass(frozen=True)
class StoredRows:
    """What was written, as it was read back and judged. ``words`` are those of columns with labels."""

    output: EngineOutput
    published: Rows
    verdicts: list[Verdict]
    words: Mapping[str, frozenset[str]]

    def batches(self) -> Iterator[pa.Table]:
        """The published rows on this machine, whenever they are asked for."""
        return batches_of_rows(self.published, self.output.data)


@dataclass(frozen=True, kw_only=True)
class StoredRelease(RunSummary):
    """What was published; the rows are in files."""

    stored: StoredRows = field(repr=False)

    @property
    def records(self) -> int:
        """Number of published records."""
        return self.stored.output.records

    @property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on the rows as they were read back."""
        return self.stored.verdicts

    def audit(self, path: Path | None, force: bool) -> AbstractContextManager[None]:
        """The owner's link takes its place when the block ends well: that of the folder lies inside."""
        if path is None:
            return nullcontext()
        return link_written(self.stored.output.link, path, self.key.tobytes(), force)

    def complete(
        self, folder: Path, on_step: Step = unwatched, sign: str | PathLike[str] | None = None
    ) -> dict[str, str]:
        """Its data is in the folder. What a permuted release has besides is added, and the manifest comes
        last, with its signature if there is a key; given are the fingerprints of the data files."""
        written = self.stored.output
        data = {name: file_hash(folder / name) for name in written.files}
        more = self._database_files(folder, written.data.suffix[1:], on_step) if self.policy.permutes else []
        files = data | {file.name: file_hash(file) for file in more}
        if names_in(folder, files) != set(files):
            raise ShoalError("something was added to the release while it was written", "try again.")
        (folder / FILE_NAME).write_text(self._manifest(files).to_json(), encoding="utf-8")
        sign_manifest(folder, sign)
        return data

    def _database_files(self, folder: Path, format: str, on_step: Step) -> list[Path]:
        whole = self.stored.published.whole
        return write_database_files(self.stored.batches, whole, self.policy, folder, format, on_step)

    def _manifest(self, files: dict[str, str]) -> Manifest:
        """What is told of a release to everybody."""
        return Manifest(
            software=f"shoal {__version__}",
            policy=self.policy.as_shown(lambda name: self.stored.words[name]),
            method=self.result.method,
            records=self.records,
            suppressed=self.result.suppressed,
            verdicts=tuple(verdict for verdict in self.verdicts if verdict.kind != "truth"),
            does_not_protect=tuple(self.limits),
            files=files,
            notes=self.result.notes,
            seeded=self.seeded,
            recoded=self.recoded,
        )


class Clock:
    """Adds how long each step took to ``seconds``."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds
        self._since = perf_counter()

    def spent(self, step: str) -> None:
        """Everything since the last step ended was this one."""
        now = perf_counter()
        self._seconds[step] = self._seconds.get(step, 0.0) + now - self._since
        self._since = now


def store_rows(
    engine: Engine,
    rows: Rows,
    original: Rows,
    policy: Policy,
    data: Path,
    records: int,
    clock: Clock,
    on_step: Step = unwatched,
) -> StoredRows:
    """So many published rows in a file or folder, verified from there beside what they were made of; refused
    if a promise is not kept."""
    written = engine.write(rows, data)
    if written.records != records:
        raise ShoalError(
            f"not all records were written: {written.records:,} of {records:,}",
            "try again; if it happens once more, tell us about it.",
        )
    clock.spent("write" if rows.whole else "anonymize")  # which others do while rows are written
    on_step("verifying")
    published = published_rows(engine, written.data)
    verdicts = _verify_written(published, written, original, policy)
    insist_on_verdicts(verdicts)
    words = contents_of(published, policy).words if labelled_columns(policy) else {}
    clock.spent("verify")
    return StoredRows(written, published, verdicts, words)


def _verify_written(published: Rows, written: EngineOutput, original: Rows, policy: Policy) -> list[Verdict]:
    table, source = whole_table(published), whole_table(original)
    if table is not None and source is not None:
        [link] = written.link()
        return verify_with_link(table, source, policy, ints_of(link, INPUT))
    verdicts = verify_rows(published, policy, ways_to_read(published, policy), written.records)
    return [
        *verdicts,
        verify_linked_truth(written.with_input_rows(published), original, policy, written.records),
    ]


def insist_on_verdicts(verdicts: list[Verdict]) -> None:
    """Raise when a verdict says that a promise is not kept."""
    failed = [verdict for verdict in verdicts if not verdict.holds]
    if failed:
        raise Infeasible(
            " ".join(verdict.sentence for verdict in failed) + " Nothing was written.",
            "choose another method in [method], or ask for less.",
        )
