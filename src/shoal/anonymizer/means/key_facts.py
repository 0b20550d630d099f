"""Facts of a table whose classes show means, medians and modes: what the keys of all parts share."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.fit import missing_faults
from shoal.anonymizer.means.fit_columns import (
    axis_column,
    axis_values,
    column_notes,
    order_faults,
    word_orders,
    zero_dates,
)
from shoal.anonymizer.means.mean_columns import AxisColumn, CategoryColumn, LineColumn, MeanColumns
from shoal.anonymizer.parts.table_facts import TableFacts, table_facts
from shoal.arrays import AnyArray, Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.distinct import counted_table
from shoal.engines.steps.value_counts import most_values, refuse_many_values, value_counts
from shoal.errors import Fault, ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.number_summary import NumberSummary
from shoal.table.columns.numbered_rows import ints_of
from shoal.table.columns.spelling import same_values
from shoal.table.table import Table

NOBODY = np.zeros(0, np.int32)
Sums = dict[str, AnyArray]  # how often each word occurs; or rows, their sum and that of squares


@dataclass(frozen=True)
class KeyFacts:
    """``columns`` are those of the whole table, without its rows; ``facts`` know words by their places."""

    facts: TableFacts
    columns: tuple[AxisColumn, ...]
    notes: tuple[str, ...]

    def part(self, staged: pa.Table, variances: tuple[float, ...] | None = None) -> MeanColumns:
        """The keys of some staged rows."""
        columns = [_with_places(column, ints_of(staged, column.name)) for column in self.columns]
        return MeanColumns(columns, np.arange(len(staged)), self.notes, variances)

    def kinds(self, policy: Policy) -> dict[str, pa.DataType]:
        """Types of what the columns show, wide enough for all classes."""
        found = {}
        for column in self.columns:
            ends = np.array(column.limits if isinstance(column, LineColumn) else (0, 0), np.int64)
            shown = _with_places(column, ends).mean_cells(np.arange(2), policy)
            assert shown is not None  # noqa: S101 - classes of one keep every total
            found[column.name] = shown.cells.type
        return found


def _with_places(column: AxisColumn, places: Ints) -> AxisColumn:
    if isinstance(column, LineColumn):
        return replace(column, units=places)
    return replace(column, codes=places)


def key_facts(rows: Rows, policy: Policy, summaries: dict[str, NumberSummary]) -> KeyFacts:
    """Every fault of policy and table at once, else the facts; ``summaries`` as of `summarize_columns`."""
    if faults := order_faults(policy):
        raise ShoalError(faults)
    facts = table_facts(rows, policy, summaries, judge_words=False)
    spoken = [name for name in policy.having("quasi") if name in facts.words or name in word_orders(policy)]
    most = most_values(rows)
    found = value_counts(rows, {name: [name] for name in spoken}, most)
    refuse_many_values(found, most)
    keys: dict[str, AxisColumn] = {}
    words: dict[str, tuple[str | None, ...]] = {}
    for name in spoken:
        table = counted_table(found[name], rows)
        words[name] = tuple(same_values(table.column(name).combine_chunks()).to_pylist())
        key = _word_axis(table, policy, name, rows.schema.field(name).type, faults)
        if key is not None:
            keys[name] = key
    if faults:
        raise ShoalError(faults)
    ends = facts.ends.values.copy()
    for at, name in enumerate(facts.ends.names):
        if name in keys:
            ends[:, at] = keys[name].places.min(), keys[name].places.max()
    kinds = {name: rows.schema.field(name).type for name in facts.ends.names}
    columns = [
        _without_rows(keys[name]) if name in keys else _line(name, kinds[name], scale, ends[:, at])
        for at, (name, scale) in enumerate(zip(facts.ends.names, facts.ends.scales, strict=True))
    ]
    categories = {at: Categories(NOBODY, words[name]) for at, name in enumerate(facts.ends.names)
                  if name in words}  # fmt: skip
    scales = [0 if name in keys else scale
              for name, scale in zip(facts.ends.names, facts.ends.scales, strict=True)]  # fmt: skip
    facts = replace(
        facts,
        ends=replace(facts.ends, values=ends, scales=scales, categories=categories),
        places={name: key.places for name, key in keys.items()},
    )
    return KeyFacts(facts, tuple(columns), (*facts.ends.notes, *_notes(policy, facts, columns)))


def _word_axis(
    table: Table, policy: Policy, name: str, kind: pa.DataType, faults: list[Fault]
) -> AxisColumn | None:
    """A column of words or dates, from its different values; missing ones that leave have any place."""
    try:
        column = axis_values(table, policy, name)
    except ShoalError as error:
        faults.extend(error.faults)
        return None
    wrong = missing_faults(table, policy, name, column) + zero_dates(table, policy, name, column)
    blank = np.flatnonzero(column.missing & ~np.asarray(table.column(name).is_null()))
    if not wrong and len(blank) and not isinstance(column, Categories):
        wrong = [table.fault(name, blank, "missing", "leave these cells empty.")]
    faults.extend(wrong)
    if wrong:
        return None
    key = axis_column(table, policy, name, column, np.ones(len(table), bool), faults)
    if not isinstance(key, LineColumn):
        return key
    there = key.units[~column.missing]
    return replace(key, kind=kind, limits=(int(there.min()), int(there.max())))


def _without_rows(key: AxisColumn) -> AxisColumn:
    return _with_places(key, np.zeros(0, np.int64))


def _line(name: str, kind: pa.DataType, scale: int, ends: Ints) -> LineColumn:
    return LineColumn(name, np.zeros(0, np.int64), scale, False, kind, (int(ends[0]), int(ends[1])))


def _notes(policy: Policy, facts: TableFacts, columns: list[AxisColumn]) -> list[str]:
    lines = [column.name for column in columns if isinstance(column, LineColumn)]
    words = [column for column in columns if isinstance(column, CategoryColumn)]
    single = [column.name for column in words if 2 * len(facts.words[column.name]) > facts.staying]
    return column_notes(policy, lines, single)


def squared_distances(staged: Rows, columns: tuple[AxisColumn, ...]) -> tuple[float, ...]:
    """The squared distances of all rows to the centre of the table, summed, in units of each column."""
    sums = staged.fold(partial(_sums, columns), _added)
    assert sums is not None  # noqa: S101 - there are rows
    return tuple(_squares(column, sums[column.name]) for column in columns)


def _sums(columns: tuple[AxisColumn, ...], table: pa.Table) -> Sums:
    found: Sums = {}
    for column in columns:
        places = ints_of(table, column.name)
        if isinstance(column, CategoryColumn) and column.labels is not None:
            found[column.name] = np.bincount(places, minlength=len(column.words))
            continue
        largest = max(abs(int(places.min())), abs(int(places.max())))
        exact = places if largest**2 * len(places) < 2**62 else places.astype(object)
        found[column.name] = np.array([len(places), int(exact.sum()), int(exact @ exact)], object)
    return found


def _added(one: Sums, other: Sums) -> Sums:
    return {name: found + other[name] for name, found in one.items()}


def _squares(column: AxisColumn, sums: AnyArray) -> float:
    if isinstance(column, LineColumn) or column.labels is None:
        rows, total, squares = sums
        return float(squares - Fraction(total * total, rows))
    spread, rows = Fraction(0), int(sums.sum())
    for labels in column.labels.T:
        counts = np.bincount(labels, sums).astype(np.int64).tolist()
        spread += rows - Fraction(sum(count * count for count in counts), rows)
    return float(spread / (2 * column.labels.shape[1]))
