"""Homogeneity (Machanavajjhala et al., ICDE 2006): all records that fit a person show the same value.

Then it is theirs, whichever record is. Candidates are the different values among the records that fit,
success is the share of the person's own.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.adversary.beliefs.sensitive_values import promised_diversity
from shoal.adversary.beliefs.value_beliefs import ValueBelief, value_beliefs
from shoal.adversary.beliefs.value_shares import ValueShares
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene

WORST = 5
ALL = 1 - 1e-9  # weights need not be whole numbers


def homogeneity(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy, on every sensitive column."""
    for belief in value_beliefs(scene):
        candidates, success, largest = _measured(belief)
        asked = promised_diversity(scene.policy, belief.column) if belief.stated else None
        others = belief.by_reading(_measured)
        shares = [largest, *(found[2] for found in others.values())]
        yield AttackResult(
            attack="homogeneity",
            knows=belief.knows,
            finds="value",
            needed=asked or 2,
            promised=asked is not None,
            people=belief.view.people,
            candidates=candidates.astype(np.int64),
            success=np.where(scene.absent[belief.view.people], 0.0, success),
            population=scene.people,
            figures={
                "column": belief.column,
                "largest_share": round(max(float(one.max(initial=0.0)) for one in shares), 6),
                "people_homogeneous": max(int((one >= ALL).sum()) for one in shares),
                **_of_classes(scene, belief),
            },
            notes=belief.view.notes,
            readings=belief.readings(scene, candidates.astype(np.int64), others),
        )


def _measured(belief: ValueBelief) -> list[Any]:
    return belief.measured(_of_people, 3)


def _of_people(part: ValueShares) -> tuple[Any, ...]:
    return part.different[part.row], part.own_share, part.largest_share[part.row]


def _of_classes(scene: Scene, belief: ValueBelief) -> dict[str, Any]:
    """Classes in which one value prevails, named by where their records stand and never by the value."""
    classes = belief.by_class()
    share, sizes, class_of = classes.largest_share, belief.view.sizes, belief.view.class_of
    alike = share >= ALL
    worst = np.lexsort([-sizes, -share])[:WORST].tolist()
    return {
        "classes": len(sizes),
        "homogeneous_classes": int(alike.sum()),
        "records_in_them": int(sizes[alike].sum()),
        "worst": [
            {
                "class": number,
                "records": int(sizes[number]),
                "in_the_release": scene.published.table.place(np.flatnonzero(class_of == number).tolist()),
                "share": round(float(share[number]), 6),
            }
            for number in worst
        ],
    }
