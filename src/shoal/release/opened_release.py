"""A release as its recipient has it: a folder, and nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from shoal.engines.memory.engine import MemoryEngine
from shoal.engines.memory.rows import MemoryRows, whole_table
from shoal.engines.protocol import Engine, LinkingEngine, Rows
from shoal.engines.table_size import bytes_needed
from shoal.errors import Fault, ShoalError
from shoal.policy.model.hierarchy_spec import HierarchySpec
from shoal.policy.model.policy import Policy
from shoal.query.schema import SECONDS
from shoal.release.data.csv_form import csv_faults
from shoal.release.data.parquet_form import parquet_faults
from shoal.release.data.published_rows import batches_of_rows, contents_of, published_rows
from shoal.release.database.database_file import DATABASE, Batches
from shoal.release.database.questions import Ask, open_database_file, open_table
from shoal.release.engine_choice import disk_engine, is_in_memory
from shoal.release.integrity.contents import labelled_columns
from shoal.release.integrity.judgement_cache import is_judged, remember_long_judgement
from shoal.release.integrity.manifest import Manifest
from shoal.release.integrity.release_files import (
    file_differences,
    is_file_in,
    matches_fingerprint,
    strange_names,
)
from shoal.release.integrity.signature import refuse_unsigned, signature_verdict
from shoal.release.integrity.statements import (
    UNCHECKED,
    current_limits,
    form_faults,
    is_of_this_version,
    one_spelling_columns,
    original_faults,
    spelling_faults,
    statement_faults,
)
from shoal.release.release_html import release_html
from shoal.table.files.data_file import PARTS, read_data, read_parts
from shoal.table.files.limits import available_memory
from shoal.table.read import Source
from shoal.table.table import Table
from shoal.verify.parts.spare_spellings import spare_spellings_in_rows
from shoal.verify.parts.verify_rows import verify_rows, ways_to_read
from shoal.verify.truth.truth_measures import UNNAMED
from shoal.verify.verdict import Verdict

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.query.answer import Answer
    from shoal.release.export.export import ExportResult
    from shoal.release.export.export_form import ExportForm

SEALS = ("integrity", "signature")  # verdicts on the files, before any on what is in them
WHOLE = (
    "Every file matches the fingerprint in the manifest. That tells damage, not forgery: compare the "
    "fingerprint of the release with what its owner says, or check a signature."
)
DAMAGED = "The files do not match the manifest"
UNFOUNDED = "What the manifest states does not follow from the files"
OTHER_WORDS = (
    "The manifest says that another version of shoal wrote it. Its figures were compared; its sentences and "
    "limits are in the words of that version, which this one cannot compare. Those told here are its own."
)
AS_STATED = "As the manifest says; verify() checks it, but for its notes."
OTHER_SENTENCE = "as the manifest says, in the words of another version; verify() tells it in ours."
OPEN = "It does not protect against: {limit}"
HINT = "ask for the original release."


@dataclass(frozen=True)
class OpenedRelease:
    """A release that was read back from its folder: to verify, query and report."""

    folder: Path
    manifest: Manifest
    key: Path | None = None  # the public key that it was opened with

    @property
    def policy(self) -> Policy:
        return self.manifest.policy

    @property
    def _data_names(self) -> list[str]:
        """One file, or the parts of a table in their order."""
        names = sorted(name for name in self.manifest.files if name.startswith("data."))
        one_table = len(names) == 1 or {name.split("/")[0] for name in names} == {PARTS}
        if not one_table or not all(is_file_in(self.folder, name) for name in names):
            raise ShoalError(
                f"the data file of {str(self.folder)!r} is missing", "ask for the whole release."
            )
        return names

    @property
    def data(self) -> Path:
        """The file of the published table, or the folder of its parts."""
        return self.folder / self._data_names[0].split("/")[0]

    def read(self) -> Table:
        """The published table."""
        files = [self.folder / name for name in self._data_names]
        return read_data(files[0]) if len(files) == 1 else read_parts(files)

    def read_as_written(self) -> Table:
        """The published table, refused if the release is not what it states."""
        table = self.insist(self._data_names)
        return self.read() if table is None else table

    def insist(self, used: Iterable[str], engine: Engine | None = None) -> Table | None:
        """Refuse a release that is not what it states; these of its files will be used. That a large one is
        takes a while to find out, and is remembered. Gives the published table if it was read for that."""
        if engine is not None:
            _refuse_broken(self.seals())
        known, started = is_judged(self.manifest), perf_counter()
        for name in used if known else self.manifest.files:
            if not matches_fingerprint(self.folder, name, self.manifest.files[name]):
                raise ShoalError(f"{name} does not match the manifest", "`shoal verify` says more.")
        if strange := strange_names(self.folder, self.manifest.files):
            raise ShoalError(f"{strange[0]} does not belong to the release", "take it out of the folder.")
        if known:
            return None
        published = self.published(engine or self._engine_by_size())
        _refuse_broken(self._judged(published))
        remember_long_judgement(self.manifest, perf_counter() - started)
        return whole_table(published)

    def query(self, sql: str, seconds: float = SECONDS) -> "Answer":
        """An aggregate query over the table ``data``, answered with bounds that hold the true answer; it is
        given up after some seconds."""
        return self._ask(sql, seconds)

    def export(
        self, path: str | PathLike[str], form: "ExportForm | None" = None, force: bool = False
    ) -> "ExportResult":
        """The published table as one file for another program, verified before and compared after; the name
        says the format: .csv, .parquet, .sav, .dta or .xlsx."""
        from shoal.release.export.export import AS_PUBLISHED, export_release  # brings every format up

        return export_release(self, path, form or AS_PUBLISHED, force)

    def _repr_html_(self) -> str:
        """What its manifest says; ``verify`` checks it."""
        manifest = self.manifest
        facts = {
            "method": manifest.method,
            "records": manifest.records,
            "left out": manifest.suppressed,
            "made by": manifest.software,
            "fingerprint": manifest.fingerprint,
        }
        own = is_of_this_version(manifest)
        verdicts = [one if own else replace(one, sentence=OTHER_SENTENCE) for one in manifest.verdicts]
        notes = [AS_STATED, *(UNCHECKED.format(note=note) for note in manifest.notes)]
        return release_html(facts, verdicts, current_limits(manifest), notes)

    @cached_property
    def _ask(self) -> Ask:
        """The engine, on what the files bear out."""
        if DATABASE not in self.manifest.files:
            return open_table(self.read_as_written().arrow, self.policy, self.manifest.suppressed)
        self.insist([DATABASE])
        return open_database_file(self.folder / DATABASE, self.policy, self.manifest.suppressed)

    def verify(
        self,
        against: Source | None = None,
        audit: str | PathLike[str] | None = None,
        recoding: str | PathLike[str] | None = None,
        population: Source | None = None,
        key: str | PathLike[str] | None = None,
        policy: Policy | str | PathLike[str] | None = None,
        engine: Engine | None = None,
    ) -> list[Verdict]:
        """Fingerprints, statements and every promise, from the files alone; with the original also truth.

        With the owner's link, also what somebody believes who knows the population. With the owner's public
        key, given here or when it was opened, also whether the release is signed with it. The policy that it
        was made by tells what lies under its labels. Without an ``engine`` it is read into memory if it fits;
        beyond memory truth takes the owner's link.
        """
        seals = self.seals(key)
        if not all(seal.holds for seal in seals):
            return seals
        engine = engine or self._engine_by_size()
        if not is_in_memory(engine):
            self._refuse_in_memory_only(engine, against, audit, recoding, population)
        published = self.published(engine)
        found = self._judged(published)
        if against is None or any(one.kind in SEALS for one in found):
            return _with_seals(seals, found)
        from shoal.release import truth_verdicts

        link, table = None if audit is None else Path(audit), whole_table(published)
        if table is not None:
            beside = truth_verdicts.truth_in_memory(self, table, against, link, recoding, population, policy)
            return _with_seals(seals, beside)
        assert isinstance(engine, LinkingEngine) and link is not None  # noqa: S101, PT018 - see above
        beside = truth_verdicts.truth_by_link(self, engine, published, against, link, policy)
        return _with_seals(seals, [*found, *beside])

    def _refuse_in_memory_only(
        self,
        engine: Engine,
        against: Source | None,
        audit: str | PathLike[str] | None,
        recoding: str | PathLike[str] | None,
        population: Source | None,
    ) -> None:
        """What is asked of an engine must be what it can look at: nothing is left aside in silence."""
        if audit is not None and not isinstance(engine, LinkingEngine):
            raise ShoalError("the owner's link is read on one machine", "choose --engine disk.")
        if against is not None and audit is None:
            raise ShoalError(
                "without the owner's link, truth can be checked in memory only",
                "give the file that --audit wrote, or leave --against out.",
            )
        if recoding is not None or population is not None or (against is not None and self._needs_recoding):
            raise ShoalError(
                "a recoding and a population are looked at in memory only",
                "choose --engine memory, or leave --against out.",
            )

    def _engine_by_size(self) -> Engine:
        """Memory, as long as the published table fits."""
        if bytes_needed(self.data) <= available_memory():
            return MemoryEngine()
        return disk_engine()

    def published(self, engine: Engine | None = None) -> Rows:
        """The rows of its files to the letter: in memory, or on an engine."""
        if engine is None or is_in_memory(engine):
            return MemoryRows.as_written(self.read())
        return published_rows(engine, self.data)

    def policy_for(
        self,
        original: Table,
        recoding: str | PathLike[str] | None,
        policy: Policy | str | PathLike[str] | None,
    ) -> Policy:
        """The policy with the labels of the recoding that made the release: only its owner knows all of
        them."""
        if recoding is not None:
            return _with_labels(self.policy, original, recoding)
        if self._needs_recoding:
            raise ShoalError(
                "this release was made by a saved recoding, whose labels are not part of it",
                "give the recoding file too, with --recoding.",
            )
        return self.policy if policy is None else self.completed(policy)

    @property
    def _needs_recoding(self) -> bool:
        """Were its labels made by a saved recoding, which is not part of it?"""
        return self.manifest.recoded and bool(self.policy.hierarchies)

    def completed(self, policy: Policy | str | PathLike[str], engine: Engine | None = None) -> Policy:
        """The policy of the release with all that lies under its labels, which the policy that it was made by
        tells. Another one is refused."""
        given = Policy.of(policy).hierarchies
        there = contents_of(self.published(engine), self.policy).words
        told: dict[str, HierarchySpec] = {}
        for name in labelled_columns(self.policy):
            words = there[name]
            told |= {name: given[name]} if name in given else {}
            if name not in given or given[name].as_shown(words, name) != self.policy.hierarchies[name]:
                raise ShoalError(
                    f"the release was not made with this hierarchy of {name!r}",
                    "give the policy that it was made by.",
                )
        return self.policy.model_copy(update={"hierarchies": {**self.policy.hierarchies, **told}})

    def legible(self, policy: Policy | str | PathLike[str] | None) -> Policy:
        """Its policy, completed by the one given. Somebody who knows what lies under a label finds people in
        it; whoever does not would take them for safe."""
        if policy is not None:
            return self.completed(policy)
        if hidden := self.policy.hidden_labels():
            what = UNNAMED.format(columns=", ".join(map(repr, hidden))).removesuffix(".")
            raise ShoalError(what, "give the policy that it was made by too, with --policy.")
        return self.policy

    def _judged(self, published: Rows) -> list[Verdict]:
        """One verdict per guarantee; one before them if the release is not what it states."""
        contents = contents_of(published, self.policy)
        batches = partial(batches_of_rows, published, self.data)
        if faults := form_faults(self.manifest, contents) or self._letter_faults(batches()):
            return [self._unfounded(faults)]
        ways = {} if published.whole else ways_to_read(published, self.policy)
        if faults := spelling_faults(
            spare_spellings_in_rows(published, one_spelling_columns(self.policy), ways)
        ):
            return [self._unfounded(faults)]
        found = verify_rows(published, self.policy, ways, contents.records)
        faults = statement_faults(self.manifest, contents, found)
        if not faults and DATABASE in self.manifest.files:
            faults = _database_faults(self, batches, published.whole)
        return [self._unfounded(faults), *found] if faults else found

    def _letter_faults(self, batches: Iterable["pa.Table"]) -> list[str]:
        """How the data files differ, to the letter, from what shoal writes of the rows in ``batches``."""
        names = self._data_names
        if self.data.suffix == ".csv":
            return csv_faults(self.data, batches)
        return [fault for name in names for fault in parquet_faults(self.folder / name)]

    def beside_original(self, rows: int) -> list[Verdict]:
        """The verdict on a release that was not made from a table of so many rows, if it was not."""
        faults = original_faults(self.manifest, rows)
        return [self._unfounded(faults)] if faults else []

    def _unfounded(self, faults: list[str]) -> Verdict:
        """The verdict on a release that is not what it states."""
        return self._integrity(UNFOUNDED, faults)

    def seals(self, key: str | PathLike[str] | None = None) -> list[Verdict]:
        """Do the files belong together and, with a public key, has its owner signed them?"""
        intact, asked = self.intact(), self.key if key is None else key
        if asked is None or not intact.holds:
            return [intact]
        return [intact, signature_verdict(self.folder, self.manifest, asked)]

    def intact(self) -> Verdict:
        """Does every file match the manifest, and is nothing else there?"""
        return self._integrity(DAMAGED, file_differences(self.folder, self.manifest.files))

    def _integrity(self, what: str, faults: list[str]) -> Verdict:
        return Verdict(
            kind="integrity",
            holds=not faults,
            asked={},
            achieved={"files": len(self.manifest.files)},
            sentence=f"{what}: {'; '.join(faults)}." if faults else WHOLE,
            notes=() if faults else self._told_here(),
        )

    def _told_here(self) -> tuple[str, ...]:
        """The limits in our words, where those of the manifest were not compared."""
        if is_of_this_version(self.manifest):
            return ()
        return (OTHER_WORDS, *(OPEN.format(limit=limit) for limit in current_limits(self.manifest)))


def _with_seals(seals: list[Verdict], found: list[Verdict]) -> list[Verdict]:
    """All verdicts in their order. That a release is not what it states stands in place of its seal."""
    broken = [verdict for verdict in found if verdict.kind in SEALS]
    return [*broken, *seals[len(broken) :], *(verdict for verdict in found if verdict.kind not in SEALS)]


def _refuse_broken(verdicts: Iterable[Verdict]) -> None:
    """Raise every verdict that does not hold."""
    broken = [verdict for verdict in verdicts if not verdict.holds]
    if broken:
        raise ShoalError(Fault(verdict.sentence.removesuffix("."), HINT) for verdict in broken)


def _database_faults(opened: OpenedRelease, batches: Batches, whole: bool) -> list[str]:
    from shoal.release.database.database_check import database_faults  # brings the engine up

    return database_faults(opened.folder, batches, whole, opened.policy, opened.data.suffix[1:])


def _with_labels(policy: Policy, original: Table, recoding: str | PathLike[str]) -> Policy:
    from shoal.anonymizer.apply import (
        policy_with_recoding_labels,  # brings kernels up, which no other check needs
    )
    from shoal.release.storage.recoding_file import load_recoding

    given = load_recoding(recoding)
    if [column.name for column in given.columns] != policy.having("quasi"):
        raise ShoalError("the recoding does not belong to this release", "give the file that it was made by.")
    return policy_with_recoding_labels(original, replace(given, policy=policy))


def open_release(folder: str | PathLike[str], key: str | PathLike[str] | None = None) -> OpenedRelease:
    """Open a release folder; with the owner's public key, only if it is signed with it.

    >>> open_release("no/such/folder")
    Traceback (most recent call last):
    shoal.errors.ShoalError: there is no folder 'no/such/folder'
    Hint: give the folder of a release.
    """
    path = Path(folder)
    manifest = Manifest.load(path)
    if key is None:
        return OpenedRelease(path, manifest)
    refuse_unsigned(path, manifest, key)
    return OpenedRelease(path, manifest, Path(key))


def verify_large(
    engine: Engine,
    folder: str | PathLike[str],
    against: Source | None = None,
    audit: str | PathLike[str] | None = None,
    key: str | PathLike[str] | None = None,
    made_by: Policy | str | PathLike[str] | None = None,
) -> list[Verdict]:
    """A release checked on an engine, as `OpenedRelease.verify` does."""
    return open_release(folder).verify(against, audit, key=key, policy=made_by, engine=engine)
