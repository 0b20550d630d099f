"""Minimality (Wong et al., VLDB 2007): who knows the method rules out what it would have published otherwise.

*Quasi values known.* The attacker knows everybody's quasi values, the method and its policy. Inputs are all
ways to give the published sensitive values of every class to its people. The method is run on each; those
remain of which it publishes the same records, weighted by how likely it does. Belief: the share of what
remains in which a person has their own value. Without the method it is the value's share of the class.

*An aggregate known.* The attacker knows f of one person. Inputs are all tables whose cells lie in the
published ones, on the grid of their columns. Those remain of which the method publishes every record as it
was published. Belief that a record is the person's: in how much of what remains the record has their f,
divided by the sum over all records. Without the method, all inputs remain.

Small tables are tried as a whole, of larger ones each class as if it were the table.
"""

from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from shoal.adversary.beliefs.sensitive_values import promised_diversity
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.adversary.trials.aggregate_trials import AggregateTrials
from shoal.adversary.trials.input_trials import InputTrials, PartBeliefs
from shoal.adversary.trials.trial_parts import (
    TrialAllowance,
    TrialBudget,
    classes_alone,
    people_behind,
    whole_table_part,
)
from shoal.adversary.trials.value_trials import ValueTrials
from shoal.arrays import Ints
from shoal.policy.model.guarantee import KAnonymity
from shoal.verify.attackers import classes_of

RUNS, SECONDS = 1_500, 30.0  # for all attackers together; patience should not end before the runs do
SEVERAL = 8  # classes that there are to be runs for
SEARCHES = ("refined",)  # as good as their time allows: what they publish of an input is not settled


def minimality(scene: Scene, budget: TrialBudget | None = None) -> Iterator[AttackResult]:
    """Somebody who knows the method, beside what the policy says they know."""
    policy = scene.policy
    if scene.raw or policy.permutes or policy.method.name in SEARCHES or not len(scene.published):
        return
    attackers = max(len(scene.aggregates or policy.having("sensitive")), 1)
    budget = budget or TrialBudget(runs=RUNS / attackers, seconds=SECONDS / attackers)
    for asked in scene.aggregates:
        classes = classes_of(scene.published, asked, policy)
        judge = AggregateTrials(scene, asked, budget)
        known = f"the method and {asked.model_copy(update={'within': None}).knowledge()}, exactly"
        yield from _result(scene, judge, classes, budget, known, "record", asked.k)
    if scene.aggregates:
        return
    classes = classes_of(scene.published, KAnonymity(k=2), policy)
    for name in policy.having("sensitive"):
        known = f"the method and all quasi values of everybody, and looks for {name}"
        judge_values = ValueTrials(scene, name, budget)
        yield from _result(
            scene, judge_values, classes, budget, known, "value", promised_diversity(policy, name) or 2
        )


def _result(
    scene: Scene, judge: InputTrials, classes: Ints, budget: TrialBudget, knows: str, finds: Any, needed: int
) -> Iterator[AttackResult]:
    behind, allowed = people_behind(scene), TrialAllowance(budget.runs, perf_counter() + budget.seconds)
    whole = whole_table_part(classes, behind, scene.people)
    if whole is not None and judge.inputs(whole) > budget.inputs:
        whole = None
    parts = classes_alone(classes, behind) if whole is None else [whole]
    parts = sorted((part for part in parts if judge.inputs(part)), key=judge.inputs)
    judged: list[PartBeliefs] = []
    unexplained = 0
    for part in parts:
        portion = allowed.portion(budget.runs / min(len(parts), SEVERAL))
        found = judge.judge(part, portion)
        allowed.put_back(portion)
        if isinstance(found, PartBeliefs):
            judged.append(found)
        unexplained += found == "unexplained"
        if allowed.spent:
            break
    if not judged:
        return
    total = int(classes.max()) + 1
    without = np.concatenate([one.without for one in judged])
    belief = np.concatenate([one.belief for one in judged])
    people = np.concatenate([one.people for one in judged])
    yield AttackResult(
        attack="minimality",
        knows=knows,
        finds=finds,
        needed=needed,
        promised=False,
        people=people,
        candidates=np.concatenate([one.candidates for one in judged]),
        success=belief,
        population=len(people),
        baseline=float(without.mean()),
        figures={
            "classes": total,
            "judged": total if whole is not None else len(judged),
            "unexplained": unexplained,
            "inputs": sum(one.tried for one in judged),
            "remaining": round(float(np.mean([one.remaining for one in judged])), 6),
            "surer": round(float(np.concatenate([one.surer for one in judged]).mean()), 6),
        },
        notes=_notes(whole is not None, judged, total, unexplained),
    )


def _notes(whole: bool, judged: list[PartBeliefs], total: int, unexplained: int) -> tuple[str, ...]:
    notes = []
    if not whole:
        notes.append(
            f"{len(judged):,} of {total:,} classes were judged, those with the fewest inputs, each as if it "
            "were the whole table."
        )
    if unexplained:
        notes.append(
            f"{unexplained:,} classes were not judged: none of the inputs that were tried gives them alone."
        )
    drawn = [one for one in judged if one.drawn]
    if drawn:
        notes.append(
            f"In {len(drawn):,} of them inputs were drawn at random: beliefs may be off by "
            f"± {max(one.margin for one in drawn):.2g} (95 %), and there may be more candidates."
        )
    return tuple(notes)
