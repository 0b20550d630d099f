"""What permutation needs to know of the whole table: the columns that lie on a line, and who leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import size_faults
from shoal.anonymizer.parts.table_facts import table_columns
from shoal.anonymizer.permutation.group_demand import WIDEST, partition_demand
from shoal.arrays import Bools, Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.cell_faults import missing_number_fault, missing_word_fault, odd_number_fault
from shoal.errors import Fault, ShoalError
from shoal.methods.permutation.partition import GroupDemand
from shoal.policy.model.guarantee import KeAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.number_summary import (
    CellPlaces,
    NumberSummary,
    cell_places,
    summarize_numbers,
    units_on_scale,
)
from shoal.table.columns.numbered_rows import ROW
from shoal.table.files.header import no_rows
from shoal.table.table import beyond_one_scale

POINT = "shoal:point"  # where the first column that is asked for lies on its line
FILL_HINT = 'fill them, or say "value" or "suppress".'


@dataclass(frozen=True)
class PointColumn:
    """A column of numbers on one scale, or of dates as days."""

    scale: int
    dates: bool

    def points(self, column: pa.ChunkedArray) -> tuple[Ints, Bools]:
        """The cells of a batch, and which are missing."""
        if not self.dates:
            return units_on_scale(column, self.scale)
        days = days_from_arrow(column)
        if days is None:  # not a single one is there
            return np.zeros(len(column), np.int64), np.ones(len(column), bool)
        return days.units, days.missing


@dataclass(frozen=True)
class PermutationFacts:
    """``names`` are published; a missing cell in a column of ``leaving`` makes a record leave."""

    rows: int
    names: tuple[str, ...]
    asked: tuple[KeAnonymity, ...]
    of: dict[str, PointColumn]
    leaving: tuple[str, ...]

    def demand(self, asked: KeAnonymity) -> GroupDemand:
        return partition_demand(asked, self.of[asked.sensitive].scale)

    def demands(self, table: pa.Table, some: Sequence[KeAnonymity]) -> list[tuple[Ints, GroupDemand]]:
        """The points of staged rows, and what some guarantees ask of their groups."""
        return [
            (self.of[one.sensitive].points(table.column(one.sensitive))[0], self.demand(one)) for one in some
        ]

    def stays(self, table: pa.Table) -> Bools:
        kept = np.ones(len(table), bool)
        for name in self.leaving:
            kept &= ~(self.of[name].points(table.column(name))[1] if name in self.of else _empty(table, name))
        return kept

    def rows_with_points(self, rows: Rows) -> Rows:
        """Published columns of the records that stay, with ROW and POINT."""
        kinds = [rows.schema.field(name) for name in (*self.names, ROW)]
        schema = pa.schema([*kinds, pa.field(POINT, pa.int64())])
        return rows.map(partial(_stage, self), schema).kept()


@dataclass(frozen=True)
class _LineSummary:
    """What some batches show of a column: as numbers, if they were, and whether there are dates, and other
    cells."""

    numbers: NumberSummary
    dates: bool
    others: bool

    def joined(self, other: "_LineSummary") -> "_LineSummary":
        return _LineSummary(
            self.numbers.joined(other.numbers), self.dates or other.dates, self.others or other.others
        )

    @property
    def dated(self) -> bool:
        return self.dates and not self.others

    def too_large(self, name: str) -> list[Fault]:
        """A missing cell counts as 0."""
        numbers = self.numbers.scaled_numbers()
        ends = [numbers.low or 0, numbers.high or 0, *([0] if numbers.missing.count else [])]
        if self.dated:
            return []
        if max(map(abs, ends)) >= 2**63:
            return [beyond_one_scale(name)]
        return [_too_wide(name)] if max(ends) - min(ends) >= WIDEST else []


@dataclass(frozen=True)
class _BatchSummary:
    rows: int
    lines: dict[str, _LineSummary]
    empty: dict[str, CellPlaces]

    def joined(self, other: "_BatchSummary") -> "_BatchSummary":
        return _BatchSummary(
            self.rows + other.rows,
            {name: look.joined(other.lines[name]) for name, look in self.lines.items()},
            {name: places.joined(other.empty[name]) for name, places in self.empty.items()},
        )


def permutation_facts(rows: Rows, policy: Policy) -> PermutationFacts:
    """Every fault of policy and table at once, as in memory, else the lines."""
    names = table_columns(rows)
    asked = tuple(one for one in policy.guarantees if isinstance(one, KeAnonymity))
    points = list(dict.fromkeys(one.sensitive for one in asked))
    looks = rows.fold(partial(_summary_of_batch, points, list(policy.missing_counts)), _BatchSummary.joined)
    if looks is None:
        raise no_rows("the table")
    faults = [fault for name in points for fault in _line_faults(rows, policy, name, looks.lines[name])]
    faults += _missing_faults(rows, policy, looks)
    faults += size_faults(policy, looks.rows)
    if faults:
        raise ShoalError(faults)
    return PermutationFacts(
        looks.rows,
        tuple(name for name in names if policy.publishes(name)),
        asked,
        {name: _line(look) for name, look in looks.lines.items()},
        tuple(name for name, rule in policy.missing_counts.items() if rule == "suppress"),
    )


def _line(look: _LineSummary) -> PointColumn:
    return PointColumn(0, True) if look.dated else PointColumn(look.numbers.scaled_numbers().scale, False)


def _summary_of_batch(asked: list[str], missing: list[str], table: pa.Table) -> _BatchSummary:
    rows = np.asarray(numpy_from_arrow(table.column(ROW).combine_chunks()))
    empty = {name: cell_places(rows, np.flatnonzero(_empty(table, name))) for name in missing}
    return _BatchSummary(len(table), {name: _line_summary(table, name) for name in asked}, empty)


def _line_summary(table: pa.Table, name: str) -> _LineSummary:
    seen, days = summarize_numbers(table, name), days_from_arrow(table.column(name))
    return _LineSummary(seen, days is not None, days is None and seen.missing.count < len(table))


def _empty(table: pa.Table, name: str) -> Any:
    return numpy_from_arrow(table.column(name).is_null().combine_chunks())


def _line_faults(rows: Rows, policy: Policy, name: str, look: _LineSummary) -> list[Fault]:
    seen = look.numbers.scaled_numbers()
    if not look.dated and seen.odd:
        return [odd_number_fault(rows, name, reason) for reason in seen.odd]
    faults = look.too_large(name)
    if seen.missing.count and policy.missing_counts.get(name) != "suppress":
        hint = f"leave these records out: {policy.missing_line(name, 'suppress')} in [missing]."
        located = missing_word_fault if look.dated else missing_number_fault
        faults.append(located(rows, name, "missing", hint))
    return faults


def _too_wide(name: str) -> Fault:
    what = f"the values of {name!r} lie further apart than 63 bits can tell"
    return Fault(what, "publish the column in larger units, for example thousands.")


def _not_zero(name: str) -> Fault:
    what = f'[missing] {name} = "zero": a permuted release publishes cells as they are'
    return Fault(what, 'say "value", "suppress" or "error".')


def _missing_faults(rows: Rows, policy: Policy, looks: _BatchSummary) -> list[Fault]:
    faults = []
    for name, rule in policy.missing_counts.items():
        if rule == "zero":
            faults.append(_not_zero(name))
        elif rule == "error" and looks.empty[name].count:
            faults.append(missing_word_fault(rows, name, "missing", FILL_HINT))
    return faults


def _stage(lines: PermutationFacts, table: pa.Table) -> pa.Table:
    if lines.leaving:
        table = table.filter(arrow_from_numpy(lines.stays(table)))
    first = lines.asked[0].sensitive
    points, _ = lines.of[first].points(table.column(first))
    return table.select([*lines.names, ROW]).append_column(POINT, arrow_from_numpy(points))
