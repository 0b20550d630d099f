"""The engines behind one door: each writes the release of a case, which is that of memory or says why not."""

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import shoal
from shoal.engines.disk.engine import DiskEngine
from shoal.engines.disk.rows import DiskWorkspace
from shoal.engines.row_progress import RowProgress
from shoal.engines.spark.engine import SparkEngine
from shoal.release.large_release import release_large
from shoal.release.storage.audit import Audit
from shoal.table.formats.row_batches import Batches

from .tables import Case, could_be_diverse

PART_ROWS, BATCH_ROWS = 7, 3
EVERY = ()
LISTS = "l-diversity by lists"  # of values that may or must not be known

# What is made in memory only, by method: some guarantees, or every one of them.
IN_MEMORY_ONLY = {
    "aligned": EVERY,
    "mondrian": ("ke-anonymity",),
    "cluster": ("ke-anonymity",),
    "optimal": ("ke-anonymity",),
    "incognito": ("ke-anonymity",),
    "samarati": ("ke-anonymity",),
    "datafly": ("ke-anonymity",),
    "suppress-cells": ("ke-anonymity",),
    "min-sum": ("t-closeness", LISTS),
    "min-max": ("t-closeness", LISTS),
    "min-max-exact": EVERY,
    "max-groups": ("t-closeness", LISTS),
    "random": EVERY,
    "mdav": ("kpqr-anonymity",),
    "vmdav": ("kpqr-anonymity",),
    "refined": ("kpqr-anonymity",),
    "kpqr": ("kpqr-anonymity",),
    "kpqr-paper": ("kpqr-anonymity",),
}
# How the notes begin of releases that may be others than in memory.
OTHERWISE = (
    "the search ended at its time limit",
    "searched from level",
    "blocks grow until they are diverse inside parts",
    "within is left aside in a table of more than one part",
    "classes were formed inside",
)


def in_memory_only(method: str, kind: str) -> bool:
    found = IN_MEMORY_ONLY.get(method)
    return found is not None and (found == EVERY or kind in found)


def beyond_memory(case: Case) -> bool:
    """Can plans give all that is promised?"""
    kinds = [asked.kind for asked in case.policy.guarantees]
    kinds += [LISTS for asked in case.policy.guarantees if getattr(asked, "allowed", ())]
    return not any(in_memory_only(case.policy.method.name, kind) for kind in kinds)


class SmallBatches(DiskEngine):
    """Several batches in a part, but not one for every row, which takes three times as long."""

    def room(self, batches: Batches) -> DiskWorkspace:
        found = super().room(batches)
        return replace(found, batch_rows=max(found.batch_rows, BATCH_ROWS))


@dataclass(frozen=True)
class OnDisk:
    @contextmanager
    def parts(self) -> Any:
        """``residual`` has parts of this size in memory too."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("shoal.methods.aggregates.residual_parts.ROWS_AT_ONCE", PART_ROWS)
            yield

    def write(self, case: Case, folder: Path, part_rows: int = PART_ROWS) -> None:
        """The release of a case, and the owner's link beside it."""
        written(SmallBatches(1 << 30, folder, RowProgress(), part_rows), case.original, case, folder)


@dataclass(frozen=True)
class OnSpark:
    """Whatever is set here, workers know parts of ``residual`` of the usual size only."""

    session: Any

    def parts(self) -> Any:
        return nullcontext()

    def write(self, case: Case, folder: Path, part_rows: int = PART_ROWS) -> None:
        """Only Parquet files are written."""
        parquet.write_table(case.original, folder / "original.parquet")
        with SparkEngine(self.session, folder, part_rows) as spark:
            written(spark, folder / "original.parquet", replace(case, format="parquet"), folder)


def has_several_parts(case: Case) -> bool:
    """Of records that are not all alike, and with a release in the end."""
    quasi = case.original.select(case.policy.having("quasi")).to_pylist()
    several = len(quasi) > PART_ROWS and len({str(row) for row in quasi}) > PART_ROWS // 2
    return several and could_be_diverse(case)


def written(engine: Any, source: Any, case: Case, folder: Path) -> None:
    release_large(
        engine, source, case.policy, folder / "release", case.format, folder / "audit", seed=case.seed
    )


def may_differ(folder: Path, release: Any) -> bool:
    """Is it said why the release of an engine may be another than that of memory?"""
    notes = (*shoal.open_release(folder / "release").manifest.notes, *release.notes)
    return any(note.startswith(OTHERWISE) for note in notes)


def assert_as_in_memory(folder: Path, release: Any) -> None:
    """The same rows in the same order as in the release that memory has written, and the same is said."""
    found, expected = shoal.open_release(folder / "release"), shoal.open_release(folder / "memory")
    assert found.read().arrow.equals(expected.read().arrow)
    for name in ("method", "records", "suppressed", "verdicts", "does_not_protect", "notes", "seeded"):
        assert getattr(found.manifest, name) == getattr(expected.manifest, name)
    link, made = Audit.load(folder / "audit"), release.result
    assert link.input_rows.tolist() == made.input_rows.tolist()
    assert link.secret == release.key.tobytes()
    pairs = set(zip(link.class_of.tolist(), made.class_of.tolist(), strict=True))
    assert len(pairs) == len(set(link.class_of.tolist())) == made.classes
