"""Rows and parts in memory: all rows are one batch, every change is made at once, and a fold is a call."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.engines.protocol import Change, Look, PairChange, PartChange
from shoal.engines.steps.rows_by_number import rows_by_number
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.source_lines import SourceLines
from shoal.table.table import Table

UNBOUNDED = 1 << 62  # rows


@dataclass(frozen=True)
class MemoryRows:
    """``lines`` says where rows stood that were read: their numbers stay."""

    table: pa.Table = field(repr=False)
    lines: SourceLines | None = None

    @classmethod
    def of(cls, table: Table, names: Sequence[str] | None = None) -> "MemoryRows":
        """The columns as everybody reads them, or those with these names, with the number of every row."""
        columns = {name: table.column(name) for name in (table.names if names is None else names)}
        columns[ROW] = arrow_from_numpy(np.arange(len(table)))
        rows = cls(pa.Table.from_arrays(list(columns.values()), names=list(columns)), table.lines)
        rows.__dict__["batch"] = table.also_as(rows.table)
        rows.__dict__["plain"] = table.also_as(rows.table.drop_columns([ROW]))
        return rows

    @classmethod
    def as_written(cls, table: Table) -> "MemoryRows":
        """The columns to the letter, with the number of every row."""
        rows = cls(table.arrow.append_column(ROW, arrow_from_numpy(np.arange(len(table)))), table.lines)
        rows.__dict__["plain"] = table
        return rows

    @cached_property
    def plain(self) -> Table:
        """The same without the numbers of rows, as a table that keeps what was found out of its columns."""
        return Table(self.table.drop_columns([ROW]), self.lines)

    @property
    def schema(self) -> pa.Schema:
        return self.table.schema

    @property
    def whole(self) -> bool:
        return True

    @property
    def part_rows(self) -> int:
        return UNBOUNDED

    @property
    def most_gathered(self) -> int:
        return UNBOUNDED

    def map(self, change: Change, schema: pa.Schema) -> "MemoryRows":
        return MemoryRows(change(self.table) if len(self.table) else schema.empty_table(), self.lines)

    def fold(self, look: Callable[[pa.Table], Look], _join: Callable[[Look, Look], Look]) -> Look | None:
        return look(self.table) if len(self.table) else None

    def union(self, other: "MemoryRows") -> "MemoryRows":
        return MemoryRows(pa.concat_tables([self.table, other.table]))

    def parts(self, by: str) -> "MemoryParts":
        return MemoryParts(dict(rows_by_number(self.table, by)), self.schema)

    def kept(self) -> "MemoryRows":
        return self


@dataclass(frozen=True)
class MemoryParts:
    """Tables by the number of their part."""

    tables: dict[int, pa.Table] = field(repr=False)
    schema: pa.Schema

    def map(self, change: PartChange, schema: pa.Schema) -> MemoryRows:
        return _concatenated_rows(
            [change(number, self.tables[number]) for number in sorted(self.tables)], schema
        )

    def fold(self, look: Callable[[int, pa.Table], Look], join: Callable[[Look, Look], Look]) -> Look | None:
        found = [look(number, self.tables[number]) for number in sorted(self.tables)]
        return reduce(join, found) if found else None

    def kept(self) -> "MemoryParts":
        return self

    def cogroup(self, other: "MemoryParts", change: PairChange, schema: pa.Schema) -> MemoryRows:
        numbers = sorted({*self.tables, *other.tables})
        return _concatenated_rows(
            [change(number, self.get(number), other.get(number)) for number in numbers], schema
        )

    def get(self, number: int) -> pa.Table:
        return self.tables.get(number, self.schema.empty_table())


def _concatenated_rows(tables: list[pa.Table], schema: pa.Schema) -> MemoryRows:
    there = [table for table in tables if len(table)]
    return MemoryRows(pa.concat_tables(there) if there else schema.empty_table())


def whole_table(rows: Any) -> Table | None:
    """All rows as one table, if they are in memory."""
    return rows.plain if isinstance(rows, MemoryRows) else None
