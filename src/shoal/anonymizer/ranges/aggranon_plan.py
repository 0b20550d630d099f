"""aggranon beyond memory: blocks of k in the global order of f, so that every row is served as in memory.

A block may begin in one part and end in the next. Whoever holds its first row publishes it and borrows the
rest: all parts first tell how many rows they have and which come first, and that says who skips what.

Blocks that grow until they are diverse end where their rows say so, and nobody knows where the next one
begins before the last one has ended. Parts then stand alone, each of them diverse enough for a block.
"""

from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from operator import or_

import numpy as np
import pyarrow as pa

from shoal.anonymizer.parts.part_counts import merge_small_parts
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_layout import publish_alone, range_part, range_schema
from shoal.arrays import AnyArray, Ints
from shoal.engines.protocol import PART, Rows
from shoal.engines.steps.global_sort import global_sort
from shoal.kernels.order import tie_order
from shoal.methods.aggregates.aggranon import aggranon_blocks, totals_of
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of, matrix_of


@dataclass(frozen=True)
class PartHead:
    """How many rows a part has, and the first of them in order."""

    rows: int
    first: pa.Table


@dataclass(frozen=True)
class BlockShare:
    """The blocks that begin in a part: without its first ``skipped`` rows, with ``borrowed`` ones behind."""

    skipped: int
    starts: Ints
    borrowed: list[pa.Table]


def aggranon_plan(rows: Rows, asked: RangesPlanInput) -> Rows:
    """Publish blocks of k rows in the global order of the known aggregate."""
    parts = global_sort(rows, partial(_totals, asked), asked.key, asked.facts.staying)
    schema = range_schema(asked.facts, rows.schema)
    if asked.sensitive:
        return merge_small_parts(parts, asked.k, asked.sensitive).map(partial(publish_alone, asked), schema)
    heads = parts.fold(partial(_head, asked), or_) or {}
    shares = share_blocks(heads, asked.k)
    return parts.map(partial(_published_part, asked, shares), schema)


def _totals(asked: RangesPlanInput, table: pa.Table) -> AnyArray:
    return totals_of(asked.f, matrix_of(table, asked.names))


def _in_order(asked: RangesPlanInput, table: pa.Table) -> Ints:
    return tie_order(_totals(asked, table), ids_of(table), asked.key)


def _head(asked: RangesPlanInput, number: int, table: pa.Table) -> dict[int, PartHead]:
    first = _in_order(asked, table)[: 2 * asked.k - 2]
    return {number: PartHead(len(table), table.drop_columns([PART]).take(arrow_from_numpy(first)))}


def share_blocks(heads: dict[int, PartHead], k: int) -> dict[int, BlockShare]:
    """Blocks begin at the multiples of k, and the last one takes what is left."""
    numbers = sorted(heads)
    ends = list(accumulate(heads[number].rows for number in numbers))
    total = ends[-1] if ends else 0
    blocks = max(total // k, 1)
    shares = {}
    for place, (number, end) in enumerate(zip(numbers, ends, strict=True)):
        begin = end - heads[number].rows
        first, last = -(-begin // k), min(-(-end // k), blocks)
        if first >= last:
            continue  # all its rows are lent to blocks that begin before
        until = total if last == blocks else last * k
        starts = np.append(np.arange(last - first) * k, until - first * k)
        later = [heads[other].first for other in numbers[place + 1 :]]
        shares[number] = BlockShare(first * k - begin, starts, _first_rows(later, until - end))
    return shares


def _first_rows(later: list[pa.Table], count: int) -> list[pa.Table]:
    """The first rows of the parts that follow."""
    taken = []
    for first in later:
        if count <= 0:
            break
        taken.append(first.slice(0, count))
        count -= len(taken[-1])
    return taken


def _published_part(
    asked: RangesPlanInput, shares: dict[int, BlockShare], number: int, table: pa.Table
) -> pa.Table:
    share = shares.get(number)
    if share is None:
        return range_schema(asked.facts, table.schema).empty_table()
    held = pa.concat_tables([table.drop_columns([PART]), *share.borrowed]).combine_chunks()
    held = held.take(arrow_from_numpy(_in_order(asked, held)[share.skipped :]))
    values, ids = matrix_of(held, asked.names), ids_of(held)
    return range_part(asked.facts, held, aggranon_blocks(values, ids, asked.f, share.starts, asked.key))
