"""Permutation on parts: groups follow from the different values and how many rows have each.

The values meet in one place, are grouped there as in memory, and every row is dealt to its group by itself.
Parts hold groups whole, so that values change places inside a part; a group that is larger than parts should
be is a part of its own, and has to fit into memory. Where there are too many different values, parts are
ranges of them.
"""

from functools import partial

import numpy as np

from shoal.anonymizer.anonymized_table import ReleaseFigures
from shoal.anonymizer.choose import Choice
from shoal.anonymizer.fit import refuse_leaving
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.permutation.dealer import Dealer, PointTally, point_tally
from shoal.anonymizer.permutation.group_merge import in_memory_only, merge_failing_groups, other_guarantees
from shoal.anonymizer.permutation.part_layout import permuted_figures, permuted_part, permuted_schema
from shoal.anonymizer.permutation.permutation_facts import PermutationFacts, permutation_facts
from shoal.anonymizer.permutation.value_range_part_plan import value_range_plan
from shoal.anonymizer.permutation.whole_plan import (
    group_errors,
    impossible_groups,
    partition_demand,
    permutation_notes,
)
from shoal.anonymizer.plan_request import PlanRequest
from shoal.engines.protocol import Rows
from shoal.policy.model.guarantee import KeAnonymity
from shoal.policy.model.policy import Policy

FEWEST = 100_000  # different values that meet in one place, whatever the table
SHARE = 100  # and in a large one, one in so many rows


def permutation_plan(rows: Rows, request: PlanRequest, most: int | None = None) -> AnonymizedRows:
    """``most`` is how many different values may meet in one place."""
    policy, key, choice = request.policy, request.key, request.choice
    asked = next(one for one in policy.guarantees if isinstance(one, KeAnonymity))
    lines = permutation_facts(rows, policy)
    if choice.method.points is None:
        raise in_memory_only(f"a permuted release by {choice.method.name!r}")
    others = other_guarantees(policy)
    demand = partition_demand(asked, lines.of[asked.sensitive].scale)
    ready = lines.staged(rows, asked.sensitive)
    most = max(lines.rows // SHARE, rows.part_rows, FEWEST) if most is None else most
    found = ready.fold(partial(point_tally, key, most), PointTally.joined)
    refuse_leaving(policy, lines.rows, 0 if found is None else found.rows)
    assert found is not None  # noqa: S101 - some rows are left
    if found.tally is None:
        if others:
            what = policy.sentence_of(others[0])
            raise in_memory_only(f"with so many different values of {asked.sensitive!r}, that {what}")
        return value_range_plan(ready, lines, policy, key, choice, found.rows, demand)
    dealer = Dealer.of(found.tally, demand, choice.method.points, key)
    if dealer is None:
        raise impossible_groups(asked, len(found.tally.values))
    formed = dealer.count
    dealer, parts = merge_failing_groups(ready, lines, policy, dealer, most)
    figures = _figures(ready, lines, policy, choice, dealer, formed, found.rows)
    published = parts.map(partial(permuted_part, policy, key), permuted_schema(ready.schema, lines))
    return AnonymizedRows(published, lines.rows, found.rows, lambda _told: figures)


def _figures(
    ready: Rows,
    lines: PermutationFacts,
    policy: Policy,
    choice: Choice,
    dealer: Dealer,
    formed: int,
    records: int,
) -> ReleaseFigures:
    largest = int(dealer.largest_sizes().max())
    if 2 * largest > records:  # it may have to be told, and exactly
        sizes = ready.fold(dealer.sizes, np.add)
        assert sizes is not None  # noqa: S101 - there are rows
        largest = int(sizes.max())
    spans = dealer.spans()
    asked = next(one for one in policy.guarantees if isinstance(one, KeAnonymity))
    scale = lines.of[asked.sensitive].scale
    errors = group_errors(int(spans.sum()), int(spans.max()), scale, records, dealer.count)
    notes = tuple(permutation_notes(policy, records, formed, dealer.count, largest))
    return permuted_figures(choice, lines, records, dealer.count, errors, notes)
