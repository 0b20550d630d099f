"""Permutation where there are too many different values to meet in one place: parts are ranges of them.

Every part is grouped on its own. No group reaches over the border of a part, so the groups there are somewhat
wider than they would be in memory. A part that cannot be grouped, say one of a single value, is put together
with its neighbour, and then larger than parts should be.
"""

from dataclasses import dataclass
from functools import partial, reduce
from operator import or_

import numpy as np
import pyarrow as pa

from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.part_counts import renumber_parts
from shoal.anonymizer.permutation.group_demand import impossible_groups
from shoal.anonymizer.permutation.group_lookup import GroupLookup
from shoal.anonymizer.permutation.group_loss import GroupShape, permutation_notes, permuted_figures
from shoal.anonymizer.permutation.permutation_facts import POINT, PermutationFacts
from shoal.anonymizer.permutation.permuted_part import permuted_part, permuted_schema
from shoal.anonymizer.plan_request import PlanRequest
from shoal.arrays import Ints
from shoal.engines.protocol import Parts, Rows
from shoal.engines.steps.global_sort import global_sort
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.group_assignment import tally_values
from shoal.methods.permutation.merge_groups import join_failing
from shoal.methods.permutation.partition import GroupDemand, Search
from shoal.policy.model.guarantee import KeAnonymity
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ids_of, ints_of


@dataclass(frozen=True)
class PartGrouping:
    """What is asked of the groups of every part, and how they are found."""

    demand: GroupDemand
    search: Search
    key: Key

    def of(self, table: pa.Table) -> GroupLookup | None:
        found = tally_values(ints_of(table, POINT), ids_of(table), self.key)
        return GroupLookup.of(found, self.demand, self.search, self.key)


ShapeByPart = dict[int, GroupShape | None]  # by the number of the part; None if it cannot be grouped


def value_range_plan(
    ready: Rows, lines: PermutationFacts, request: PlanRequest, records: int
) -> AnonymizedRows:
    """The release of so many staged rows."""
    policy, key, choice, asked = request.policy, request.key, request.choice, lines.asked[0]
    assert choice.method.points is not None  # noqa: S101 - the plan is for such methods
    grouping = PartGrouping(lines.demand(asked), choice.method.points, key)
    parts, shapes = _grouped(global_sort(ready, _points, key, records), grouping, asked)
    counts = np.array([shape.groups for shape in shapes.values()])
    firsts = dict(zip(shapes, (np.cumsum(counts) - counts).tolist(), strict=True))
    shape = reduce(GroupShape.joined, shapes.values())
    notes = permutation_notes(policy, records, shape.groups, shape) + _border_note(asked, len(shapes))
    figures = permuted_figures(choice, lines, records, shape, tuple(notes))
    schema = permuted_schema(ready.schema, lines)
    published = parts.map(partial(_published_part, policy, grouping, firsts), schema)
    return AnonymizedRows(published, lines.rows, records, lambda _statistics: figures)


def _points(table: pa.Table) -> Ints:
    return ints_of(table, POINT)


def _grouped(parts: Parts, grouping: PartGrouping, asked: KeAnonymity) -> tuple[Parts, dict[int, GroupShape]]:
    """Parts that can be grouped, in their order, each with the shape of its groups."""
    while True:
        shapes: ShapeByPart = dict(sorted((parts.fold(partial(_shape, grouping), or_) or {}).items()))
        whole = {number: shape for number, shape in shapes.items() if shape is not None}
        if len(whole) == len(shapes):
            return parts, whole
        if len(shapes) == 1:
            raise impossible_groups(asked, asked.k)
        joined = join_failing(np.array([shape is None for shape in shapes.values()]))
        numbers = dict(zip(shapes, np.asarray(joined).tolist(), strict=True))
        parts = renumber_parts(parts, numbers)


def _shape(grouping: PartGrouping, number: int, table: pa.Table) -> ShapeByPart:
    lookup = grouping.of(table)
    if lookup is None:
        return {number: None}
    return {number: GroupShape.of(lookup.spans(), int(lookup.sizes(table).max()))}


def _published_part(
    policy: Policy, grouping: PartGrouping, firsts: dict[int, int], number: int, table: pa.Table
) -> pa.Table:
    lookup = grouping.of(table)
    assert lookup is not None  # noqa: S101 - it was looked at before
    groups = arrow_from_numpy((lookup.groups(table) + firsts[number]).astype(np.int32))
    return permuted_part(policy, grouping.key, number, table.append_column(GROUP, groups))


def _border_note(asked: KeAnonymity, parts: int) -> list[str]:
    if parts == 1:
        return []
    return [
        f"{asked.sensitive!r} has too many different values to group all of them at once: {parts:,} ranges "
        "of it were grouped one by one, and the groups at their borders may be wider than they need to be"
    ]
