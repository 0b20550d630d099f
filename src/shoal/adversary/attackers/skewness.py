"""Skewness (Li, Li, Venkatasubramanian, ICDE 2007): the records that fit a person are not spread like all.

Who knows the whole table already believes in a value as much as its share says. What they learn beyond that:
how much larger the share is among the records that fit, and how far the two distributions are apart (earth
mover's distance; equal, and by rank for numbers and dates). Suppressed cells are left out of both.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from shoal.adversary.beliefs.sensitive_values import promised_diversity
from shoal.adversary.beliefs.value_beliefs import ValueBelief, value_beliefs
from shoal.adversary.beliefs.value_shares import ValueShares
from shoal.adversary.candidate_reading import BY_VOLUME, OWN_CLASS
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats
from shoal.policy.model.guarantee import TCloseness

ROUNDING = 1e-9


def skewness(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy, on every sensitive column."""
    for belief in value_beliefs(scene):
        whole = shares_of_all(belief)
        measure = partial(_measured, whole=whole)
        found, others = measure(belief), belief.by_reading(measure)
        candidates, success, ratio, own_ratio, _, *distances = found
        there = candidates > 0
        asked = [
            one for one in scene.policy.guarantees
            if isinstance(one, TCloseness) and one.sensitive == belief.column and belief.stated
        ]  # fmt: skip
        measured = {
            name: figures
            for name, figures in zip(("equal", "ordered"), distances, strict=True)
            if name == "equal" or belief.values.points is not None
        }
        of_classes = others.get(OWN_CLASS, found)[5:]
        farthest = {
            name: max(float(one.max(initial=0.0)) for one in (distances[at], of_classes[at]))
            for at, name in enumerate(measured)
        }
        kept = _promised_distances(asked, farthest)
        yield AttackResult(
            attack="skewness",
            knows=f"{belief.knows}, and how it is spread over the table",
            finds="value",
            needed=promised_diversity(scene.policy, belief.column) or 2,
            promised=bool(kept),
            broken=not all(one["kept"] for one in kept),
            people=belief.view.people,
            candidates=candidates.astype(np.int64),
            success=np.where(scene.absent[belief.view.people], 0.0, success),
            population=scene.people,
            baseline=_by_chance(belief, whole, found),
            figures={
                "column": belief.column,
                "ratio": _summary(ratio, there),
                "own_ratio": _summary(own_ratio, there),
                "distance": {name: _summary(figures, there) for name, figures in measured.items()},
                **({"asked": kept} if kept else {}),
            },
            notes=belief.view.notes,
            readings=belief.readings(
                scene,
                candidates.astype(np.int64),
                others,
                {
                    name: _by_chance(one, whole, others[name])
                    for name, one in belief.others
                    if name != BY_VOLUME
                },  # weights are no numbers of records
            ),
        )


def _measured(belief: ValueBelief, whole: Floats) -> list[Any]:
    ordered = belief.values.points is not None
    return belief.measured(partial(_of_people, whole=whole, ordered=ordered), 7)


def shares_of_all(belief: ValueBelief) -> Floats:
    """The share of every value among all published records whose value is not suppressed."""
    counts = np.bincount(
        belief.values.published[belief.values.published >= 0], minlength=belief.values.number
    )
    return np.asarray(counts / max(int(counts.sum()), 1))


def _of_people(part: ValueShares, whole: Floats, ordered: bool) -> tuple[Any, ...]:
    told = np.maximum(part.unsuppressed, ROUNDING)
    share = part.weight / told[part.rows]
    ratio = part.largest(share / whole[part.value])
    own_ratio = part.own_weight / told[part.row] / np.append(whole, 1.0)[part.own]  # -1: no value, the last
    equal = np.bincount(part.rows, np.maximum(share - whole[part.value], 0), len(told))
    by_rank = _by_rank(part, share, whole) if ordered else equal
    row = part.row
    return (
        part.different[row],
        part.own_share,
        ratio[row],
        own_ratio,
        part.records[row],
        equal[row],
        by_rank[row],
    )


def _by_chance(belief: ValueBelief, whole: Floats, found: list[Any]) -> float:
    """The success if the other records that fit were drawn from the whole table: one is the person's own."""
    records = found[4]
    own = np.where(belief.own >= 0, whole[belief.own], 0.0) if len(whole) else np.zeros(len(belief.own))
    there = records > 0
    expected = np.where(there, own + (1 - own) / np.maximum(records, 1), 0.0)
    return float(expected.mean()) if len(expected) else 0.0


def _by_rank(part: ValueShares, share: Floats, whole: Floats) -> Floats:
    """The earth mover's distance over ranks: what has to cross each step, of all steps.

    From one value of a row to its next, the share at or below stays c, while that of the table rises: up to
    the step where it passes c the difference has one sign, from there on the other.
    """
    table = np.cumsum(whole)
    sums = np.append(0.0, np.cumsum(table))
    summed = np.append(0.0, np.cumsum(share))
    level = summed[1:] - summed[part.starts[part.rows]]
    begin = part.value
    end = np.append(begin[1:], 0)
    last = np.append(part.rows[1:] != part.rows[:-1], True)[: len(begin)]
    end = np.where(last, len(whole), end[: len(begin)])
    turn = np.clip(np.searchsorted(table, level), begin, end)
    work = level * (turn - begin) - (sums[turn] - sums[begin])
    work += sums[end] - sums[turn] - level * (end - turn)
    first = part.starts[:-1][part.different > 0]
    total = np.bincount(part.rows, work, len(part.total))
    total[part.different > 0] += sums[part.value[first]]
    return np.asarray(total / max(len(whole) - 1, 1))


def _summary(figures: Floats, there: Bools) -> dict[str, float]:
    found = figures[there]
    largest, mean = (float(found.max()), float(found.mean())) if len(found) else (0.0, 0.0)
    return {"largest": round(largest, 6), "mean": round(mean, 6)}


def _promised_distances(asked: list[TCloseness], largest: dict[str, float]) -> list[dict[str, Any]]:
    """What t-closeness promises, and whether what was found keeps it."""
    return [
        {
            "t": float(one.t),
            "distance": one.distance,
            "kept": largest[one.distance] <= float(one.t) + ROUNDING,
        }
        for one in asked
        if one.distance in largest and not one.order
    ]
