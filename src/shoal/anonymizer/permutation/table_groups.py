"""The groups of a table in memory: a partition method forms them on the column of the first (k,e) guarantee,
or another method by its classes on quasi values. Groups that fall short of the other guarantees are merged
with their neighbours.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.method_facts import PERMUTE
from shoal.anonymizer.permutation.group_demand import impossible_groups
from shoal.anonymizer.permutation.group_loss import GroupShape, group_spans
from shoal.anonymizer.permutation.group_merge import refuse_impossible
from shoal.anonymizer.permutation.permutation_facts import POINT, PermutationFacts
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.registry import PartitionRequest
from shoal.anonymizer.sensitive.method_diversity import method_diversity
from shoal.arrays import Ints
from shoal.engines.protocol import Rows
from shoal.engines.steps.gather_rows import gather_rows
from shoal.kernels.keyed_hash import Key
from shoal.methods.permutation.merge_groups import merge_groups
from shoal.policy.model.guarantee import KAnonymity, KeAnonymity, LDiversity
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.arrow_numpy import arrow_from_numpy
from shoal.table.columns.numbered_rows import ROW, ids_of, ints_of
from shoal.table.table import Table

ByClasses = Callable[[Table, Policy, Key], AnonymizedTable]


@dataclass(frozen=True)
class TableGroups:
    """The group of every staged row; so many were ``formed`` at first."""

    of_row: Ints
    shape: GroupShape
    formed: int
    notes: tuple[str, ...]

    def on(self, staged: pa.Table) -> pa.Table:
        return staged.append_column(GROUP, arrow_from_numpy(self.of_row.astype(np.int32)))


def table_groups(
    rows: Rows, ready: Rows, lines: PermutationFacts, request: PlanRequest, by_classes: ByClasses
) -> TableGroups:
    """``ready`` are those of the rows that stay; ``by_classes`` runs a method that forms classes."""
    policy, method = request.policy, request.choice.method
    table, staged = Table(gather_rows(rows).drop_columns([ROW]), rows.lines), gather_rows(ready)
    ids = np.array(ids_of(staged))
    points = np.array(ints_of(staged, POINT))
    told: list[str] = []
    if not method.permutes:
        staying = table if len(ids) == len(table) else Table(table.arrow.take(arrow_from_numpy(ids)))
        made = by_classes(staying, _policy_of_classes(policy, lines), request.key)
        groups, others = made.class_of[np.argsort(made.input_rows)], lines.asked
    else:
        found = method.run(PartitionRequest(points, lines.demand(lines.asked[0]), request.key, ids, told))
        if found is None:
            raise impossible_groups(lines.asked[0], len(np.unique(points)))
        groups, others = found, lines.asked[1:]
    demands, diversity = lines.demands(staged, others), method_diversity(table, policy, ids)
    settled = merge_groups(groups, demands, diversity) if demands or diversity else groups
    if settled is None:
        refuse_impossible(ready, lines, policy, len(ids))
    assert settled is not None  # noqa: S101 - else it was refused
    shape = GroupShape.of(group_spans(points, settled), int(np.bincount(settled).max()))
    return TableGroups(settled, shape, int(groups.max()) + 1, tuple(told))


def _policy_of_classes(policy: Policy, lines: PermutationFacts) -> Policy:
    """The same policy for a method that forms classes: as many records, as many different values; nobody
    has to leave, since the classes are not what is published."""
    classic = [
        one.model_copy(update={"alone": one.alone or not policy.permutes_together})
        if isinstance(one, LDiversity)
        else one
        for one in policy.guarantees
        if not isinstance(one, KeAnonymity)
    ]
    diverse = [LDiversity(l=one.k, sensitive=one.sensitive, alone=True) for one in lines.asked]
    k = max(one.k for one in lines.asked)
    options = {name: value for name, value in policy.method.options.items() if name not in PERMUTE}
    method = policy.method.model_copy(update={"options": options, "suppression": 0.0})
    return policy.model_copy(update={"guarantees": (KAnonymity(k=k), *diverse, *classic), "method": method})
