"""Anonymize a table under a policy: choose, compute, and lay the published table out."""

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import choose, method_faults
from shoal.anonymizer.gather import gather
from shoal.anonymizer.levels.whole_plan import recode_table
from shoal.anonymizer.local.whole_plan import group_table, shows_labels
from shoal.anonymizer.parts.anonymize_rows import anonymize_rows
from shoal.anonymizer.permutation.whole_plan import permute_table
from shoal.anonymizer.plan_request import Progress, unwatched
from shoal.anonymizer.ranges.whole_plan import range_table
from shoal.anonymizer.stars.whole_plan import star_table
from shoal.engines.memory.rows import MemoryRows
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.policy import Policy
from shoal.table.table import Table


def anonymize_table(
    table: Table, policy: Policy, key: Key, on_progress: Progress = unwatched
) -> AnonymizedTable:
    """``on_progress`` is told how far a long search is."""
    if faults := method_faults(policy):
        raise ShoalError(column_faults(policy, table.names) + faults)
    choice = choose(policy)
    if policy.permutes:
        return permute_table(table, policy, key, choice, anonymize_table)
    if choice.method.average is not None:
        return gather(anonymize_rows(MemoryRows.of(table), policy, key, on_progress), key)
    if choice.method.stars is not None:
        return star_table(table, policy, key, choice)
    if choice.method.search is not None:
        return recode_table(table, policy, key, choice, on_progress)
    if choice.method.group is not None and (choice.method.run is None or shows_labels(table, policy)):
        return group_table(table, policy, key, choice)
    return range_table(table, policy, key, choice)
