"""Groups on a line merged with their neighbours until they keep every guarantee, as in memory.

In every round parts hold the groups whole and tell which of them fall short.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.anonymizer.permutation.group_demand import impossible_groups
from shoal.anonymizer.permutation.group_lookup import GroupLookup
from shoal.anonymizer.permutation.permutation_facts import POINT, PermutationFacts
from shoal.anonymizer.sensitive.method_diversity import columns_in_demands, method_diversity
from shoal.arrays import Bools, Ints
from shoal.engines.protocol import PART, Parts, Rows
from shoal.engines.steps.distinct import counted_table, distinct
from shoal.errors import Infeasible, ShoalError
from shoal.methods.permutation.merge_groups import failing_groups, join_failing
from shoal.policy.model.guarantee import Guarantee, KeAnonymity, LDiversity, PSensitivity
from shoal.policy.model.policy import GROUP, Policy
from shoal.table.columns.numbered_rows import ints_of
from shoal.table.table import Table


def merge_failing_groups(
    ready: Rows, lines: PermutationFacts, policy: Policy, lookup: GroupLookup, most: int
) -> tuple[GroupLookup, Parts]:
    """The groups that keep every guarantee, not only the one they were formed for, whole in parts."""
    others = other_guarantees(policy)
    if others:
        refuse_impossible(ready, lines, policy, most)
    while True:
        parts = _parts(ready, lookup)
        failed = parts.fold(partial(_failing, lines, policy, lookup.count), np.logical_or) if others else None
        if failed is None or not failed.any():
            return lookup, parts
        if len(failed) == 1:
            raise Infeasible("even the whole table as one group fails", "ask for less.")
        lookup = replace(lookup, number_of=np.asarray(join_failing(failed))[lookup.number_of])


def other_guarantees(policy: Policy) -> list[Guarantee]:
    """Guarantees that groups were not formed for; refused where a part alone cannot judge them."""
    first = next(one for one in policy.guarantees if isinstance(one, KeAnonymity))
    others = [one for one in policy.guarantees if one is not first]
    for one in others:
        by_lists = isinstance(one, LDiversity) and (one.allowed or one.protected)
        if by_lists or not isinstance(one, KeAnonymity | LDiversity | PSensitivity):
            raise in_memory_only(f"a permuted release in which {policy.sentence_of(one)}")
    return others


def in_memory_only(what: str) -> ShoalError:
    """The error for groups that cannot be formed from parts of a table."""
    return ShoalError(
        f"{what} is made in memory only",
        "choose min-sum, min-max or max-groups and guarantees that a group can keep by itself, or a machine "
        "with more memory.",
    )


def _parts(ready: Rows, lookup: GroupLookup) -> Parts:
    kinds = [kind for kind in ready.schema if kind.name != POINT]
    schema = pa.schema([*kinds, pa.field(GROUP, pa.int32()), pa.field(PART, pa.int64())])
    return ready.map(partial(lookup.with_group_and_part, lookup.parts(ready.part_rows)), schema).parts(PART)


def refuse_impossible(ready: Rows, lines: PermutationFacts, policy: Policy, most: int) -> None:
    """Could all records as one group keep every guarantee? More than ``most`` values are not looked at."""
    if names := columns_in_demands(policy):
        table = counted_table(distinct(ready, names).table(), ready)
        method_diversity(table, policy, np.arange(len(table)))
    for one in lines.asked:
        values = ready.fold(
            partial(_different, lines, one.sensitive, most),
            lambda some, more: np.union1d(some, more)[: most + 1],
        )
        assert values is not None  # noqa: S101 - there are rows
        if len(values) <= most and lines.demand(one).last_starts(values - values[0]) is None:
            raise impossible_groups(one, len(values))


def _different(lines: PermutationFacts, name: str, most: int, table: pa.Table) -> Ints:
    return np.unique(lines.of[name].points(table.column(name))[0])[: most + 1]


def _failing(lines: PermutationFacts, policy: Policy, count: int, _number: int, table: pa.Table) -> Bools:
    """For every group: is it in this part, and does it fall short?"""
    groups = ints_of(table, GROUP).astype(np.int64)
    demands = lines.demands(table, lines.asked[1:])
    diversity = method_diversity(Table(table), policy, np.arange(len(table)), may_leave=True)
    first, failed = int(groups.min()), np.zeros(count, bool)
    found = failing_groups(groups - first, demands, diversity)
    failed[first : first + len(found)] = found
    return failed
