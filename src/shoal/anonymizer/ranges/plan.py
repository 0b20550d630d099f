"""Ranges and sets of words; where a method shows labels, `local` takes over."""

from collections.abc import Callable
from functools import partial

from shoal.anonymizer.choose import Choice
from shoal.anonymizer.local.local_facts import local_facts
from shoal.anonymizer.local.part_plan import LocalPlanInput, labels_plan, local_figures
from shoal.anonymizer.local.whole_plan import may_show_labels
from shoal.anonymizer.parts.anonymized_rows import AnonymizedRows, range_figures
from shoal.anonymizer.parts.sensitive_codes import sensitive_codes
from shoal.anonymizer.parts.staging import stage_rows
from shoal.anonymizer.parts.table_facts import summarize_columns, table_facts
from shoal.anonymizer.plan_request import PlanRequest
from shoal.anonymizer.ranges.aggranon_part_plan import aggranon_plan
from shoal.anonymizer.ranges.mondrian_part_plan import mondrian_plan
from shoal.anonymizer.ranges.plan_input import RangesPlanInput
from shoal.anonymizer.ranges.residual_part_plan import residual_plan
from shoal.engines.protocol import Rows
from shoal.kernels.keyed_hash import Key
from shoal.methods.aggregates import residual_parts
from shoal.policy.model.policy import Policy
from shoal.table.columns.number_summary import NumberSummary

RANGE_PLANS: dict[str, Callable[[Rows, RangesPlanInput], Rows]] = {
    "aggranon": aggranon_plan,
    "residual": residual_plan,
    "mondrian": mondrian_plan,
}


def ranges_plan(rows: Rows, request: PlanRequest) -> AnonymizedRows:
    policy, key, choice = request.policy, request.key, request.choice
    seen = summarize_columns(rows, policy)
    if choice.method.group is not None and may_show_labels(policy) and _any_words(seen, policy):
        return _in_labels(rows, policy, key, choice, seen)
    return _in_ranges(rows, policy, key, choice, RANGE_PLANS[choice.method.name], seen)


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
