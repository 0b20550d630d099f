"""Composition (Ganta et al., KDD 2008): several releases of the same people leave fewer candidates together.

- People: who shares a box with the person in every release? Nobody else can be confused with them.
- Records: those that fit the person in the first release that has any, and have in every other release a
  record that fits too and may be of the same person: what both show as it is agrees, and ranges have a value
  in common.
- Values: the sensitive values that the person's records, or their group, leave open in every release. Each
  counts as much as the release says that leaves it the least share.

Of every release the attacker may take all that fits, the narrowest box or, where the owner's link is at hand,
the person's own class; the best of these readings is judged.

Who was left out of a release fits no record of it, which the attacker sees. They are looked for in the
releases that they are in, be it the first one or not, among those who were left out of the same ones. Nobody
is found who is in no release. No guarantee is about more than one release.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from shoal.adversary.beliefs.sensitive_values import promised_diversity
from shoal.adversary.candidate_reading import ALL_FIT, BY_VOLUME, NARROWEST, OWN_CLASS, CandidateReading
from shoal.adversary.matching.compatible_records import CompatibleRecords
from shoal.adversary.matching.release_boxes import (
    NOWHERE,
    PersonBoxPairs,
    ReleaseBoxes,
    available_readings,
    has_overlap,
)
from shoal.adversary.matching.value_codes import ValueCodes
from shoal.adversary.result import AttackResult
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.classes import class_numbers
from shoal.verify.attackers import attackers

Plan = tuple[str, ...]  # how each release is read
FEW_PEOPLE = 2_000  # who are attacked one by one
MOST_PAIRS = 20_000_000  # of people and boxes
MOST_PLANS = 27  # that are tried in all their mixtures
AT_ONCE = 100
NO_LINK = (
    "The owner's link is not known of every release: somebody who knows a person's own class there may find "
    "more than these figures say."
)


def composition(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the first release, who holds the others too."""
    scenes = (scene, *scene.others)
    if scene.raw or len(scenes) == 1 or any(one.policy.averages for one in scenes):
        return
    known = list(dict.fromkeys(name for one in scenes for name in one.quasi))
    for attacker in attackers(scene.policy):
        releases = [ReleaseBoxes.of(one, attacker, known) for one in scenes]
        if not any(one.scene.policy.permutes for one in releases):
            yield from _people(releases)
            yield _records(releases)
        for name in scene.policy.having("sensitive"):
            if all(one.policy.columns.get(name) == "sensitive" for one in scenes):
                yield _values(releases, name)


@dataclass(frozen=True)
class _PlanOutcome:
    """Candidates that all releases leave together, and success, by one plan."""

    plan: Plan
    together: Ints
    success: Floats

    @classmethod
    def where(cls, right: Bools, plan: Plan, together: Ints, success: Floats) -> "_PlanOutcome":
        """An outcome in which people who are led to records that are surely not theirs are not found."""
        return cls(plan, np.where(right, together, 0), np.where(right, success, 0.0))

    def reading(self) -> CandidateReading:
        name = self.plan[0] if len(set(self.plan)) == 1 else " / ".join(self.plan)
        return CandidateReading(name, self.together, self.success)


def _result(
    releases: list[ReleaseBoxes],
    finds: Any,
    what: str,
    needed: int,
    people: Ints,
    alone: Ints,
    found: list[_PlanOutcome],
) -> AttackResult:
    """The first of ``found`` takes all that fit."""
    scene, (fitting, *others) = releases[0].scene, found
    several = any(has_overlap(one.fits.pairs(people)) for one in releases if not one.linked)
    return AttackResult(
        attack="composition",
        knows=f"{releases[0].knowledge}, holds {len(releases)} releases and compares {what}",
        finds=finds,
        needed=needed,
        promised=False,
        people=people,
        candidates=fitting.together,
        success=fitting.success,
        population=scene.people,
        figures={
            "compares": what,
            "releases": len(releases),
            "alone": round(float(alone.mean()), 4),
            "together": round(float(fitting.together.mean()), 4),
            "fewer": round(float((fitting.together < alone).mean()), 4),
        },
        notes=(NO_LINK,) if several else (),
        readings=tuple(one.reading() for one in others),
    )


def _plans(releases: list[ReleaseBoxes], people: Ints) -> list[Plan]:
    """All that fit and, where that says more: the narrowest everywhere, and the own class wherever it is
    known. Who shares the own classes is among those who share any other right boxes."""
    each = [available_readings(one, people) for one in releases]
    fitting: Plan = (ALL_FIT,) * len(each)
    narrow: Plan = tuple(NARROWEST if NARROWEST in known else ALL_FIT for known in each)
    owned = [tuple(OWN_CLASS if OWN_CLASS in known else rest for known, rest in zip(each, plan, strict=True))
             for plan in (fitting, narrow)]  # fmt: skip
    return list(dict.fromkeys([fitting, narrow, *owned]))


def _mixed_plans(releases: list[ReleaseBoxes], people: Ints) -> list[Plan]:
    """These, and every mixture of readings if there are not too many."""
    each = [available_readings(one, people) for one in releases]
    mixed = list(product(*each)) if np.prod([len(known) for known in each]) <= MOST_PLANS else []
    return list(dict.fromkeys([*_plans(releases, people), *mixed]))


