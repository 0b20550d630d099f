"""Anonymize a Spark frame where it is: on the session and the workers of whoever has it.

The published rows are stored in a work folder, verified from there, and given back as a frame over it:

    import shoal.spark

    with shoal.spark.anonymize(frame, "policy.toml", work="/shared/work") as release:
        release.table.show()
        release.write("/shared/release")

Driver and workers must see the work folder. It holds people's data until the release is closed.
"""

import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.engines.spark.engine import SparkEngine
from shoal.engines.spark.own_engine import PART_ROWS
from shoal.engines.spark.session import on_this_machine
from shoal.errors import ShoalError
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import file_hash
from shoal.release.large_release import store_release
from shoal.release.release import check_targets
from shoal.release.release_html import release_html
from shoal.release.storage.atomic_folder import atomic_folder
from shoal.release.storage.hidden_folder import hidden_folder
from shoal.release.stored_release import StoredRelease
from shoal.table.files.data_file import PARTS
from shoal.verify.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class SparkRelease:
    """A published table with the verdicts on it; used in a ``with`` block, or closed by hand.

    After that nothing is left but what was written.
    """

    stored: StoredRelease = field(repr=False)
    hashes: dict[str, str] = field(repr=False)  # of the files as they were verified
    engine: SparkEngine = field(repr=False)
    session: "SparkSession" = field(repr=False)
    open_things: ExitStack = field(repr=False)

    def __enter__(self) -> "SparkRelease":
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
    def table(self) -> "DataFrame":
        """The published rows in the order drawn for them; a range is a struct of ``lo`` and ``hi``."""
        return self.engine.published_frame(self.stored.stored.written.data, self.session)

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
            shutil.copytree(self.stored.stored.written.data, temporary / PARTS)
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


def anonymize(
    source: "DataFrame | str | PathLike[str]",
    policy: Policy | str | PathLike[str],
    seed: int | None = None,
    secret: bytes | None = None,
    work: str | PathLike[str] | None = None,
    part_rows: int = PART_ROWS,
    session: "SparkSession | None" = None,
) -> SparkRelease:
    """Anonymize a frame under a policy on its own session; a table's name or a path need a ``session``.

    A seed makes it repeatable and unsafe to publish. ``work`` is a folder that every machine sees, by default
    that for temporary files of this one. At most about ``part_rows`` rows are held by a worker at once.
    """
    running = _session_of(source, session)
    found = source if session is None else _named(session, source)
    with ExitStack() as stack:
        folder = stack.enter_context(hidden_folder(_work_folder(running, work), "shoal-work"))
        engine = stack.enter_context(SparkEngine(running, folder, part_rows))
        data = folder / PARTS
        release = store_release(engine, found, Policy.of(policy), data, seed, secret)
        hashes = {name: file_hash(folder / name) for name in release.stored.written.files}
        return SparkRelease(release, hashes, engine, running, stack.pop_all())


def _session_of(source: Any, session: "SparkSession | None") -> "SparkSession":
    if session is None and isinstance(source, str | PathLike):
        raise ShoalError("a table's name or a path was given without a session", "add session=spark.")
    running = source.sparkSession if session is None else session
    if type(running).__module__.startswith("pyspark.sql.connect"):
        raise ShoalError(
            "this session only talks to a Spark far away (Spark Connect)",
            "run shoal where the driver is, on a session of its own.",
        )
    found: SparkSession = running
    return found


def _named(session: "SparkSession", source: Any) -> Any:
    if not isinstance(source, str | PathLike) or Path(source).exists():
        return source
    if not session.catalog.tableExists(str(source)):
        raise ShoalError(f"there is no table or file {str(source)!r}", "check its name.")
    return session.table(str(source))


def _work_folder(session: "SparkSession", work: str | PathLike[str] | None) -> Path:
    master = str(session.sparkContext.master)
    if work is None and not on_this_machine(master):
        raise ShoalError(
            f"the workers of {master!r} may not see the temporary files of this machine",
            "give a folder that every machine sees, as work=...",
        )
    folder = Path(tempfile.gettempdir() if work is None else work).absolute()
    if not folder.is_dir():
        raise ShoalError(f"there is no folder {str(folder)!r}", "make it, or choose another for work=...")
    return folder
