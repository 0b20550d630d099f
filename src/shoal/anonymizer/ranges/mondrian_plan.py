"""Mondrian beyond memory: the first cuts are found from counts, and parts that fit are cut in memory.

The classes are those that the whole table would have in memory.
"""

from functools import partial

import pyarrow as pa

from shoal.anonymizer.parts.cuts import cut_into_parts, cut_part, parts_of_tree
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.range_layout import range_part, range_schema
from shoal.engines.protocol import Rows
from shoal.methods.boxes.cut_plan import CutRule
from shoal.methods.boxes.cut_tree import CutTree


def mondrian_plan(rows: Rows, asked: RangesPlanInput) -> Rows:
    """Publish the ranges of classes that Mondrian cuts, first across parts and then inside each."""
    options, sensitive = asked.policy.method.options, asked.sensitive
    rule = CutRule(
        asked.k,
        bool(options.get("relaxed")),
        bool(options.get("textbook")),
        sensitive.rules,
        sensitive.values,
    )
    whole = CutTree.whole(asked.key, asked.facts.staying, *asked.facts.ends.values)
    tree = cut_into_parts(rows, asked.names, rule, asked.key, rows.part_rows, sensitive.names, whole)
    parts = parts_of_tree(rows, tree, asked.names)
    return parts.map(partial(_published, asked, rule, tree), range_schema(asked.facts, rows.schema))


def _published(
    asked: RangesPlanInput, rule: CutRule, tree: CutTree, number: int, table: pa.Table
) -> pa.Table:
    ranges = cut_part(tree, rule, asked.names, asked.sensitive.names, number, table)
    return range_part(asked.facts, table, ranges)
