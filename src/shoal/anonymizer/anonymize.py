"""Anonymize a table under a policy, on any engine: choose a method, and run the plan of its family."""

from shoal.anonymizer.anonymized_table import AnonymizedTable
from shoal.anonymizer.choose import Choice, choose, method_faults
from shoal.anonymizer.families import FAMILIES
from shoal.anonymizer.gather import gather
from shoal.anonymizer.method_facts import FACTS
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows
from shoal.anonymizer.parts.table_facts import table_columns
from shoal.anonymizer.permutation.plan import permutation_plan
from shoal.anonymizer.plan_request import PlanRequest
from shoal.engines.memory.rows import MemoryRows
from shoal.engines.protocol import Rows
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.policy.model.column_faults import column_faults
from shoal.policy.model.policy import Policy
from shoal.progress import Progress, unwatched
from shoal.table.table import Table


def anonymize_table(
    table: Table, policy: Policy, key: Key, on_progress: Progress = unwatched
) -> AnonymizedTable:
    """A table in memory; ``on_progress`` is told how far a long search is."""
    return gather(anonymize_rows(MemoryRows.of(table), policy, key, on_progress), key)


def anonymize_rows(rows: Rows, policy: Policy, key: Key, on_progress: Progress = unwatched) -> AnonymizedRows:
    """The release of these rows; refused where the policy is not for them, or its method needs a whole table
    and they are not."""
    if faults := column_faults(policy, table_columns(rows)) + method_faults(policy):
        raise ShoalError(faults)
    choice = choose(policy)
    if choice.method.runs == "whole" and not rows.whole:
        raise _in_memory_only(choice)
    request = PlanRequest(policy, key, choice, on_progress)
    if policy.permutes:
        return permutation_plan(rows, request, anonymize_table)
    return FAMILIES[choice.method.family](rows, request)


def _in_memory_only(choice: Choice) -> ShoalError:
    method = choice.method
    others = [row.name for row in FACTS if row.family == method.family and row.runs != "whole"]
    return ShoalError(
        f"method {method.name!r} works in memory only",
        f"choose one of {', '.join(others)} in [method], or a machine with more memory.",
    )
