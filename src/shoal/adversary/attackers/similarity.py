"""Similarity (Li, Li, Venkatasubramanian, ICDE 2007): the values that fit a person differ, but not by much.

Numbers and dates: success is the share of the records that fit whose value lies in a window of a given
width around the person's own; candidates are the windows that it takes to cover all values, so 1 is
somebody whose value is known up to the width. The width is a tenth of the e that (k,e)-anonymity
promises, else 5 % of the column's range. Words: the labels one level up in the column's hierarchy take the
place of the values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

import numpy as np

from shoal.adversary.beliefs.sensitive_values import SensitiveValues
from shoal.adversary.beliefs.value_beliefs import Measure, ValueBelief, value_beliefs, values_of_records
from shoal.adversary.beliefs.value_shares import ValueShares
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.arrays import Ints
from shoal.errors import ShoalError
from shoal.policy.model.guarantee import KeAnonymity

OF_E, OF_RANGE = Fraction(1, 10), Fraction(1, 20)
NEAR_E = "Values count as similar within a tenth of e."
NEAR = "Values count as similar within 5 % of the range of the column."
LABELS = "Values count as similar under one label, one level up in the hierarchy of the column."


MOST_WINDOWS = 1_000  # that are counted
WIDE = 2**61
ALL = 1 - 1e-9


def similarity(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the policy, on every sensitive column whose values may be similar."""
    for belief in value_beliefs(scene):
        if belief.values.points is not None:
            asked = _span_asked(scene, belief.column)
            width = asked * OF_E if asked else _range(belief.values) * OF_RANGE
            near = NEAR_E if asked else NEAR
            yield _result(scene, belief, partial(_in_windows, width=width), bool(asked), near)
        elif (labels := _labels(scene, belief.column)) is not None:
            yield _result(scene, belief, partial(_under_labels, labels=labels), False, LABELS)


def _in_windows(belief: ValueBelief, width: Fraction) -> list[Any]:
    return belief.measured(partial(_of_people, windows=_Windows.of(belief, width)), 2)


def _under_labels(belief: ValueBelief, labels: SensitiveValues) -> list[Any]:
    """Every record stands for its person where the class is their own."""
    values = values_of_records(labels, belief.view) if belief.in_own_class else labels
    return replace(belief, values=values).measured(_of_labels, 2)


def _result(scene: Scene, belief: ValueBelief, measure: Measure, promised: bool, near: str) -> AttackResult:
    candidates, success = measure(belief)
    return AttackResult(
        attack="similarity",
        knows=f"{belief.knows}, roughly",
        finds="value",
        needed=2,
        promised=promised and belief.stated,
        people=belief.view.people,
        candidates=candidates.astype(np.int64),
        success=np.where(scene.absent[belief.view.people], 0.0, success),
        population=scene.people,
        figures={"column": belief.column, "people_similar": int((success >= ALL).sum())},
        notes=(near, *belief.view.notes),
        readings=belief.readings(scene, candidates.astype(np.int64), belief.by_reading(measure)),
    )


def _span_asked(scene: Scene, name: str) -> Fraction:
    asked = [Fraction(one.e) for one in scene.policy.guarantees
             if isinstance(one, KeAnonymity) and one.sensitive == name]  # fmt: skip
    return max(asked, default=Fraction(0))


def _range(values: SensitiveValues) -> Fraction:
    if not len(values.points):
        return Fraction(0)
    first, last = (Fraction(values.points[end].item()) for end in (0, -1))
    return (last - first) * values.unit


@dataclass(frozen=True)
class _Windows:
    """For each of the people, the values ``first .. last - 1`` around their own; for each value, the first
    one ``beyond`` a window that begins with it. Missing has a window of its own."""

    first: Ints
    last: Ints
    beyond: Ints

    @classmethod
    def of(cls, belief: ValueBelief, width: Fraction) -> "_Windows":
        values, people = belief.values, belief.view.people
        points, own = values.points, values.own_points[people]
        farthest = max(float(np.abs(one.astype(float)).max(initial=0.0)) for one in (points, own))
        if points.dtype == np.int64 and farthest >= WIDE:
            points, own = points.astype(object), own.astype(object)
        scaled = width / values.unit
        whole, half = (
            float(one) if points.dtype == np.float64 else floor(one) for one in (scaled, scaled / 2)
        )
        first = np.searchsorted(points, own - half, "left")
        last = np.searchsorted(points, own + half, "right")
        missing = values.own_missing[people]
        first, last = np.where(missing, len(points), first), np.where(missing, values.number, last)
        beyond = np.full(values.number, values.number, np.int64)
        beyond[: len(points)] = np.searchsorted(points, points + whole, "right")
        return cls(first, last, beyond)


def _of_people(part: ValueShares, windows: _Windows) -> tuple[Any, ...]:
    ends = [part.place_of(part.row, end[part.places]) for end in (windows.first, windows.last)]
    inside = part.before[ends[1]] - part.before[ends[0]]
    return _window_counts(part, windows.beyond)[part.row], inside / part.total[part.row]


def _window_counts(part: ValueShares, beyond: Ints) -> Ints:
    """The fewest windows that cover all values of each row: the next begins with the first one left."""
    counted = np.zeros(len(part.total), np.int64)
    at, alive = part.starts[:-1].copy(), np.flatnonzero(part.different)
    while len(alive) and counted.max() < MOST_WINDOWS:
        counted[alive] += 1
        at[alive] = part.place_of(alive, beyond[part.value[at[alive]]])
        alive = alive[at[alive] < part.starts[alive + 1]]
    return counted


def _of_labels(part: ValueShares) -> tuple[Any, ...]:
    return part.different[part.row], part.own_share


def _labels(scene: Scene, name: str) -> SensitiveValues | None:
    """The labels one level up, of records and of people; None without a level between the words and all."""
    spec = scene.policy.hierarchies.get(name)
    if spec is None:
        return None
    try:
        hierarchy = spec.over(scene.original.table.words(name), name)
    except ShoalError:  # a rule that these words have no labels under
        return None
    if len(hierarchy.levels) < 3:
        return None
    labels = np.append(hierarchy.levels[1].group_of, -1)  # of a word that has none
    shown, own = (
        labels[hierarchy.codes(column.words)][column.codes]
        for column in (side.table.words(name) for side in (scene.published, scene.original))
    )
    return SensitiveValues(shown, own, len(hierarchy.levels[1].labels))
