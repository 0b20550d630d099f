"""Published ends: a range of a class that reaches from its least to its greatest value shows both.

Who knows which people are in a class looks for those whose value is the end. Of the members who attain the
end that a person attains, the fewest over all ranges are the person's candidates: one alone, and the end is
theirs. A person who attains no end has the whole class. Classes are records with the same quasi cells; where
an aggregate is known, also those with the same F, and then the ends are those of F.

Where only aggregates are known, a record may well be the only one with its cells. That is no class, and
those people are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.adversary.attackers.aggregate import aggregate_matches
from shoal.adversary.attackers.linkage import names_in_words, quasi_matches
from shoal.adversary.matching.axes import LEAST, MOST, Axis, has_ranges
from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Ints
from shoal.kernels.classes import one_of_each
from shoal.policy.model.guarantee import KfAnonymity

WITHOUT_LINK = (
    "Without the owner's link, a person counts as a member of the one class that fits them; {left_out:,} "
    "people fit no class or several and were left out."
)


def ends(scene: Scene) -> Iterator[AttackResult]:
    """Classes of the same cells, and those of every aggregate that the policy states."""
    if scene.raw or scene.policy.permutes:
        return
    for asked in (*([] if scene.policy.averages else [None]), *scene.aggregates):
        fits, ranged = _ranged(scene, asked)
        class_of = _class_of_people(scene, fits) if ranged else None
        if class_of is not None and asked is None and scene.alike is None and scene.aggregates:
            class_of = np.where(fits.sizes[class_of] > 1, class_of, -1)
        if class_of is not None and (class_of >= 0).any():
            yield _result(scene, asked, class_of, _end_candidates(fits, ranged, class_of))


def _ranged(scene: Scene, asked: KfAnonymity | None) -> tuple[RecordMatches, list[Axis]]:
    """The axes that are open somewhere: sums, and columns of numbers."""
    names = scene.quasi if asked is None else list(asked.also)
    fits = quasi_matches(scene, names) if asked is None else aggregate_matches(scene, asked)
    sums = len(fits.axes) - len(names)
    columns = [axis for name, axis in zip(names, fits.axes[sums:], strict=True) if has_ranges(scene, name)]
    return fits, [axis for axis in (*fits.axes[:sums], *columns) if _is_open(axis).any()]


def _is_open(axis: Axis) -> Bools:
    """Records that show a range with two ends."""
    return (axis.low < axis.high) & (axis.low > LEAST + 1) & (axis.high < MOST - 1)


def _class_of_people(scene: Scene, fits: RecordMatches) -> Ints | None:
    """The class of every person; -1 where it is not known. None if there are too many to compare."""
    class_of = np.full(scene.people, -1, np.int64)
    if scene.input_rows is not None:
        class_of[scene.input_rows] = fits.box_of
        return class_of
    if len(fits.attacked(scene, one_by_one=True)) < scene.people:
        return None
    person, box = fits.pairs(np.arange(scene.people))
    alone = np.bincount(person, minlength=scene.people)[person] == 1
    class_of[person[alone]] = box[alone]
    return class_of


@dataclass(frozen=True)
class _EndCandidates:
    candidates: Ints
    attained: Bools  # does the person attain any end?


def _end_candidates(fits: RecordMatches, ranged: list[Axis], class_of: Ints) -> _EndCandidates:
    members = np.flatnonzero(class_of >= 0)
    own = class_of[members]
    shown = one_of_each(fits.box_of)
    candidates = np.zeros(len(class_of), np.int64)
    candidates[members] = fits.sizes[own]
    attained = np.zeros(len(class_of), bool)
    for axis in ranged:
        is_open = _is_open(axis)[shown][own]
        for end in (axis.low, axis.high):
            there = is_open & (axis.point[members] == end[shown][own])
            many = np.bincount(own[there], minlength=len(shown))
            who = members[there]
            candidates[who] = np.minimum(candidates[who], many[own[there]])
            attained[who] = True
    return _EndCandidates(candidates, attained)


def _result(scene: Scene, asked: KfAnonymity | None, class_of: Ints, found: _EndCandidates) -> AttackResult:
    people = np.arange(scene.people)
    alone = found.attained & (found.candidates == 1)
    left_out = int((class_of < 0).sum())
    shown = names_in_words(scene.quasi) if asked is None else names_in_words([*asked.knows, *asked.also])
    return AttackResult(
        attack="ends",
        knows=f"which people are in a class of records that show the same {shown}",
        finds="record",
        needed=scene.alike or scene.k if asked is None else asked.k,
        promised=False,
        people=people,
        candidates=found.candidates,
        success=scene.success(people, found.candidates),
        population=scene.people,
        figures={
            "attain_an_end": int(found.attained.sum()),
            "alone": int(alone.sum()),
            "classes_with_one_alone": len(np.unique(class_of[alone])),
        },
        notes=() if scene.input_rows is not None else (WITHOUT_LINK.format(left_out=left_out),),
    )
