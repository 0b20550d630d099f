"""What a Spark task does with its share of the rows.

Rows go through Python only: a task reads its pieces of files, or the parts that it was sent, makes every
change there is up to the next exchange, and sends rows on as packed Arrow batches. Spark itself moves bytes,
so that no kind of column, name or value is strange to it.
"""

import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa

from shoal.engines.file_pieces import Piece
from shoal.engines.protocol import Change, PairChange, PartChange
from shoal.errors import ShoalError, without_values
from shoal.table.columns.arrow_numpy import numpy_from_arrow

Batches = Iterator[pa.RecordBatch]
Numbered = Iterator[tuple[int, pa.Table]]  # with the number of the piece or part that they come from
Tables = Callable[[Batches], Numbered]

PACKED_BYTES = 1 << 22  # rows are sent on when so many bytes have come together


@dataclass(frozen=True)
class FromPieces:
    """A task is given numbers of pieces."""

    pieces: tuple[Piece, ...]

    def __call__(self, batches: Batches) -> Numbered:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from ((number, table) for table in self.pieces[number].tables())


@dataclass(frozen=True)
class FromFrame:
    """A task is given the rows of a frame, whose columns have these names."""

    schema: pa.Schema

    def __call__(self, batches: Batches) -> Numbered:
        from pyspark import TaskContext

        number = TaskContext.get().partitionId()
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns(self.schema.names)
            yield number, table.cast(self.schema)


@dataclass(frozen=True)
class FromParts:
    """A task is given packed rows with the numbers of their parts, in the order of these."""

    schema: pa.Schema

    def __call__(self, batches: Batches) -> Numbered:
        packed = ((part, rows) for batch in batches for part, rows in zip(*batch.columns, strict=True))
        for part, rows in groupby(packed, key=lambda pair: pair[0].as_py()):
            read = [pa.ipc.read_record_batch(row.as_buffer(), self.schema) for _, row in rows]
            yield part, pa.Table.from_batches(read, self.schema).combine_chunks()


@dataclass(frozen=True)
class FromFiles:
    """A task is given places in a list of parts, each of which is stored in pieces under its number."""

    parts: tuple[tuple[int, tuple[Piece, ...]], ...]
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Numbered:
        for batch in batches:
            for place in batch.column(0).to_pylist():
                number, pieces = self.parts[place]
                tables = [table for piece in pieces for table in piece.tables()]
                yield number, pa.concat_tables(tables).combine_chunks()


@dataclass(frozen=True)
class MapPairs:
    """A task is given packed rows of two tables, in the order of their parts, one side before the other."""

    schemas: tuple[pa.Schema, pa.Schema]
    change: PairChange
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Numbered:
        packed = (row for batch in batches for row in zip(*batch.columns, strict=True))
        for part, rows in groupby(packed, key=lambda row: row[0].as_py()):
            read: tuple[list[pa.RecordBatch], list[pa.RecordBatch]] = [], []
            for _, side, content in rows:
                at = side.as_py()
                read[at].append(pa.ipc.read_record_batch(content.as_buffer(), self.schemas[at]))
            both = (pa.Table.from_batches(one, kind) for one, kind in zip(read, self.schemas, strict=True))
            yield part, _as_said(self.change(part, *both), self.schema)


@dataclass(frozen=True)
class WithMore:
    """Pieces of two tables with the same rows, whose columns belong together."""

    tables: Tables
    more: tuple[Piece, ...]

    def __call__(self, batches: Batches) -> Numbered:
        for number, tables in groupby(self.tables(batches), key=lambda pair: pair[0]):
            one = pa.concat_tables([table for _, table in tables])
            other = pa.concat_tables(list(self.more[number].tables()))
            for name in other.column_names:
                one = one.append_column(name, other.column(name))
            yield number, one


@dataclass(frozen=True)
class MapBatches:
    """A change of every batch with rows, made inside a task."""

    tables: Tables
    change: Change
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Numbered:
        for number, table in self.tables(batches):
            if len(table):
                yield number, _as_said(self.change(table), self.schema)


@dataclass(frozen=True)
class MapParts:
    """A change of every whole part, empty ones too, made inside a task."""

    tables: Tables
    change: PartChange
    schema: pa.Schema

    def __call__(self, batches: Batches) -> Numbered:
        for part, table in self.tables(batches):
            yield part, _as_said(self.change(part, table), self.schema)


def _as_said(table: pa.Table, schema: pa.Schema) -> pa.Table:
    return table if table.schema.equals(schema) else table.select(schema.names).cast(schema)


