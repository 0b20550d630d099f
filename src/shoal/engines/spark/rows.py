"""Rows and parts on Spark: which tasks there are, and what they exchange (``tasks.py``: what they do).

Changes one after the other run in one task. Only ``parts`` sends rows from worker to worker.
"""

import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from shoal.engines.file_pieces import Piece, parquet_pieces
from shoal.engines.protocol import FEWEST_GATHERED, Change, PairChange, PartChange
from shoal.engines.spark.part_files import OURS, PartFileView, file_name, whole_row, write_parts, write_views
from shoal.engines.spark.tasks import (
    Batches,
    FaultGuard,
    Fold,
    FromFiles,
    FromParts,
    FromPieces,
    Join,
    MapBatches,
    MapItems,
    MapPairs,
    MapParts,
    Pack,
    Tables,
    unpickle_finding,
)
from shoal.errors import Fault, ShoalError
from shoal.table.files.file_states import FileStates

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Look = TypeVar("Look")

MET_AT_ONCE = 64  # findings; more are joined by workers first
MOST_EXCHANGES = 4096  # shares of rows that one exchange makes


@dataclass(frozen=True)
class SparkWorkspace:
    """Where tasks run, and a folder that all of them and the driver see."""

    session: "SparkSession"
    folder: Path
    part_rows: int

    @property
    def cores(self) -> int:
        return int(self.session.sparkContext.defaultParallelism)

    def new_folder(self) -> Path:
        """One that is not there yet, for what is stored until the engine is closed."""
        return Path(tempfile.mkdtemp(dir=self.folder)) / "rows"

    def numbers(self, count: int) -> "DataFrame":
        """A task for each number."""
        return self.session.range(0, count, 1, max(count, 1))

    def of_pieces(
        self, pieces: Sequence[Piece], schema: pa.Schema, inputs: tuple[FileStates, ...] = ()
    ) -> "SparkRows":
        rows, tasks = sum(piece.rows for piece in pieces), len(pieces)
        return SparkRows(self, self.numbers(tasks), tasks, FromPieces(tuple(pieces)), schema, rows, inputs)

    def each(self, items: list[Any], look: Callable[[Any], Any], inputs: FileStates) -> list[Any]:
        """What workers find for each of some items of these files, in the order of the items."""
        task = MapItems(tuple(items), look)
        frame = self.mapped(self.numbers(len(items)), task, "number long, found binary")
        said = self.collected(frame, [inputs])
        return [unpickle_finding(bytes(row.found)) for row in sorted(said, key=lambda row: row.number)]

    def mapped(self, frame: "DataFrame", task: Callable[[Batches], Batches], columns: str) -> "DataFrame":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a pandas that is not used here
            return frame.mapInArrow(FaultGuard(task, self._faults).__call__, columns)

    def collected(self, frame: "DataFrame", inputs: Sequence[FileStates] = ()) -> list[Any]:
        """What the tasks say, which is small; what went wrong in them is told without a cell. It is refused
        if files that they have read have changed."""
        for old in self._faults.iterdir():  # of tasks that went well the second time
            old.unlink()
        try:
            said: list[Any] = frame.collect()
        except Exception:
            _insist(inputs)
            raise self._task_error() from None
        _insist(inputs)
        return said

    @property
    def _faults(self) -> Path:
        folder = self.folder / "faults"
        folder.mkdir(exist_ok=True)
        return folder

    def _task_error(self) -> ShoalError:
        left = sorted(self._faults.iterdir(), key=lambda path: path.stat().st_mtime)
        if left:
            return ShoalError(Fault(*fault) for fault in unpickle_finding(left[-1].read_bytes()))
        hint = "every machine needs shoal and enough memory, and sees the files and the work folder."
        return ShoalError("Spark could not finish a task", hint)


def _insist(inputs: Sequence[FileStates]) -> None:
    for files in inputs:
        files.insist()


