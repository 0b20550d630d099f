"""Mondrian beyond memory: the first cuts are found from counts, and parts that fit are cut in memory.

The classes are those that the whole table would have in memory.
"""

from functools import partial

import pyarrow as pa

from shoal.anonymizer.parts.cuts import PartClasses, mondrian_parts, parts_of_tree
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_layout import range_part, range_schema
from shoal.engines.protocol import Rows


def mondrian_plan(rows: Rows, asked: RangesPlanInput) -> Rows:
    """Publish the ranges of classes that Mondrian cuts, first across parts and then inside each."""
    whole = asked.facts.staying, *asked.facts.ends.values
    tree, classes = mondrian_parts(rows, asked.names, asked.policy, asked.key, whole, asked.sensitive)
    parts = parts_of_tree(rows, tree, asked.names)
    return parts.map(partial(_published_part, asked, classes), range_schema(asked.facts, rows.schema))


def _published_part(asked: RangesPlanInput, classes: PartClasses, number: int, table: pa.Table) -> pa.Table:
    return range_part(asked.facts, table, classes(number, table))