def _record_plans(releases: list[ReleaseBoxes], people: Ints) -> list[Plan]:
    """Records are those of the first release: nothing leaves fewer of them than the own class there."""
    plans = _mixed_plans(releases, people)
    own = {OWN_CLASS} if releases[0].linked else {ALL_FIT, NARROWEST}
    return [plan for plan in plans if plan[0] in own or plan in plans[:2]]


def _value_plans(releases: list[ReleaseBoxes], people: Ints) -> list[Plan]:
    """Every mixture, and all by their volume."""
    return [*_mixed_plans(releases, people), (BY_VOLUME,) * len(releases)]


def _picked(releases: list[ReleaseBoxes], people: Ints, together: Ints) -> Floats:
    """The chance that picking one of the candidates at random is right; 0 for a person who is in no
    release."""
    absent = np.logical_and.reduce([one.scene.absent for one in releases])
    return np.where((together > 0) & ~absent[people], 1 / np.maximum(together, 1), 0.0)


def _people(releases: list[ReleaseBoxes]) -> Iterator[AttackResult]:
    scene = releases[0].scene
    everybody = np.arange(scene.people)
    if any(_too_many(one, scene) for one in releases):
        return
    fitting = [one.fits.pairs(everybody) for one in releases]
    people = scene.people_to_attack(FEW_PEOPLE) if any(has_overlap(one) for one in fitting) else everybody
    found: list[_PlanOutcome] = []
    alone = np.zeros(0, np.int64)
    for plan in _plans(releases, people):
        led = [fits if reading != OWN_CLASS else one.own_pairs(everybody)
               for reading, one, fits in zip(plan, releases, fitting, strict=True)]  # fmt: skip
        first, together, right = _sharing_people(releases, plan, led, people)
        alone = alone if found else first
        found.append(_PlanOutcome.where(right, plan, together, _picked(releases, people, together)))
    yield _result(releases, "record", "people", scene.k, people, alone, found)


def _too_many(release: ReleaseBoxes, scene: Scene) -> bool:
    """Would all people and the boxes that fit them be too many to write down?"""
    some = scene.people_to_attack(AT_ONCE)
    return len(release.fits.pairs(some)[0]) / max(len(some), 1) * scene.people > MOST_PAIRS


def _sharing_people(
    releases: list[ReleaseBoxes], plan: Plan, led: list[PersonBoxPairs], people: Ints
) -> tuple[Ints, Ints, Bools]:
    """For each of these people: how many share a box with them in the first release that has them, how many
    in all releases, and who is led right. ``led`` are the boxes of everybody; who takes the narrowest box
    takes all whom it fits.
    """
    if not any(has_overlap(one) for one in led):
        alone, together = _in_classes(led, releases[0].scene.people)
        return alone[people], together[people], np.ones(len(people), bool)
    targets = [one.pairs(reading, people) for one, reading in zip(releases, plan, strict=True)]
    right = [one.right(pairs, people) for one, pairs in zip(releases, targets, strict=True)]
    boxes = [len(one.fits.sizes) for one in releases]
    return *_sharing(led, targets, boxes, releases[0].scene.people, people), np.logical_and.reduce(right)


def _in_classes(pairs: list[PersonBoxPairs], people: int) -> tuple[Ints, Ints]:
    """Everybody fits one box at most: those in the same boxes everywhere, or left out with them."""
    own = [np.full(people, NOWHERE, np.int64) for _ in pairs]
    for box_of, (person, box) in zip(own, pairs, strict=True):
        box_of[person] = box
    alone = _first_found([np.where(box_of == NOWHERE, 0, np.bincount(box_of + 1)[box_of + 1])
                          for box_of in own])  # fmt: skip
    together = class_numbers(own)
    return alone, np.where(alone > 0, np.bincount(together)[together], 0)


def _first_found(counts: list[Ints]) -> Ints:
    """The candidates of every person in the first release that has any.

    >>> _first_found([np.array([3, 0, 0]), np.array([2, 5, 0])]).tolist()
    [3, 5, 0]
    """
    return np.select([count > 0 for count in counts], counts, 0)


