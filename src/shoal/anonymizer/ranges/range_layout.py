"""Staged rows as they are published in ranges and sets, with the row and the class of every record beside
them."""

import numpy as np
import pyarrow as pa

from shoal.anonymizer.parts.table_facts import TableFacts
from shoal.anonymizer.ranges.class_sets import widths_with_sets
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.arrays import Ints
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.methods.boxes.mondrian import MondrianRanges
from shoal.methods.ranges import Ranges
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ids_of
from shoal.table.columns.numbers import units_to_arrow


def range_schema(facts: TableFacts, carried: pa.Schema) -> pa.Schema:
    """The schema of what `range_part` gives; ``carried`` has the types of columns that are published as they
    are."""
    kinds = []
    for name in facts.names:
        if name in facts.carried:
            kinds.append((name, carried.field(name).type))
        elif name in facts.words:
            kinds.append((name, pa.string()))
        else:
            kinds.append((name, _range_type(facts, name)))
    return pa.schema([*kinds, (ROW, pa.int64()), (CLASS, pa.int64()), (STATISTICS, pa.string())])


def _range_type(facts: TableFacts, name: str) -> pa.DataType:
    """A type of ranges that is wide enough for the whole column."""
    at = facts.ends.names.index(name)
    kind = units_to_arrow(facts.ends.values[:, at], facts.ends.scales[at]).type
    return pa.struct([("lo", kind), ("hi", kind)])


def publish_alone(asked: RangesPlanInput, _number: int, table: pa.Table) -> pa.Table:
    """A part as the method publishes it if it is the whole table."""
    return range_part(asked.facts, table, asked.classes(table))


def range_part(facts: TableFacts, table: pa.Table, ranges: Ranges, class_of: Ints | None = None) -> pa.Table:
    """One part of many, whose ranges are of the type of the whole column."""
    shown = range_rows(facts, ranges, ranges.order, class_of, table)
    return shown.cast(range_schema(facts, table.schema))


def range_rows(
    facts: TableFacts, ranges: Ranges, order: Ints, class_of: Ints | None, table: pa.Table
) -> pa.Table:
    """``ranges`` has classes of all these staged rows, which are published in this ``order``. Where classes
    reach into other parts, ``class_of`` has the first row of the class of every row, and counts as a class
    where that is."""
    widths, exact, sets = widths_with_sets(ranges, facts.ends, table)
    places = np.empty(len(table), np.int64)
    places[ranges.order] = np.arange(len(table))
    positions, taken = places[order], arrow_from_numpy(order)
    low, high = ranges.columns(positions)
    columns = {name: table.column(name).take(taken) for name in (*facts.carried, ROW)}
    for at, (name, scale) in enumerate(zip(facts.ends.names, facts.ends.scales, strict=True)):
        if at in sets:
            columns[name] = sets[at].to_arrow(positions)
        else:
            ends = [units_to_arrow(side[at], scale) for side in (low, high)]
            columns[name] = pa.StructArray.from_arrays(ends, names=["lo", "hi"])
    shown = pa.table({name: columns[name] for name in (*facts.names, ROW)})
    ids = ids_of(shown)
    if class_of is None:
        first = np.minimum.reduceat(ids_of(table)[ranges.order], ranges.starts[:-1])
        class_of = np.repeat(first, np.diff(ranges.starts))[positions]
    else:
        class_of = class_of[order]
    split = tuple(ranges.split_widths.tolist()) if isinstance(ranges, MondrianRanges) else None
    classes = int((class_of == ids).sum())
    statistics = PartStatistics(len(ids), classes, tuple(widths.tolist()), exact, ranges.fallen, split)
    return statistics.on(shown, class_of)
