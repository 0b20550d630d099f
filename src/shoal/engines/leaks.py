"""Columns that give away what is protected, found in samples of a table that does not fit into memory.

Of every column that is published as it is, two samples are looked at: rows drawn at random, and values drawn
at random with all their rows, so that it shows whether a value has one total beside it or several. What
holds in the whole table holds in both; what holds but for a few rows may be taken to hold.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.anonymizer.leaks import (
    Sample,
    beside_permuted,
    given_away,
    published_as_they_are,
    undone,
)
from shoal.engines.distinct import column_of
from shoal.engines.facts import Facts
from shoal.engines.plan import Asked
from shoal.engines.rows import ROW, Rows
from shoal.engines.staged import Part
from shoal.errors import Fault
from shoal.methods.codes import mixed
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy, numpy_from_arrow
from shoal.table.encoded import encode
from shoal.table.numbers import units_to_arrow
from shoal.table.table import Table

ENOUGH = 50_000  # rows of a sample, if they are few beside the table: all samples together one in a hundred
FEWEST = 5_000  # rows of a sample, however small the table
SPREAD = 4  # times as many rows as asked for, where some values have more rows than others
PER_VALUE = 1_000  # rows at most of one value
VALUE = "shoal:value"  # a hash of the cell that a row was drawn for


@dataclass(frozen=True)
class Drawn:
    """Rows drawn at random, and for every column rows with values that were drawn."""

    rows: pa.Table
    with_values: dict[str, pa.Table]
    enough: int

    def joined(self, other: "Drawn") -> "Drawn":
        with_values = {
            name: _not_too_many(pa.concat_tables([table, other.with_values[name]]), SPREAD * self.enough)
            for name, table in self.with_values.items()
        }
        return Drawn(pa.concat_tables([self.rows, other.rows]), with_values, self.enough)

    def values(self, name: str) -> list[pa.Table]:
        """The sample of a column's values, if any were drawn."""
        drawn = [self.with_values[name]] if name in self.with_values else []
        return [_not_too_many(table, 0).drop_columns([VALUE]) for table in drawn if len(table)]


def large_leaks(staged: Rows, asked: Asked) -> list[Fault]:
    """What `leak_faults` would say of the whole table."""
    known, facts = asked.request.known, asked.facts
    names = published_as_they_are(asked.policy)
    if not (known.aggregates and names):
        return []
    drawn = _drawn(staged, names, asked.names, facts.staying)

    def sample(table: pa.Table) -> Sample:
        fitted = Part(table, facts).fitted
        return Sample.of_knowledge(Table(_in_numbers(table, facts)), fitted, known)

    return given_away(_looked_at(drawn, names, sample), known.names)


def permuted_leaks(rows: Rows, policy: Policy, count: int | None = None) -> list[Fault]:
    """What `permutation_leaks` would say of all these rows, ``count`` of them, in their own columns."""
    count = (rows.fold(len, operator.add) or 0) if count is None else count
    names = beside_permuted(policy)
    if not (count and names):
        return []
    drawn = _drawn(rows, names, policy.having("sensitive"), count)

    def sample(table: pa.Table) -> Sample:
        return Sample.of_permuted(Table(table), policy, np.arange(len(table)))

    return undone(_looked_at(drawn, names, sample))


def _looked_at(
    drawn: Drawn, names: list[str], sample: Callable[[pa.Table], Sample]
) -> dict[str, list[Sample]]:
    """The sample of rows is the same for all columns."""
    at_random = [sample(drawn.rows.combine_chunks())] if len(drawn.rows) else []
    found = {name: [sample(table) for table in drawn.values(name)] + at_random for name in names}
    return {name: looks for name, looks in found.items() if looks}


def _drawn(rows: Rows, names: list[str], beside: list[str], count: int) -> Drawn:
    enough = min(max(count // (100 * SPREAD * (len(names) + 1)), FEWEST), ENOUGH, count)
    found = rows.fold(partial(_draw, names, beside, enough, enough / count), Drawn.joined)
    assert found is not None  # noqa: S101 - there are rows
    return found


def _draw(names: list[str], beside: list[str], enough: int, share: float, table: pa.Table) -> Drawn:
    everything = table.select([*names, *beside, ROW])
    if share == 1.0:
        return Drawn(everything, {}, enough)
    with_values = {}
    for name in names:
        values = _hashes(table.column(name))
        own = table.select([name, *beside, ROW]).append_column(VALUE, arrow_from_numpy(values.view(np.int64)))
        with_values[name] = _not_too_many(own.filter(arrow_from_numpy(_below(values, share))), enough)
    ids = mixed([column_of(table, ROW)]).view(np.uint64)
    return Drawn(everything.filter(arrow_from_numpy(_below(ids, share))), with_values, enough)


def _below(hashes: NDArray[np.uint64], share: float) -> NDArray[np.bool_]:
    return hashes < np.uint64(share * 2.0**64)


def _hashes(column: pa.ChunkedArray) -> NDArray[np.uint64]:
    """Of every cell; the same for the same cell in any batch."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = numpy_from_arrow(column.combine_chunks().fill_null(0))
        return mixed([numbers.astype(np.float64 if pa.types.is_floating(kind) else np.int64)]).view(np.uint64)
    found = encode(column)
    words = found.cells.cast(pa.string()).to_pylist()
    of_cell = np.array([-1 if word is None else crc32(word.encode()) for word in words], np.int64)
    return mixed([of_cell]).view(np.uint64)[found.numbers]


def _not_too_many(table: pa.Table, enough: int) -> pa.Table:
    """Of every value the first rows, if there are more rows than enough."""
    if len(table) <= enough:
        return table
    values, ids = column_of(table, VALUE), column_of(table, ROW)
    order = np.lexsort((ids, values))
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0))
    place = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return table.combine_chunks().take(arrow_from_numpy(np.sort(order[place < PER_VALUE])))


def _in_numbers(table: pa.Table, facts: Facts) -> pa.Table:
    """Staged rows with quasi columns of numbers as they were."""
    for at, name in enumerate(facts.ends.names):
        if name not in facts.words:
            cells = units_to_arrow(column_of(table, name), facts.ends.scales[at])
            table = table.set_column(table.column_names.index(name), name, cells)
    return table
