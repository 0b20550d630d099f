"""Homogeneity (Machanavajjhala et al., ICDE 2006): all records that fit a person show the same value.

Then it is theirs, whichever record is. Candidates are the different values among the records that fit,
success is the share of the person's own.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.attack.beliefs import Belief, beliefs
from shoal.attack.result import AttackResult
from shoal.attack.scene import Scene
from shoal.attack.sensitive import values_asked
from shoal.attack.shares import Shares

WORST = 5
ALL = 1 - 1e-9  # weights need not be whole numbers


def homogeneity(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy, on every sensitive column."""
    for belief in beliefs(scene):
        candidates, success, largest = belief.measured(_of_people, 3)
        asked = values_asked(scene.policy, belief.column)
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
                "largest_share": round(float(largest.max(initial=0.0)), 6),
                "people_homogeneous": int((largest >= ALL).sum()),
                **_of_classes(scene, belief),
            },
            notes=belief.view.notes,
        )


def _of_people(part: Shares) -> tuple[Any, ...]:
    return part.different[part.row], part.own_share, part.largest_share[part.row]


def _of_classes(scene: Scene, belief: Belief) -> dict[str, Any]:
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
