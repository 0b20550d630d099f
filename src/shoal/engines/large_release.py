"""A release of a table beyond memory: made, written, verified from what was written, and only then kept."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

from shoal.anonymizer.anonymized import Figures
from shoal.engines.plans.plans import made_of
from shoal.engines.published import published_batches, published_rows
from shoal.engines.rows import Engine
from shoal.engines.shuffled import shuffled
from shoal.engines.truth import truth_kept
from shoal.engines.verdicts import promises_kept
from shoal.policy.policy import Policy
from shoal.release.database_file import write_large_database_files
from shoal.release.folder import whole_or_nothing
from shoal.release.limits import not_protected
from shoal.release.manifest import FILE_NAME, file_hash
from shoal.release.release import check_targets, insist, key_of, manifest_of
from shoal.verify.verdict import Verdict

Step = Callable[[str], None]


def silent(_: str) -> None:
    """Nobody is watching."""


@dataclass(frozen=True)
class LargeRelease:
    """What was published; the rows are in the folder and nowhere else."""

    folder: Path
    policy: Policy
    made: Figures
    rows: int
    records: int
    seeded: bool
    verdicts: list[Verdict] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def limits(self) -> list[str]:
        return not_protected(self.policy, self.seeded, False)


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
) -> LargeRelease:
    """Anonymize a path or frame on an engine and write the folder whole, or nothing."""
    folder, policy, key = Path(target).absolute(), Policy.of(policy), key_of(seed, secret)
    audit_file = None if audit is None else Path(audit)
    check_targets(folder, format, audit_file, force)
    clock = _Clock()
    with whole_or_nothing(folder, force) as temporary:
        on_step("reading")
        rows = engine.read(source)
        made = made_of(rows, policy, key)
        clock.spent("read")
        on_step("anonymizing")
        order = shuffled(made.rows, key, made.records)
        written = engine.write(order, temporary / f"data.{format}")
        clock.spent("anonymize")
        on_step("verifying")
        published = published_rows(engine, written.data)
        verdicts = promises_kept(published, policy, written.records)
        verdicts.append(truth_kept(written.linked(published), rows, policy, written.records))
        insist(verdicts)
        clock.spent("verify")
        release = LargeRelease(
            folder,
            policy,
            made.figures(written.told),
            made.rows_in,
            written.records,
            seed is not None,
            verdicts,
            clock.seconds,
        )
        files = [*written.files, *_database_files(written.data, policy, temporary, format, on_step)]
        with written.audit(audit_file, key, force) if audit_file else nullcontext():
            manifest = manifest_of(release, verdicts, {name: file_hash(temporary / name) for name in files})
            (temporary / FILE_NAME).write_text(manifest.to_json(), encoding="utf-8")
        clock.spent("write")
    return release


def _database_files(data: Path, policy: Policy, folder: Path, format: str, on_step: Step) -> list[str]:
    """The names of what a permuted release has beside its data."""
    if not policy.permutes:
        return []
    files = write_large_database_files(partial(published_batches, data), policy, folder, format, on_step)
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
