"""Files that Spark tasks write, one per piece or part, and that the driver takes over all together.

A task that is run twice writes twice, under names of its own; only what Spark reports once is taken over.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa

from shoal.engines.protocol import Change
from shoal.engines.spark.tasks import Batches, Tables, finding_batch, unpickle_finding

if TYPE_CHECKING:
    from shoal.engines.spark.rows import SparkRows

GROUP_ROWS = 1 << 17
PUBLISHED, OURS = "zstd", "lz4"  # compression: well for a release, fast for what is read once more
PATIENCE = 5.0  # seconds, for tasks that Spark has given up to notice it
PAUSE = 0.05

Tell = Callable[[pa.Table], list[str]]


@dataclass(frozen=True)
class PartFileView:
    """What of the rows goes into the files of a new folder."""

    folder: Path
    change: Change
    schema: pa.Schema
    compression: str = PUBLISHED


@dataclass(frozen=True)
class PartFiles:
    """The files of a piece or part, one per view; ``statistics`` are texts that its rows bear."""

    number: int
    names: tuple[str, ...]
    rows: int
    statistics: tuple[str, ...]


@dataclass(frozen=True)
class WriteFiles:
    """Writes the views of a piece or part side by side, in row groups of the same rows."""

    tables: Tables
    views: tuple[PartFileView, ...]
    tell: Tell

    def __call__(self, batches: Batches) -> Batches:
        rows = ((number, table) for number, table in self.tables(batches) if len(table))
        for number, tables in groupby(rows, key=lambda pair: pair[0]):
            yield finding_batch(self._filed(number, (table for _, table in tables)))

    def _filed(self, number: int, tables: Iterator[pa.Table]) -> PartFiles:
        names, rows, statistics = tuple(f"{uuid4().hex}.parquet" for _ in self.views), 0, list[str]()
        with ExitStack() as files:
            writers = [
                files.enter_context(_writer(view.folder / name, view.schema, view.compression))
                for view, name in zip(self.views, names, strict=True)
            ]
            for group in _groups(tables):
                for view, writer in zip(self.views, writers, strict=True):
                    writer.write_table(view.change(group), row_group_size=GROUP_ROWS)
                rows += len(group)
                statistics += self.tell(group)
        return PartFiles(number, names, rows, tuple(statistics))


def _groups(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Rows that are written at once."""
    waiting, rows = list[pa.Table](), 0
    for table in tables:
        waiting.append(table)
        rows += len(table)
        if rows >= GROUP_ROWS:
            yield pa.concat_tables(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_tables(waiting)


def _writer(path: Path, schema: pa.Schema, compression: str) -> Any:
    from pyarrow import parquet

    return parquet.ParquetWriter(
        path, schema, compression=compression, use_dictionary=compression != OURS, write_page_index=False
    )


def no_statistics(_: pa.Table) -> list[str]:
    """The statistics of a file whose writer has none to tell."""
    return []


def whole_row(table: pa.Table) -> pa.Table:
    """A table unchanged, for files that keep every column."""
    return table


def write_views(
    rows: "SparkRows", views: Sequence[PartFileView], tell: Tell = no_statistics
) -> list[PartFiles]:
    """The folder of every view with files ``part-00000.parquet`` and so on, in the order of pieces or parts;
    each appears when all of its files are there."""
    with ExitStack() as stack:
        beside = [stack.enter_context(_beside(view.folder)) for view in views]
        own = tuple(
            PartFileView(folder, view.change, view.schema, view.compression)
            for folder, view in zip(beside, views, strict=True)
        )
        said = rows.place.mapped(rows.frame, WriteFiles(rows.tables, own, tell), "found binary")
        told = rows.place.collected(said, rows.inputs)
        found: list[PartFiles] = [unpickle_finding(bytes(row.found)) for row in told]
        found.sort(key=lambda one: one.number)
        for at, view in enumerate(own):
            ready = view.folder / "ready"
            ready.mkdir()
            for place, one in enumerate(found):
                (view.folder / one.names[at]).rename(ready / file_name(place))
            if not found:
                _writer(ready / file_name(0), view.schema, PUBLISHED).close()
            ready.rename(views[at].folder)
    return found


def file_name(place: int) -> str:
    """
    >>> file_name(7)
    'part-00007.parquet'
    """
    return f"part-{place:05}.parquet"


def write_parts(rows: "SparkRows", folder: Path, compression: str = PUBLISHED) -> list[Path]:
    """All rows into a new folder; its files in their order."""
    write_views(rows, [PartFileView(folder, whole_row, rows.schema, compression)])
    return sorted(folder.iterdir())


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A hidden folder that is gone in the end, with what tasks wrote that nobody waits for any more."""
    hidden = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield hidden
    finally:
        remove_folder(hidden)


def remove_folder(folder: Path) -> None:
    """Remove a folder, even while a task that was given up still writes into it."""
    until = time.monotonic() + PATIENCE
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=time.monotonic() < until)
        if folder.exists():
            time.sleep(PAUSE)


def sync_files(files: Sequence[Path]) -> None:
    """Seen safely onto the disk."""
    for file in files:
        with file.open("rb") as content:
            os.fsync(content.fileno())