@dataclass(frozen=True)
class Fold:
    """One packed finding per task, if it has rows."""

    tables: Tables
    look: Callable[[int, pa.Table], Any]
    join: Callable[[Any, Any], Any]

    def __call__(self, batches: Batches) -> Batches:
        seen = (self.look(number, table) for number, table in self.tables(batches) if len(table))
        yield from _joined(seen, self.join)


@dataclass(frozen=True)
class MapItems:
    """What is found for every item, whose numbers the task is given."""

    items: tuple[Any, ...]
    look: Callable[[Any], Any]

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                found = pa.array([pickle_finding(self.look(self.items[number]))], pa.binary())
                yield pa.RecordBatch.from_arrays([pa.array([number], pa.int64()), found], ["number", "found"])


@dataclass(frozen=True)
class Join:
    """Findings of several tasks become one."""

    join: Callable[[Any, Any], Any]

    def __call__(self, batches: Batches) -> Batches:
        seen = (unpickle_finding(cell.as_py()) for batch in batches for cell in batch.column(0))
        yield from _joined(seen, self.join)


def _joined(seen: Iterator[Any], join: Callable[[Any, Any], Any]) -> Batches:
    for found in seen:
        for other in seen:
            found = join(found, other)
        yield finding_batch(found)


def finding_batch(found: Any) -> pa.RecordBatch:
    """What a task says to the driver."""
    return pa.RecordBatch.from_arrays([pa.array([pickle_finding(found)], pa.binary())], ["found"])


def pickle_finding(found: Any) -> bytes:
    """What a task found, packed to be sent to the driver."""
    from pyspark import cloudpickle

    content: bytes = cloudpickle.dumps(found)
    return content


def unpickle_finding(content: bytes) -> Any:
    """What a task found, unpacked on the driver."""
    return pickle.loads(content)  # noqa: S301  (made by a task of ours)


@dataclass(frozen=True)
class Pack:
    """Rows with the number of the part that they belong to, as few packets as memory allows."""

    tables: Tables
    by: str
    side: int | None = None  # of two tables that are sent to the same parts

    def __call__(self, batches: Batches) -> Batches:
        waiting, size = list[pa.Table](), 0
        for _, table in self.tables(batches):
            if not len(table):
                continue
            waiting.append(table)
            size += table.nbytes
            if size > PACKED_BYTES:
                yield from self._packets(pa.concat_tables(waiting))
                waiting, size = [], 0
        if waiting:
            yield from self._packets(pa.concat_tables(waiting))

    def _packets(self, table: pa.Table) -> Batches:
        parts = numpy_from_arrow(table[self.by].combine_chunks().cast(pa.int64()))
        order = np.argsort(parts, kind="stable")
        ordered = table.take(pa.array(order)).combine_chunks()
        numbers, starts = np.unique(parts[order], return_index=True)
        stops = [*starts[1:].tolist(), len(ordered)]
        for number, start, stop in zip(numbers.tolist(), starts.tolist(), stops, strict=True):
            for batch in ordered.slice(start, stop - start).to_batches():
                sent: dict[str, Any] = {"part": pa.array([number], pa.int64())}
                if self.side is not None:
                    sent["side"] = pa.array([self.side], pa.int64())
                sent["rows"] = pa.array([batch.serialize().to_pybytes()], pa.binary())
                yield pa.RecordBatch.from_pydict(sent)


@dataclass(frozen=True)
class PlainColumns:
    """Rows as plain columns, for a frame of the user's."""

    tables: Tables
    names: tuple[str, ...]

    def __call__(self, batches: Batches) -> Batches:
        for _, table in self.tables(batches):
            yield from table.rename_columns(self.names).to_batches()


@dataclass(frozen=True)
class FaultGuard:
    """Leaves word of what went wrong in a folder, since Spark would show and log cells of the table."""

    task: Callable[[Batches], Batches]
    faults: Path

    def __call__(self, batches: Batches) -> Batches:
        try:
            yield from self.task(batches)
        except GeneratorExit:
            raise
        except Exception as error:
            faults = [(each.what, each.hint) for each in _error_without_values(error).faults]
            with suppress(OSError):  # else Spark would log both errors
                (self.faults / uuid4().hex).write_bytes(pickle_finding(faults))
            raise RuntimeError("a task of shoal failed") from (error if "SHOAL_DEBUG" in os.environ else None)


def _error_without_values(error: Exception) -> ShoalError:
    if isinstance(error, ShoalError):
        return error
    if not isinstance(error, OSError) or error.errno is None:
        return without_values(error)
    return ShoalError(
        f"a task could not read or write a file: {os.strerror(error.errno)}",
        "make room on the disks; every machine has to see the files and the work folder.",
    )
