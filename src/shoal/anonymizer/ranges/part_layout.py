"""A part as it is published in ranges and sets, with the row and the class of every record beside it."""

import numpy as np
import pyarrow as pa

from shoal.anonymizer.parts.staging import StagedPart
from shoal.anonymizer.parts.table_facts import TableFacts
from shoal.anonymizer.ranges.class_sets import widths_with_sets
from shoal.anonymizer.ranges.whole_plan import published_ranges
from shoal.arrays import Ints
from shoal.engines.steps.part_statistics import CLASS, STATISTICS, PartStatistics
from shoal.methods.boxes.mondrian import MondrianRanges
from shoal.methods.ranges import Ranges
from shoal.policy.model.policy import Policy
from shoal.table.columns.bridge import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW
from shoal.table.columns.numbers import units_to_arrow


def range_schema(facts: TableFacts, carried: pa.Schema) -> pa.Schema:
    """Of what `range_part` gives; ``carried`` has the types of the columns that are published as they are."""
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
    """Wide enough for the whole column."""
    at = facts.ends.names.index(name)
    kind = units_to_arrow(facts.ends.values[:, at], facts.ends.scales[at]).type
    return pa.struct([("lo", kind), ("hi", kind)])


def range_part(
    table: pa.Table, facts: TableFacts, policy: Policy, ranges: Ranges, class_of: Ints | None = None
) -> pa.Table:
    """``ranges`` has classes of the rows of this staged part, in any order. Where classes reach into other
    parts, ``class_of`` has the first row of the class of every row, and counts as a class where that is."""
    part = StagedPart(table, facts)
    fitted = part.fitted
    widths, exact, sets = widths_with_sets(ranges, fitted.categories, fitted.values)
    positions = np.arange(len(ranges.order))
    shown = published_ranges(part.shown, policy, fitted, ranges, sets, positions, ranges.order)
    ids = part.ids[ranges.order]
    split = tuple(ranges.split_widths.tolist()) if isinstance(ranges, MondrianRanges) else None
    if class_of is None:
        first = np.repeat(np.minimum.reduceat(ids, ranges.starts[:-1]), np.diff(ranges.starts))
    else:
        first = class_of[ranges.order]
    classes = int((first == ids).sum())
    told = PartStatistics(len(ids), classes, tuple(widths.tolist()), exact, ranges.fallen, split)
    return told.on(shown.append_column(ROW, arrow_from_numpy(ids)), first).cast(
        range_schema(facts, table.schema)
    )
