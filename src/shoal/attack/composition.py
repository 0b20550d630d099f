"""Composition (Ganta et al., KDD 2008): several releases of the same people leave fewer candidates together.

- People: who shares a box with the person in every release? Nobody else can be confused with them.
- Records: those of the first release that fit the person, and have in every other release a record that fits
  too and may be of the same person: what both show as it is agrees, and ranges have a value in common.
- Numbered: the sensitive values that the person's records, or their group, leave open in every release.

No guarantee is about more than one release.
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
        success=scene.success(people, together),
        population=scene.people,
        figures={
            "compares": what,
            "releases": len(releases),
            "alone": round(float(alone.mean()), 4),
            "together": round(float(together.mean()), 4),
            "fewer": round(float((together < alone).mean()), 4),
        },
    )


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
    """Everybody fits one box at most: those in the same boxes everywhere."""
    own = [np.full(people, -1, np.int64) for _ in pairs]
    for box_of, (person, box) in zip(own, pairs, strict=True):
        box_of[person] = box
    together, alone = (
        class_numbers(own),
        class_numbers(own[:1]),
    )  # who was left out somewhere is so with others
    return (np.where(own[0] >= 0, np.bincount(alone)[alone], 0),
            np.where(own[0] >= 0, np.bincount(together)[together], 0))  # fmt: skip


def _sharing(
    pairs: list[tuple[Ints, Ints]], boxes: list[int], people: int, targets: Ints
) -> tuple[Ints, Ints]:
    from scipy.sparse import csr_array

    fits = [csr_array((np.ones(len(person), np.int32), (person, box)), (people, many))
            for (person, box), many in zip(pairs, boxes, strict=True)]  # fmt: skip
    alone, together = np.zeros(len(targets), np.int64), np.zeros(len(targets), np.int64)
    for start in range(0, len(targets), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        shared, *others = ((one[targets[part]] @ one.T).astype(bool) for one in fits)
        alone[part] = np.diff(shared.tocsr().indptr)
        for other, fit in zip(others, fits[1:], strict=True):
            shared = shared.multiply(_or_absent(other, fit, targets[part]))
        together[part] = np.diff(shared.tocsr().indptr)
    return alone, together


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
    meetings = [Meeting.of(scene, one.scene) for one in releases[1:]]
    alone, together = np.zeros(len(people), np.int64), np.zeros(len(people), np.int64)
    for at in range(len(people)):
        here = fitting[0][at]
        possible = np.ones(len(here), bool)
        for meeting, records in zip(meetings, fitting[1:], strict=True):
            possible &= meeting.possible(here, records[at]) if len(records[at]) else meeting.unmet(here)
        alone[at], together[at] = len(here), possible.sum()
    return _result(releases, "record", "records", scene.k, people, alone, together)


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
    shared = open_to[0]
    for other in open_to[1:]:
        shared = (shared.multiply(other) + shared.multiply(_nothing_open(other))).tocsr()
    own = Numbered.of(scene, name).own[people]
    there = np.asarray(shared[np.arange(len(people)), own]).ravel()
    alone, together = (np.diff(one.tocsr().indptr) for one in (open_to[0], shared))
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
