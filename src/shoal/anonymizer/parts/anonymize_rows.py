"""Which plan makes a release that a policy asks for, beyond memory."""

from collections.abc import Callable
from functools import partial

from shoal.anonymizer.choose import Choice, choose
from shoal.anonymizer.levels.part_plan import levels_plan
from shoal.anonymizer.local.cluster_part_plan import cluster_plan
from shoal.anonymizer.local.local_facts import local_facts
from shoal.anonymizer.local.part_plan import LocalPlanInput, labels_plan, local_figures
from shoal.anonymizer.local.whole_plan import may_show_labels
from shoal.anonymizer.means.plan import means_plan
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows, range_figures
from shoal.anonymizer.parts.sensitive_codes import sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import summarize_columns, table_facts
from shoal.anonymizer.permutation.part_plan import permutation_plan
from shoal.anonymizer.plan_request import PlanRequest, Progress, unwatched
from shoal.anonymizer.ranges.aggranon_part_plan import aggranon_plan
from shoal.anonymizer.ranges.mondrian_part_plan import mondrian_plan
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.residual_part_plan import residual_plan
from shoal.anonymizer.stars.part_plan import stars_plan
from shoal.engines.protocol import Rows
from shoal.errors import ShoalError
from shoal.kernels.keyed_hash import Key
from shoal.methods.aggregates import residual_parts
from shoal.policy.model.policy import Policy
from shoal.table.columns.number_summary import NumberSummary

RANGE_PLANS: dict[str, Callable[[Rows, RangesPlanInput], Rows]] = {
    "aggranon": aggranon_plan,
    "residual": residual_plan,
    "mondrian": mondrian_plan,
}


def anonymize_rows(rows: Rows, policy: Policy, key: Key, on_progress: Progress = unwatched) -> AnonymizedRows:
    """The release of these rows; refused where no plan serves the method."""
    choice = choose(policy)
    if policy.permutes:
        return permutation_plan(rows, policy, key)
    if choice.method.search is not None:
        return levels_plan(rows, policy)
    if choice.method.stars is not None:
        return stars_plan(rows, policy, key, choice)
    if choice.method.average is not None:
        return means_plan(rows, PlanRequest(policy, key, choice, on_progress))
    plan = RANGE_PLANS.get(choice.method.name)
    if plan is None and choice.method.group is None:
        raise ShoalError(
            f"method {choice.method.name!r} works in memory only",
            f"choose one of {', '.join(RANGE_PLANS)} in [method], or a machine with more memory.",
        )
    seen = summarize_columns(rows, policy)
    if plan is None:
        return cluster_plan(rows, policy, key, choice, seen)
    if choice.method.group is not None and may_show_labels(policy) and _any_words(seen, policy):
        return _in_labels(rows, policy, key, choice, seen)
    return _in_ranges(rows, policy, key, choice, plan, seen)


def _any_words(seen: dict[str, NumberSummary], policy: Policy) -> bool:
    return any(name in policy.hierarchies or not column.mostly_numbers for name, column in seen.items())


def _in_labels(
    rows: Rows, policy: Policy, key: Key, choice: Choice, seen: dict[str, NumberSummary]
) -> AnonymizedRows:
    found = local_facts(rows, policy, seen)
    facts, sensitive = found.facts, sensitive_codes(rows, policy, found.facts.leaving)
    asked = LocalPlanInput(policy, found, key, sensitive)
    published = labels_plan(stage_rows(rows, facts, sensitive), asked)
    return AnonymizedRows(published, facts.rows, facts.staying, partial(local_figures, asked, choice, ()))


def _in_ranges(
    rows: Rows,
    policy: Policy,
    key: Key,
    choice: Choice,
    plan: Callable[[Rows, RangesPlanInput], Rows],
    seen: dict[str, NumberSummary],
) -> AnonymizedRows:
    facts = table_facts(rows, policy, seen)
    sensitive = sensitive_codes(rows, policy, facts.leaving)
    asked = RangesPlanInput(policy, facts, key, sensitive)
    ready = stage_rows(rows, facts, sensitive)
    notes = _notes(asked, choice.method.name, rows.part_rows)
    return AnonymizedRows(
        plan(ready, asked), facts.rows, facts.staying, partial(range_figures, asked, choice, notes)
    )


def _notes(asked: RangesPlanInput, method: str, part_rows: int) -> tuple[str, ...]:
    """What many parts make different from one."""
    one_part = residual_parts.ROWS_AT_ONCE if method == "residual" else part_rows
    if method == "mondrian" or asked.facts.staying <= one_part:
        return ()
    notes = []
    if method == "aggranon" and asked.sensitive:
        notes.append(
            "blocks grow until they are diverse inside parts of the table, each on its own: in memory some "
            "of them would be others"
        )
    if asked.request.within is not None:
        notes.append("within is left aside in a table of more than one part, which is stricter")
    return tuple(notes)
