"""(k,e)-anonymity: quasi values stay as they are, sensitive ones are permuted inside groups of records
(Zhang et al., ICDE 2007).

Every sensitive column is permuted inside the groups: all of them together, so that the sensitive values of a
person stay side by side, or each on its own.

A table in memory is grouped as it is. Beyond memory, groups follow from the different values and how many
rows have each. The values meet in one place, and every row is dealt to its group by itself. Parts hold groups
whole, so that values change places inside a part; a group that is larger than parts should be is a part of
its own, and has to fit into memory. Where there are too many different values, parts are ranges of them.
"""

from functools import partial

import numpy as np

from shoal.anonymizer.fit import refuse_leaving
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.permutation.group_demand import impossible_groups
from shoal.anonymizer.permutation.group_lookup import GroupLookup, PointTally, point_tally
from shoal.anonymizer.permutation.group_loss import GroupShape, permutation_notes, permuted_figures
from shoal.anonymizer.permutation.group_merge import in_memory_only, merge_failing_groups, other_guarantees
from shoal.anonymizer.permutation.permutation_facts import PermutationFacts, permutation_facts
from shoal.anonymizer.permutation.permuted_part import permuted_part, permuted_schema, swapped_table
from shoal.anonymizer.permutation.table_groups import ByClasses, table_groups
from shoal.anonymizer.permutation.value_ranges import value_range_plan
from shoal.anonymizer.plan_request import PlanRequest
from shoal.engines.protocol import Rows

FEWEST = 100_000  # different values that meet in one place, whatever the table
SHARE = 100  # and in a large one, one in so many rows
WHOLE = 0  # the number of the only part


def permutation_plan(
    rows: Rows, request: PlanRequest, by_classes: ByClasses, most: int | None = None
) -> AnonymizedRows:
    """``by_classes`` runs a method that forms classes on quasi values; ``most`` is how many different values
    may meet in one place."""
    lines = permutation_facts(rows, request.policy)
    if rows.whole:
        return _in_memory(rows, lines, request, by_classes)
    return _on_parts(rows, lines, request, most)


def _in_memory(
    rows: Rows, lines: PermutationFacts, request: PlanRequest, by_classes: ByClasses
) -> AnonymizedRows:
    policy, choice = request.policy, request.choice
    ready = lines.rows_with_points(rows)
    records = ready.fold(len, int.__add__) or 0
    refuse_leaving(policy, lines.rows, records)
    schema = permuted_schema(ready.schema, lines)
    if choice.method.baseline:
        figures = permuted_figures(choice, lines, records)
        published = ready.map(partial(swapped_table, request), schema)
    else:
        found = table_groups(rows, ready, lines, request, by_classes)
        notes = *found.notes, *permutation_notes(policy, records, found.formed, found.shape)
        figures = permuted_figures(choice, lines, records, found.shape, notes)
        grouped = ready.map(found.on, schema)
        published = grouped.map(partial(permuted_part, policy, request.key, WHOLE), schema)
    return AnonymizedRows(published, lines.rows, records, lambda _statistics: figures)


def _on_parts(rows: Rows, lines: PermutationFacts, request: PlanRequest, most: int | None) -> AnonymizedRows:
    policy, key, choice = request.policy, request.key, request.choice
    asked = lines.asked[0]
    if choice.method.points is None:
        raise in_memory_only(f"a permuted release by {choice.method.name!r}")
    others = other_guarantees(policy)
    ready = lines.rows_with_points(rows)
    most = max(lines.rows // SHARE, rows.part_rows, FEWEST) if most is None else most
    found = ready.fold(partial(point_tally, key, most), PointTally.joined)
    refuse_leaving(policy, lines.rows, 0 if found is None else found.rows)
    assert found is not None  # noqa: S101 - some rows are left
    if found.tally is None:
        if others:
            what = policy.sentence_of(others[0])
            raise in_memory_only(f"with so many different values of {asked.sensitive!r}, that {what}")
        return value_range_plan(ready, lines, request, found.rows)
    lookup = GroupLookup.of(found.tally, lines.demand(asked), choice.method.points, key)
    if lookup is None:
        raise impossible_groups(asked, len(found.tally.values))
    formed = lookup.count
    lookup, parts = merge_failing_groups(ready, lines, policy, lookup, most)
    shape = _shape(ready, lookup, found.rows)
    notes = tuple(permutation_notes(policy, found.rows, formed, shape))
    figures = permuted_figures(choice, lines, found.rows, shape, notes)
    published = parts.map(partial(permuted_part, policy, key), permuted_schema(ready.schema, lines))
    return AnonymizedRows(published, lines.rows, found.rows, lambda _statistics: figures)


def _shape(ready: Rows, lookup: GroupLookup, records: int) -> GroupShape:
    largest = int(lookup.largest_sizes().max())
    if 2 * largest > records:  # it may have to be told, and exactly
        sizes = ready.fold(lookup.sizes, np.add)
        assert sizes is not None  # noqa: S101 - there are rows
        largest = int(sizes.max())
    return GroupShape.of(lookup.spans(), largest)