@dataclass(frozen=True)
class SparkRows:
    """Rows that the tasks of a frame make, as long as the ``inputs`` that they read stay what they were;
    ``rows`` is about how many there are."""

    place: SparkWorkspace
    frame: "DataFrame"
    tasks: int
    tables: Tables
    schema: pa.Schema
    rows: int
    inputs: tuple[FileStates, ...] = ()

    @property
    def whole(self) -> bool:
        return False

    @property
    def lines(self) -> None:
        """Frames have no lines."""

    @property
    def part_rows(self) -> int:
        return self.place.part_rows

    @property
    def most_gathered(self) -> int:
        """One in a hundred of many rows."""
        return max(self.rows // 100, FEWEST_GATHERED)

    def map(self, change: Change, schema: pa.Schema) -> "SparkRows":
        return replace(self, tables=MapBatches(self.tables, change, schema), schema=schema)

    def fold(self, look: Callable[[pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        return fold_tasks(self, lambda _, table: look(table), join)

    def union(self, other: "SparkRows") -> "SparkRows":
        """The pieces of both, which are stored first where they are not."""
        one, two = self._in_pieces(), other._in_pieces()
        pieces = [piece for rows in (one, two) for piece in rows._pieces()]
        return self.place.of_pieces(pieces, self.schema, (*one.inputs, *two.inputs))

    def _in_pieces(self) -> "SparkRows":
        return self if isinstance(self.tables, FromPieces) else self.kept()

    def _pieces(self) -> tuple[Piece, ...]:
        assert isinstance(self.tables, FromPieces)  # noqa: S101
        return self.tables.pieces

    def parts(self, by: str) -> "SparkParts":
        for field in self.schema:
            if pa.types.is_dictionary(field.type):
                what = f"column {field.name!r} is {field.type}, which cannot be exchanged between workers"
                raise ShoalError(what, "turn it into plain values first.")
        packed = self.place.mapped(self.frame, Pack(self.tables, by), "part long, rows binary")
        shares = min(max(self.place.cores, 2 * -(-self.rows // self.place.part_rows)), MOST_EXCHANGES)
        frame = packed.repartition(shares, "part").sortWithinPartitions("part")
        sent = replace(self, frame=frame, tasks=shares, tables=FromParts(self.schema))
        return SparkParts(sent, self, by)

    def kept(self) -> "SparkRows":
        files = write_parts(self, self.place.new_folder(), OURS)
        pieces = [piece for file in files for piece in parquet_pieces(file, first=None)]
        return self.place.of_pieces(pieces, self.schema)


@dataclass(frozen=True)
class SparkParts:
    """Rows in parts: ``rows`` after Spark has ``shuffled`` them, which leaves each part in one table."""

    shuffled: SparkRows
    rows: SparkRows
    by: str

    @property
    def schema(self) -> pa.Schema:
        return self.shuffled.schema

    def map(self, change: PartChange, schema: pa.Schema) -> SparkRows:
        return replace(self.shuffled, tables=MapParts(self.shuffled.tables, change, schema), schema=schema)

    def fold(self, look: Callable[[int, pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        return fold_tasks(self.shuffled, look, join)

    def kept(self) -> "SparkParts":
        """Parts stored in files, since Spark would send the rows again whenever they are used."""
        folder = self.shuffled.place.new_folder()
        found = write_views(self.shuffled, [PartFileView(folder, whole_row, self.schema, OURS)])
        parts = tuple(
            (one.number, tuple(parquet_pieces(folder / file_name(place), first=None)))
            for place, one in enumerate(found)
        )
        tables = FromFiles(parts, self.schema)
        frame = self.shuffled.place.numbers(len(parts))
        shuffled = replace(self.shuffled, frame=frame, tasks=len(parts), tables=tables, inputs=())
        return replace(self, shuffled=shuffled)

    def cogroup(self, other: "SparkParts", change: PairChange, schema: pa.Schema) -> SparkRows:
        frames = [
            one.rows.place.mapped(
                one.rows.frame, Pack(one.rows.tables, one.by, side), "part long, side long, rows binary"
            )
            for side, one in enumerate((self, other))
        ]
        shares = max(self.shuffled.tasks, other.shuffled.tasks)
        frame = frames[0].union(frames[1]).repartition(shares, "part").sortWithinPartitions("part", "side")
        paired = MapPairs((self.schema, other.schema), change, schema)
        inputs = (*self.rows.inputs, *other.rows.inputs)
        return replace(self.shuffled, frame=frame, tasks=shares, tables=paired, schema=schema, inputs=inputs)


def fold_tasks(
    rows: SparkRows, look: Callable[[int, pa.Table], Look], join: Callable[[Look, Look], Look]
) -> Look | None:
    """A finding of every task, joined by the driver, and by workers before where there are many."""
    place = rows.place
    found = place.mapped(rows.frame, Fold(rows.tables, look, join), "found binary")
    if rows.tasks > MET_AT_ONCE:
        found = place.mapped(found.repartition(isqrt(rows.tasks)), Join(join), "found binary")
    seen = [unpickle_finding(bytes(row.found)) for row in place.collected(found, rows.inputs)]
    for other in seen[1:]:
        seen[0] = join(seen[0], other)
    return seen[0] if seen else None