def _sharing(
    pairs: list[PersonBoxPairs], targets: list[PersonBoxPairs], boxes: list[int], people: int, attacked: Ints
) -> tuple[Ints, Ints]:
    from scipy.sparse import csr_array

    def table(of: PersonBoxPairs, rows: int, many: int) -> Any:
        return csr_array((np.ones(len(of[0]), np.int32), of), (rows, many))

    fits = [table(one, people, many) for one, many in zip(pairs, boxes, strict=True)]
    led = [table(one, len(attacked), many) for one, many in zip(targets, boxes, strict=True)]
    alone, together = np.zeros(len(attacked), np.int64), np.zeros(len(attacked), np.int64)
    for start in range(0, len(attacked), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        each = [(own[part] @ one.T).astype(bool) for own, one in zip(led, fits, strict=True)]
        alone[part] = _first_found([_per_row(shared) for shared in each])
        shared, *others = (_or_absent(shared, fit, attacked[part])
                           for shared, fit in zip(each, fits, strict=True))  # fmt: skip
        for other in others:
            shared = shared.multiply(other)
        together[part] = np.where(alone[part] > 0, _per_row(shared), 0)
    return alone, together


def _per_row(table: Any) -> Ints:
    """How many entries each row of a sparse table has."""
    return np.asarray(np.diff(table.tocsr().indptr), np.int64)


def _or_absent(shared: Any, fits: Any, targets: Ints) -> Any:
    """Who fits no record of a release was left out of it, like all others who fit none."""
    absent = np.diff(fits.tocsr().indptr) == 0
    if not absent[targets].any():
        return shared
    from scipy.sparse import csr_array

    return shared + csr_array(np.outer(absent[targets], absent))


def _records(releases: list[ReleaseBoxes]) -> AttackResult:
    scene = releases[0].scene
    people = scene.people_to_attack(FEW_PEOPLE)
    meetings = _Meetings([one.scene for one in releases], {})
    found: list[_PlanOutcome] = []
    alone = np.zeros(0, np.int64)
    for plan in _record_plans(releases, people):
        led = [one.records(one.pairs(reading, people), len(people))
               for one, reading in zip(releases, plan, strict=True)]  # fmt: skip
        first, together, right = _meeting_records(releases, meetings, led, people)
        alone = alone if found else first
        found.append(_PlanOutcome.where(right, plan, together, _picked(releases, people, together)))
    return _result(releases, "record", "records", scene.k, people, alone, found)


def _meeting_records(
    releases: list[ReleaseBoxes], meetings: "_Meetings", led: list[list[Ints]], people: Ints
) -> tuple[Ints, Ints, Bools]:
    """For each person: the records that the first release with any leads to, those that every other release
    leaves of these, and whether their own is not ruled out, as far as that is known."""
    alone, together = np.zeros(len(people), np.int64), np.zeros(len(people), np.int64)
    right = np.ones(len(people), bool)
    for at, person in enumerate(people.tolist()):
        records = [each[at] for each in led]
        first = next((number for number, here in enumerate(records) if len(here)), None)
        if first is None:
            continue
        left, own = meetings.possible(first, records), releases[first].own_record[person]
        alone[at], together[at] = len(records[first]), len(left)
        right[at] = own == NOWHERE or own in left
    return alone, together, right


@dataclass(frozen=True)
class _Meetings:
    """Which records of one release may be of the same person as some of each other one."""

    scenes: list[Scene]
    known: dict[tuple[int, int], CompatibleRecords]

    def of(self, one: int, other: int) -> CompatibleRecords:
        if (one, other) not in self.known:
            self.known[one, other] = CompatibleRecords.of(self.scenes[one], self.scenes[other])
        return self.known[one, other]

    def possible(self, first: int, records: list[Ints]) -> Ints:
        """The records of a person in the first release that has any which are left by all others."""
        here = records[first]
        left = np.ones(len(here), bool)
        for number, there in enumerate(records):
            if number != first:
                meeting = self.of(first, number)
                left &= meeting.possible(here, there) if len(there) else meeting.unmet(here)
        return here[left]


def _values(releases: list[ReleaseBoxes], name: str) -> AttackResult:
    scene = releases[0].scene
    people = scene.people_to_attack(FEW_PEOPLE)
    numbered = [ValueCodes.of(one.scene, name) for one in releases]
    own, known = numbered[0].own[people], {}
    found: list[_PlanOutcome] = []
    alone = np.zeros(0, np.int64)
    for plan in _value_plans(releases, people):
        shares = []
        for at, reading in enumerate(plan):
            if (at, reading) not in known:
                values = numbered[at]
                known[at, reading] = releases[at].shares(reading, people, values.published, values.different)
            shares.append(known[at, reading])
        together, success = _shared_values(shares, own)
        alone = alone if found else _first_found([_per_row(one) for one in shares])
        found.append(
            _PlanOutcome(plan, together, np.where(_picked(releases, people, together) > 0, success, 0.0))
        )
    asked = promised_diversity(scene.policy, name) or 2
    return _result(releases, "value", f"values of {name}", asked, people, alone, found)


def _shared_values(shares: list[Any], own: Ints) -> tuple[Ints, Floats]:
    """How many values every release leaves open that has the person, none if theirs is not among them; and
    the share of theirs, each value counting as much as the release says that leaves it least."""
    shared, missed = shares[0], _nothing_open(shares[0])
    for other in shares[1:]:
        absent = _nothing_open(other)
        both = shared.minimum(other) + shared.multiply(absent) + other.multiply(missed)
        shared, missed = both.tocsr(), missed & absent
    shared.eliminate_zeros()
    theirs = np.asarray(shared[np.arange(len(own)), own]).ravel()
    total = np.asarray(shared.sum(axis=1)).ravel()
    return _per_row(shared) * (theirs > 0), theirs / np.where(total > 0, total, 1.0)


def _nothing_open(values: Any) -> Bools:
    """Who fits no record of a release learns nothing from it."""
    return np.asarray(np.diff(values.indptr) == 0)[:, np.newaxis]
