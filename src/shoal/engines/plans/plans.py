"""Which plan makes a release that a policy asks for, beyond memory."""

from collections.abc import Callable
from functools import partial

from shoal.anonymizer.choose import Choice, choose
from shoal.engines.facts import facts_of
from shoal.engines.made import Made, range_figures
from shoal.engines.plan import Asked
from shoal.engines.plans.aggranon import aggranon_plan
from shoal.engines.plans.mondrian import mondrian_plan
from shoal.engines.plans.permuted import permuted_plan
from shoal.engines.plans.recoded import recoded_plan
from shoal.engines.plans.residual import residual_plan
from shoal.engines.rows import Rows
from shoal.engines.staged import staged
from shoal.errors import ShoalError
from shoal.methods.keyed_hash import Key
from shoal.policy.policy import Policy

IN_RANGES: dict[str, Callable[[Rows, Asked], Rows]] = {
    "aggranon": aggranon_plan,
    "residual": residual_plan,
    "mondrian": mondrian_plan,
}


def made_of(rows: Rows, policy: Policy, key: Key) -> Made:
    """The release of these rows; refused where no plan serves the method."""
    choice = choose(policy)
    if policy.permutes:
        return permuted_plan(rows, policy, key)
    if choice.method.search is not None:
        return recoded_plan(rows, policy)
    plan = IN_RANGES.get(choice.method.name)
    if plan is None:
        raise ShoalError(
            f"method {choice.method.name!r} works in memory only",
            f"choose one of {', '.join(IN_RANGES)} in [method], or a machine with more memory.",
        )
    return _in_ranges(rows, policy, key, choice, plan)


def _in_ranges(
    rows: Rows, policy: Policy, key: Key, choice: Choice, plan: Callable[[Rows, Asked], Rows]
) -> Made:
    facts = facts_of(rows, policy)
    asked = Asked(policy, facts, key)
    ready = staged(rows, facts)
    return Made(plan(ready, asked), facts.rows, facts.staying, partial(range_figures, asked, choice, ()))
