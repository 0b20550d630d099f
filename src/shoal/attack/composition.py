"""Composition (Ganta et al., KDD 2008): several releases of the same people leave fewer candidates together.

- People: who shares a box with the person in every release? Nobody else can be confused with them.
- Records: those that fit the person in the first release that has any, and have in every other release a
  record that fits too and may be of the same person: what both show as it is agrees, and ranges have a value
  in common.
- Values: the sensitive values that the person's records, or their group, leave open in every release.

Who was left out of a release fits no record of it, which the attacker sees. They are looked for in the
releases that they are in, be it the first one or not, among those who were left out of the same ones. Nobody
is found who is in no release. No guarantee is about more than one release.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attack.aggregate import aggregate_fits
from shoal.attack.fits import Fits
from shoal.attack.linkage import quasi_fits
from shoal.attack.meet import Meeting
from shoal.attack.numbered import Numbered
from shoal.attack.result import AttackResult
from shoal.attack.scene import Scene
from shoal.attack.sensitive import values_asked
from shoal.policy.guarantee import KfAnonymity
from shoal.verify.attackers import Attacker, attackers
from shoal.verify.classes import class_numbers
from shoal.verify.groups import groups_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
NOWHERE = -1  # the box of somebody who was left out
FEW_PEOPLE = 2_000  # who are attacked one by one
MOST_PAIRS = 20_000_000  # of people and boxes
AT_ONCE = 100


@dataclass(frozen=True)
class Release:
    """One of the releases, and what the attacker knows that fits its records."""

    scene: Scene
    attacker: Attacker
    fits: Fits

    @classmethod
    def of(cls, scene: Scene, attacker: Attacker, quasi: list[str]) -> "Release":
        """What the attacker knows of a person (all that is quasi in any release, or an aggregate) is looked
        for in every release, whatever it is there; what a release does not show cannot be."""
        shown = _shown(scene)
        if not isinstance(attacker, KfAnonymity):
            return cls(scene, attacker, quasi_fits(scene, [name for name in quasi if name in shown]))
        if {*attacker.columns, *attacker.also} <= shown:
            return cls(scene, attacker, aggregate_fits(scene, attacker))
        return cls(scene, attacker, quasi_fits(scene, [name for name in attacker.also if name in shown]))

    @property
    def knowledge(self) -> str:
        if isinstance(self.attacker, KfAnonymity):
            return f"{self.attacker.model_copy(update={'within': None}).knowledge()}, exactly"
        return "all quasi values of a person"


def composition(scene: Scene) -> Iterator[AttackResult]:
    """Every attacker of the first release, who holds the others too."""
    scenes = (scene, *scene.others)
    if scene.raw or len(scenes) == 1 or any(one.policy.averages for one in scenes):
        return
    known = list(dict.fromkeys(name for one in scenes for name in one.quasi))
    for attacker in attackers(scene.policy):
        releases = [Release.of(one, attacker, known) for one in scenes]
        if not any(one.scene.policy.permutes for one in releases):
            yield from _people(releases)
            yield _records(releases)
        for name in scene.policy.having("sensitive"):
            if all(one.policy.columns.get(name) == "sensitive" for one in scenes):
                yield _values(releases, name)


def _shown(scene: Scene) -> set[str]:
    """The columns whose cells are about the person of their record."""
    hidden = scene.policy.having("sensitive") if scene.policy.permutes else []
    return set(scene.published.table.names) - set(hidden)


def _result(
    releases: list[Release], finds: Any, what: str, needed: int, people: Ints, alone: Ints, together: Ints
) -> AttackResult:
    scene = releases[0].scene
    return AttackResult(
        attack="composition",
        knows=f"{releases[0].knowledge}, holds {len(releases)} releases and compares {what}",
        finds=finds,
        needed=needed,
        promised=False,
        people=people,
        candidates=together,
        success=_success(releases, people, together),
        population=scene.people,
        figures={
            "compares": what,
            "releases": len(releases),
            "alone": round(float(alone.mean()), 4),
            "together": round(float(together.mean()), 4),
            "fewer": round(float((together < alone).mean()), 4),
        },
    )


def _success(releases: list[Release], people: Ints, together: Ints) -> Floats:
    """Who picks one of the candidates at random, unless the person is in no release."""
    absent = np.logical_and.reduce([one.scene.absent for one in releases])
    return np.where((together > 0) & ~absent[people], 1 / np.maximum(together, 1), 0.0)


def _people(releases: list[Release]) -> Iterator[AttackResult]:
    scene = releases[0].scene
    everybody = np.arange(scene.people)
    if any(_too_many(one, scene) for one in releases):
        return
    pairs = [one.fits.pairs(everybody) for one in releases]
    if all(np.all(np.diff(person) > 0) for person, _ in pairs):
        people, alone, together = everybody, *_in_classes(pairs, scene.people)
    else:
        people = scene.drawn(FEW_PEOPLE)
        alone, together = _sharing(pairs, [len(one.fits.sizes) for one in releases], scene.people, people)
    yield _result(releases, "record", "people", scene.k, people, alone, together)


def _too_many(release: Release, scene: Scene) -> bool:
    """Would all people and the boxes that fit them be too many to write down?"""
    some = scene.drawn(AT_ONCE)
    return len(release.fits.pairs(some)[0]) / max(len(some), 1) * scene.people > MOST_PAIRS


def _in_classes(pairs: list[tuple[Ints, Ints]], people: int) -> tuple[Ints, Ints]:
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
    pairs: list[tuple[Ints, Ints]], boxes: list[int], people: int, targets: Ints
) -> tuple[Ints, Ints]:
    from scipy.sparse import csr_array

    fits = [csr_array((np.ones(len(person), np.int32), (person, box)), (people, many))
            for (person, box), many in zip(pairs, boxes, strict=True)]  # fmt: skip
    alone, together = np.zeros(len(targets), np.int64), np.zeros(len(targets), np.int64)
    for start in range(0, len(targets), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        each = [(one[targets[part]] @ one.T).astype(bool) for one in fits]
        alone[part] = _first_found([_per_row(shared) for shared in each])
        shared, *others = (_or_absent(shared, fit, targets[part])
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


def _records(releases: list[Release]) -> AttackResult:
    scene = releases[0].scene
    people = scene.drawn(FEW_PEOPLE)
    fitting = [_fitting(one.fits, people) for one in releases]
    alone, together = np.zeros(len(people), np.int64), np.zeros(len(people), np.int64)
    meetings = _Meetings([one.scene for one in releases], {})
    for at in range(len(people)):
        records = [own[at] for own in fitting]
        first = next((number for number, own in enumerate(records) if len(own)), None)
        if first is not None:
            alone[at], together[at] = len(records[first]), meetings.possible(first, records)
    return _result(releases, "record", "records", scene.k, people, alone, together)


@dataclass(frozen=True)
class _Meetings:
    """Which records of one release may be of the same person as some of each other one."""

    scenes: list[Scene]
    known: dict[tuple[int, int], Meeting]

    def of(self, one: int, other: int) -> Meeting:
        if (one, other) not in self.known:
            self.known[one, other] = Meeting.of(self.scenes[one], self.scenes[other])
        return self.known[one, other]

    def possible(self, first: int, records: list[Ints]) -> int:
        """How many of a person's records in the first release that has any are left by all others."""
        here = records[first]
        left = np.ones(len(here), bool)
        for number, there in enumerate(records):
            if number != first:
                meeting = self.of(first, number)
                left &= meeting.possible(here, there) if len(there) else meeting.unmet(here)
        return int(left.sum())


