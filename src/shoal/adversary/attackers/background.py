"""Background knowledge (Machanavajjhala et al., ICDE 2006): values that somebody can rule out for a person.

Who rules the right values out is left with the person's own. The fewest that have to go before the belief
in it exceeds 95 % are the most frequent other ones; candidates are these and the person's own, so 1 is
somebody whose value is certain already. Suppressed cells cannot be ruled out.

Recursive (c, l)-diversity with c up to 19 promises that l - 1 values have to go: as long as fewer went, the
others are at least 1/c of the most frequent one, and 1 / (1 + 1/19) is 95 %. To have l different values
promises nothing of the kind.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.adversary.beliefs.sensitive_values import promised_diversity
from shoal.adversary.beliefs.value_beliefs import ValueBelief, value_beliefs
from shoal.adversary.beliefs.value_shares import ValueShares
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.policy.model.guarantee import LDiversity
from shoal.policy.model.policy import Policy

CERTAIN = 19  # of 20: a belief beyond 1 - delta, delta = 0.05
ROUNDING = 1e-6  # of weights that are no whole numbers


def background(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy, on every sensitive column."""
    for belief in value_beliefs(scene):
        candidates, success = _measured(belief)
        promised = _promised(scene.policy, belief.column) if belief.stated else None
        found = candidates[candidates > 0]
        yield AttackResult(
            attack="background",
            knows=f"{belief.knows}, and rules values out",
            finds="value",
            needed=promised or promised_diversity(scene.policy, belief.column) or 2,
            promised=promised is not None,
            people=belief.view.people,
            candidates=candidates.astype(np.int64),
            success=np.where(scene.absent[belief.view.people], 0.0, success),
            population=scene.people,
            figures={
                "column": belief.column,
                "belief": CERTAIN / (CERTAIN + 1),
                "certain": int((found == 1).sum()),
                "certain_with_one_more": int((found <= 2).sum()),
            },
            notes=belief.view.notes,
            readings=belief.readings(scene, candidates.astype(np.int64), belief.by_reading(_measured)),
        )


def _measured(belief: ValueBelief) -> list[Any]:
    return belief.measured(_of_people, 2)


def _promised(policy: Policy, name: str) -> int | None:
    asked = [
        int(one.l)
        for one in policy.guarantees
        if isinstance(one, LDiversity) and name in one.columns and one.variant == "recursive"
        if one.l > 1 and (one.c or 0) <= CERTAIN
    ]
    return max(asked, default=None)


def _of_people(part: ValueShares) -> tuple[Any, ...]:
    """The most frequent ``ruled_out`` other values weigh more than total - own * 20 / 19."""
    order = np.lexsort([-part.weight, part.rows])
    weight = CERTAIN * part.weight[order]
    before = np.append(0.0, np.cumsum(weight))
    row, own = part.row, CERTAIN * part.own_weight
    first = part.starts[row]
    needed = before[first] + CERTAIN * part.total[row] - (CERTAIN + 1) * part.own_weight + ROUNDING
    without_own = np.searchsorted(before, needed, "right") - first
    heavier = _heavier(part, order)
    with_own = np.searchsorted(before, needed + own, "right") - first - 1
    ruled_out = np.where(without_own <= heavier, without_own, with_own)
    never = part.different[row]  # all others gone, and still in doubt
    candidates = np.clip(ruled_out, 0, never) + 1
    return np.where(part.own_weight > 0, candidates, 0), part.own_share


def _heavier(part: ValueShares, order: Any) -> Any:
    """How many values of a person's row come before their own."""
    rank = np.empty(len(order) + 1, np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = 0
    at = part.place_of(part.row, np.maximum(part.own, 0))
    return rank[np.minimum(at, len(order))] - part.starts[part.row]
