"""What classes give away in a release beyond memory: the figures of ``class_figures``, from its files.

Every record has a number of 64 bits for its class and one for each sensitive cell, equal where these are
(``part_keys``). A class is summed up in every batch by how many records it has and by the lowest and highest
number of each sensitive column; what batches say of a class meets in one part.
"""

import operator
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.arrays import Hashes
from shoal.decision.class_figures import ClassFigures
from shoal.decision.unique_values import UniqueValues, exact_columns, with_many_unique
from shoal.engines.protocol import PART, Engine, Rows
from shoal.policy.model.guarantee import KAnonymity, KeAnonymity
from shoal.policy.model.policy import Policy
from shoal.release.data.published_rows import published_rows
from shoal.table.columns.arrow_numpy import arrow_from_numpy, numpy_from_arrow
from shoal.table.columns.value_hashes import ValueHashes
from shoal.verify.attackers import Attacker
from shoal.verify.cells.cell_codes import MISSING, STARRED, cell_codes
from shoal.verify.cells.column_traits import FormatsByColumn
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.parts.part_keys import cell_keys, part_keys
from shoal.verify.parts.verify_rows import plain_table, ways_to_read

CLASS, RECORDS = "class", "records"
FIRST, LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
MOST = 100_000  # rows of a column that are looked at, all of a smaller table
Ends = tuple[str, str]


@dataclass(frozen=True)
class BatchFigures:
    """The lowest and highest number of a class, and the values of columns published as they are."""

    low: int
    high: int
    values: dict[str, ValueHashes]

    def joined(self, other: "BatchFigures") -> "BatchFigures":
        values = {name: found.joined(other.values[name]) for name, found in self.values.items()}
        return BatchFigures(min(self.low, other.low), max(self.high, other.high), values)


def large_class_figures(engine: Engine, data: Path, policy: Policy, records: int) -> ClassFigures:
    """The figures of a release of so many records that an engine has written."""
    if not records:
        return ClassFigures(0, False, dict.fromkeys(policy.having("sensitive"), 0), ())
    published = published_rows(engine, data)
    ways = ways_to_read(published, policy)
    found = published.fold(partial(_figures_of_batch, policy, ways), BatchFigures.joined)
    assert found is not None  # noqa: S101 - there are records
    exact = [
        UniqueValues(name, values.unique, records, values.estimated) for name, values in found.values.items()
    ]
    alike = records > 1 and found.low == found.high and not policy.permutes
    return ClassFigures(records, alike, _certain(published, policy, ways, records), with_many_unique(exact))


def _figures_of_batch(policy: Policy, ways: FormatsByColumn, table: pa.Table) -> BatchFigures:
    classes = _classes(PublishedTable(plain_table(table), ways), policy)
    values = {name: _hashes(table.column(name)) for name in exact_columns(policy)}
    return BatchFigures(int(classes.min()), int(classes.max()), values)


def _classes(published: PublishedTable, policy: Policy) -> Hashes:
    """Classes as somebody sees them who knows all quasi values, or the group in a permuted release."""
    groups = [asked for asked in policy.guarantees if isinstance(asked, KeAnonymity)]
    knows: Attacker = groups[0] if policy.permutes else KAnonymity(k=2)
    return part_keys(published, knows, policy)


def _hashes(column: pa.ChunkedArray) -> ValueHashes:
    """Lists and structs are not compared."""
    nested = pa.types.is_nested(column.type)
    cells = pa.array([], pa.string()) if nested else column.drop_null().combine_chunks()
    return ValueHashes.of(cells, MOST)


def _certain(published: Rows, policy: Policy, ways: FormatsByColumn, records: int) -> dict[str, int]:
    """Per sensitive column, how many records lie in classes that show one value."""
    ends = _ends(policy)
    if not ends:
        return {}
    names = [CLASS, RECORDS, *(end for both in ends.values() for end in both), PART]
    schema = pa.schema([(name, pa.int64()) for name in names])
    parts = -(-records // published.part_rows)
    summed = published.map(partial(_summed, policy, ways, parts), schema).parts(PART)
    found = summed.fold(partial(_certain_in, ends), operator.add)
    return {name: (found or Counter())[name] for name in ends}


def _ends(policy: Policy) -> dict[str, Ends]:
    """What the columns are called that hold the lowest and highest number of each sensitive one."""
    return {name: (f"low {at}", f"high {at}") for at, name in enumerate(policy.having("sensitive"))}


def _summed(policy: Policy, ways: FormatsByColumn, parts: int, table: pa.Table) -> pa.Table:
    """The classes of a batch. A suppressed cell may be any value, so that its class has two numbers; a
    missing one adds none."""
    published = PublishedTable(plain_table(table), ways)
    classes, of_row, sizes = np.unique(_classes(published, policy), return_inverse=True, return_counts=True)
    columns = [classes.view(np.int64), sizes.astype(np.int64)]
    for name in _ends(policy):
        values = cell_keys(published, name).view(np.int64)
        hidden = cell_codes(published, name).hidden
        lows, highs = (np.where(hidden == MISSING, end, values) for end in (LAST, FIRST))
        low, high = (np.full(len(classes), end, np.int64) for end in (LAST, FIRST))
        np.minimum.at(low, of_row, np.where(hidden == STARRED, FIRST, lows))
        np.maximum.at(high, of_row, np.where(hidden == STARRED, LAST, highs))
        columns += [low, high]
    columns.append((classes % np.uint64(parts)).astype(np.int64))
    names = [CLASS, RECORDS, *(end for both in _ends(policy).values() for end in both), PART]
    return pa.table([arrow_from_numpy(column) for column in columns], names=names)


def _certain_in(ends: dict[str, Ends], _number: int, table: pa.Table) -> "Counter[str]":
    """How many records of a part lie in classes of one value at most."""
    lows, highs = ([both[at] for both in ends.values()] for at in (0, 1))
    asked = [(RECORDS, "sum"), *((low, "min") for low in lows), *((high, "max") for high in highs)]
    found = table.group_by(CLASS).aggregate(asked).combine_chunks()
    sizes = numpy_from_arrow(found.column(f"{RECORDS}_sum").chunk(0))
    certain: Counter[str] = Counter()
    for name, (low, high) in ends.items():
        least, most = found.column(f"{low}_min").chunk(0), found.column(f"{high}_max").chunk(0)
        certain[name] = int(sizes[numpy_from_arrow(least) >= numpy_from_arrow(most)].sum())
    return certain
