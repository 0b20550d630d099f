"""Rows and parts on the disk of one machine: read in batches, parted into files without names."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from shoal.engines.disk.spill import Spill
from shoal.engines.protocol import FEWEST_GATHERED, Change, Look, PairChange, PartChange
from shoal.engines.row_progress import RowProgress
from shoal.engines.steps.rows_by_number import rows_by_number
from shoal.kernels.compiled import CORES
from shoal.table.source_lines import SourceLines

Item = TypeVar("Item")
Result = TypeVar("Result")

PARTS_AT_ONCE = 1  # beside the one that is used: memory is for so many


@dataclass(frozen=True)
class DiskWorkspace:
    """What an engine on disk works with: a folder for what is put aside, batches and parts of so many rows,
    and somebody who watches."""

    folder: Path
    batch_rows: int
    part_rows: int
    watched: RowProgress

    def spill(self, schema: pa.Schema) -> Spill:
        return Spill(self.folder, schema)


@dataclass(frozen=True)
class DiskRows:
    """``read`` begins at the first row whenever it is called; the changes are made on all cores. ``lines``
    says where rows stood, of rows that were read."""

    room: DiskWorkspace
    schema: pa.Schema
    read: Callable[[], Iterator[pa.Table]]
    changes: tuple[Change, ...] = ()
    lines: SourceLines | None = None

    @property
    def whole(self) -> bool:
        return False

    @property
    def part_rows(self) -> int:
        return self.room.part_rows

    @property
    def most_gathered(self) -> int:
        return max(self.room.part_rows, FEWEST_GATHERED)

    def map(self, change: Change, schema: pa.Schema) -> "DiskRows":
        return DiskRows(self.room, schema, self.read, (*self.changes, change))

    def batches(self) -> Iterator[pa.Table]:
        return (table for table in self._each(lambda table: table) if len(table))

    def fold(self, look: Callable[[pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        found = self._each(lambda table: look(table) if len(table) else None)
        return _joined((one for one in found if one is not None), join)

    def _each(self, work: Callable[[pa.Table], Result]) -> Iterator[Result]:
        def changed(table: pa.Table) -> Result:
            for change in self.changes:
                if not len(table):
                    break
                table = change(table)
            return work(table)

        tables = (table for table in self.read() if len(table))
        return _in_order(changed, self.room.watched.counted(tables), CORES)

    def union(self, other: "DiskRows") -> "DiskRows":
        return DiskRows(self.room, self.schema, lambda: chain(self.batches(), other.batches()))

    def parts(self, by: str) -> "DiskParts":
        spill = self.room.spill(self.schema)
        for table in self._each(lambda table: rows_by_number(table, by)):
            for number, rows in table:
                spill.put(number, rows)
        self.room.watched.spilled(spill.bytes)
        return DiskParts(self.room, spill)

    def kept(self) -> "DiskRows":
        spill = self.room.spill(self.schema)
        for table in self.batches():
            spill.put(0, table)
        self.room.watched.spilled(spill.bytes)
        return DiskRows(self.room, self.schema, spill.batches)


@dataclass(frozen=True)
class DiskParts:
    """Parts of a table in files without names, each of them small enough for memory."""

    room: DiskWorkspace
    spill: Spill = field(repr=False)

    @property
    def schema(self) -> pa.Schema:
        return self.spill.schema

    def map(self, change: PartChange, schema: pa.Schema) -> DiskRows:
        """Part by part in the order of their numbers, cut into batches again."""

        def read() -> Iterator[pa.Table]:
            for table in self._each(change):
                for start in range(0, len(table), self.room.batch_rows):
                    yield table.slice(start, self.room.batch_rows)

        return DiskRows(self.room, schema, read)

    def fold(self, look: Callable[[int, pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        return _joined(self._each(look), join)

    def kept(self) -> "DiskParts":
        return self

    def cogroup(self, other: "DiskParts", change: PairChange, schema: pa.Schema) -> DiskRows:
        numbers = sorted({*self.spill.numbers, *other.spill.numbers})

        def of_pair(number: int) -> pa.Table:
            return change(number, self.spill.get(number), other.spill.get(number))

        return DiskRows(self.room, schema, lambda: _in_order(of_pair, numbers, PARTS_AT_ONCE))

    def _each(self, work: Callable[[int, pa.Table], Result]) -> Iterator[Result]:
        def of_part(number: int) -> Result:
            return work(number, self.spill.get(number))

        return _in_order(of_part, self.spill.numbers, PARTS_AT_ONCE)


def _joined(found: Iterable[Look], join: Callable[[Look, Look], Look]) -> Look | None:
    every = iter(found)
    first = next(every, None)
    return None if first is None else reduce(join, every, first)


def _in_order(work: Callable[[Item], Result], items: Iterable[Item], at_once: int) -> Iterator[Result]:
    """The results in the order of the items, a few of them worked on ahead."""
    with ThreadPoolExecutor(at_once) as pool:
        waiting: deque[Future[Result]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
