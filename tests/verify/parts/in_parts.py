"""Verdicts of a table that comes in batches, dealt out to so many parts."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.table import Table
from shoal.verify.attackers import Attacker
from shoal.verify.cells.column_traits import FormatsByColumn, batch_traits, column_formats, join_traits
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.parts.part_keys import part_of_rows
from shoal.verify.parts.verify_rows import WholeTable
from shoal.verify.verdict import Verdict
from shoal.verify.verifiers import join_measures, measure_part, part_attackers, verdicts_from_measures


def whole_of(batches: Iterable[Table], policy: shoal.Policy, ways: FormatsByColumn) -> WholeTable:
    """What has to be known of all rows."""
    numbered = (batch.arrow.append_column(ROW, [np.arange(len(batch))]) for batch in batches)
    return reduce(WholeTable.joined, (WholeTable.of(policy, ways, table) for table in numbered))


def verify_parts(batches: Callable[[], Iterable[Table]], policy: shoal.Policy, parts: int) -> list[Verdict]:
    """One verdict per guarantee."""
    ways = column_formats(reduce(join_traits, (batch_traits(batch, policy) for batch in batches())))
    whole = whole_of(batches(), policy, ways)
    found = [
        measure_part(PublishedTable(part, ways), policy, attacker, whole.statistics)
        for attacker in part_attackers(policy)
        for part in _parted(batches(), policy, ways, attacker, parts, whole)
    ]
    return verdicts_from_measures(policy, reduce(join_measures, found))


def _parted(
    batches: Iterable[Table],
    policy: shoal.Policy,
    ways: FormatsByColumn,
    attacker: Attacker,
    parts: int,
    whole: WholeTable,
) -> list[Table]:
    """The rows of every part that has some."""
    pieces: list[list[Any]] = [[] for _ in range(parts)]
    for batch in batches:
        runs = whole.runs.get(attacker)
        numbers = part_of_rows(PublishedTable(batch, ways), attacker, policy, parts, runs)
        for number in np.unique(numbers).tolist():
            pieces[number].append(batch.arrow.filter(arrow_from_numpy(numbers == number)))
    return [Table(pa.concat_tables(piece)) for piece in pieces if piece]
