"""residual beyond memory: rows that share what is known stay as they are, the others are in random parts.

How many rows share what a row shows is counted in the order of what is known, where equal rows stand
together; a run that reaches into other parts is put together from what all parts tell of their ends. Parts of
the others are drawn by the hash of their row, as in memory, and every part serves itself.
"""

from dataclasses import dataclass
from functools import partial
from operator import or_
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.anonymizer.parts.part_counts import PartCounts
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_layout import range_part, range_schema
from shoal.arrays import AnyArray, Ints
from shoal.engines.protocol import PART, Rows
from shoal.engines.steps.global_sort import global_sort
from shoal.kernels.codes import hash_codes
from shoal.methods.aggregates.residual import residual_part
from shoal.methods.aggregates.residual_parts import NO_PART, PartScheme, RowStatus, part_schemes, row_status
from shoal.methods.ranges import Ranges
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of, ints_of, matrix_of

SHARE = "shoal:share"  # the part in which a row is served, or, below zero, where it is published as it is
FIRST = "shoal:first"  # the first row of those that it shares everything with


@dataclass(frozen=True)
class KnownRun:
    """Rows with the same known values at one end of a part."""

    value: Any
    counts: PartCounts
    first: int

    def joined(self, other: "KnownRun") -> "KnownRun":
        return KnownRun(self.value, self.counts.joined(other.counts), min(self.first, other.first))


@dataclass(frozen=True)
class PartEnds:
    """The first and the last run of a part; they may be the same one."""

    rows: int
    bottom: KnownRun
    top: KnownRun


def residual_plan(rows: Rows, asked: RangesPlanInput) -> Rows:
    """Publish rows that enough others share as they are, and serve the rest part by part."""
    parts = global_sort(rows, partial(_known, asked), asked.key, asked.facts.staying)
    runs = whole_runs(parts.fold(partial(_ends, asked), or_) or {})
    free = parts.fold(partial(_free, asked, runs), np.add) or 0
    for cut in part_schemes(asked.facts.staying - int(free), int(free)):
        held = parts.fold(partial(_counts_by_share, asked, runs, cut), _with_more) or {}
        if len(held) == cut.parts and all(one.enough(asked.k, asked.sensitive) for one in held.values()):
            break
    schema = rows.schema.append(pa.field(SHARE, pa.int64())).append(pa.field(FIRST, pa.int64()))
    shared = parts.map(partial(_with_shares, asked, runs, cut), schema).parts(SHARE)
    return shared.map(partial(_published_part, asked), range_schema(asked.facts, rows.schema))


def _known(asked: RangesPlanInput, table: pa.Table) -> AnyArray:
    """One number for what is known of a row."""
    found = asked.request.known.values(matrix_of(table, asked.names))
    return np.asarray(found[0]) if len(found) == 1 else hash_codes(found)


def _ends(asked: RangesPlanInput, number: int, table: pa.Table) -> dict[int, PartEnds]:
    values, runs = _known(asked, table), []
    for value in (values.min(), values.max()):
        same = table.filter(arrow_from_numpy(values == value))
        runs.append(KnownRun(value.item(), PartCounts.of(same, asked.sensitive), int(ids_of(same).min())))
    return {number: PartEnds(len(table), *runs)}


def whole_runs(ends: dict[int, PartEnds]) -> dict[int, tuple[KnownRun, ...]]:
    """The runs at the ends of each part, as they are in the whole table."""
    found: dict[Any, KnownRun] = {}
    for one in ends.values():
        for run in (one.bottom,) if one.bottom.value == one.top.value else (one.bottom, one.top):
            found[run.value] = found[run.value].joined(run) if run.value in found else run
    return {number: (found[one.bottom.value], found[one.top.value]) for number, one in ends.items()}


def _standing(
    asked: RangesPlanInput, runs: dict[int, tuple[KnownRun, ...]], number: int, table: pa.Table
) -> RowStatus:
    values, ids = matrix_of(table, asked.names), ids_of(table)
    nobody, diversity = np.zeros(len(ids), bool), asked.sensitive.diversity(table)
    stands = row_status(values, ids, asked.request.known, asked.k, nobody, diversity)
    known = _known(asked, table)
    for run in runs[number]:
        same, free = known == run.value, run.counts.enough(asked.k, asked.sensitive)
        stands.free[same] = free
        stands.sizes[same], stands.first[same] = (run.counts.rows, run.first) if free else (1, ids[same])
    return stands


def _free(asked: RangesPlanInput, runs: dict[int, tuple[KnownRun, ...]], number: int, table: pa.Table) -> int:
    return int(_standing(asked, runs, number, table).free.sum())


def _counts_by_share(
    asked: RangesPlanInput,
    runs: dict[int, tuple[KnownRun, ...]],
    cut: PartScheme,
    number: int,
    table: pa.Table,
) -> dict[int, PartCounts]:
    """What this part gives to each of the parts in which rows are served."""
    shares = cut.part_of(_standing(asked, runs, number, table), ids_of(table), asked.key)
    present = np.unique(shares[shares != NO_PART]).tolist()
    return {
        share: PartCounts.of(table.filter(arrow_from_numpy(shares == share)), asked.sensitive)
        for share in present
    }


def _with_more(one: dict[int, PartCounts], other: dict[int, PartCounts]) -> dict[int, PartCounts]:
    more = {share: one[share].joined(held) if share in one else held for share, held in other.items()}
    return one | more


def _with_shares(
    asked: RangesPlanInput,
    runs: dict[int, tuple[KnownRun, ...]],
    cut: PartScheme,
    number: int,
    table: pa.Table,
) -> pa.Table:
    stands = _standing(asked, runs, number, table)
    shares = cut.part_of(stands, ids_of(table), asked.key)
    shares = np.where(shares == NO_PART, -1 - number, shares)
    table = table.drop_columns([PART]).append_column(SHARE, arrow_from_numpy(shares))
    return table.append_column(FIRST, arrow_from_numpy(stands.first))


def _published_part(asked: RangesPlanInput, number: int, table: pa.Table) -> pa.Table:
    """A part that serves itself, or rows that are published as they are. Who is near enough to count within
    a share takes all rows to say, so no part does."""
    values, ids, request = matrix_of(table, asked.names), ids_of(table), asked.request
    if number < 0:
        first = ints_of(table, FIRST)
        return range_part(asked.facts, table, _as_they_are(values, first), first)
    subsets, diversity = int(request.options.get("subsets", 2)), asked.sensitive.diversity(table)
    made = residual_part(
        values, ids, request.known, asked.k, asked.key, request.costs, None, diversity, subsets
    )
    return range_part(asked.facts, table, made)


def _as_they_are(values: Ints, first: Ints) -> Ranges:
    order = np.argsort(first, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(first[order], prepend=-1)), len(order))
    return Ranges(order, starts, values[order], values[order])