def _fitting(fits: Fits, people: Ints) -> list[Ints]:
    """The records that fit each person."""
    by_box = np.split(np.argsort(fits.box_of, kind="stable"), np.cumsum(fits.sizes)[:-1])
    person, box = fits.pairs(people)
    boxes = np.split(box, np.searchsorted(person, np.arange(1, len(people))))
    return [np.concatenate([by_box[one] for one in own]) if len(own) else own for own in boxes]


def _values(releases: list[Release], name: str) -> AttackResult:
    scene = releases[0].scene
    people = scene.drawn(FEW_PEOPLE)
    open_to = [_open_values(one, name, people) for one in releases]
    shared, missed = open_to[0], _nothing_open(open_to[0])
    for other in open_to[1:]:
        absent = _nothing_open(other)
        both = shared.multiply(other) + shared.multiply(absent) + other.multiply(missed)
        shared, missed = both.tocsr(), missed & absent
    own = Numbered.of(scene, name).own[people]
    there = np.asarray(shared[np.arange(len(people)), own]).ravel()
    alone, together = _first_found([_per_row(one) for one in open_to]), _per_row(shared)
    return _result(
        releases,
        "value",
        f"values of {name}",
        values_asked(scene.policy, name) or 2,
        people,
        alone,
        together * there,
    )


def _nothing_open(values: Any) -> NDArray[np.bool_]:
    """Who fits no record of a release learns nothing from it."""
    return np.asarray(np.diff(values.indptr) == 0)[:, np.newaxis]


def _open_values(release: Release, name: str, people: Ints) -> Any:
    """Person by value: which values the records that fit leave open; of a permuted release, their groups."""
    from scipy.sparse import csr_array

    def table(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Any:
        return csr_array((np.ones(len(rows), np.int32), (rows, columns)), shape)

    scene, fits = release.scene, release.fits
    values = Numbered.of(scene, name)
    shown = np.flatnonzero(values.shown >= 0)
    person, box = fits.pairs(people)
    boxes = table(person, box, (len(people), len(fits.sizes)))
    group = groups_of(scene.published) if scene.policy.permutes else fits.box_of
    groups = int(group.max()) + 1
    if scene.policy.permutes:
        boxes = boxes @ table(fits.box_of, group, (len(fits.sizes), groups))
    return (boxes @ table(group[shown], values.shown[shown], (groups, values.different))).astype(bool).tocsr()
