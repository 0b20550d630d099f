"""One of several releases that an attacker holds: the boxes that each person is led to, by every reading.

All that fit, the narrowest of these, or the box of the person's own record. The last is known of everybody
where the owner's link of the release is at hand; without it, the narrowest is taken to be the right one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.adversary.attackers.aggregate import aggregate_matches
from shoal.adversary.attackers.linkage import quasi_matches
from shoal.adversary.candidate_reading import ALL_FIT, BY_VOLUME, NARROWEST, OWN_CLASS
from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats, Ints
from shoal.policy.model.guarantee import KfAnonymity
from shoal.verify.attackers import Attacker
from shoal.verify.cells.permutation_groups import permutation_groups

PersonBoxPairs = tuple[Ints, Ints]  # places of people, person by person, and the boxes that they are led to
NOWHERE = -1  # the record of somebody who was left out


@dataclass(frozen=True)
class ReleaseBoxes:
    """A release, and what the attacker knows that fits its records."""

    scene: Scene
    attacker: Attacker
    fits: RecordMatches

    @classmethod
    def of(cls, scene: Scene, attacker: Attacker, quasi: list[str]) -> "ReleaseBoxes":
        """What the attacker knows of a person (all that is quasi in any release, or an aggregate) is looked
        for in every release, whatever it is there; what a release does not show cannot be."""
        shown = _columns_of_person(scene)
        if not isinstance(attacker, KfAnonymity):
            return cls(scene, attacker, quasi_matches(scene, [name for name in quasi if name in shown]))
        if {*attacker.columns, *attacker.also} <= shown:
            return cls(scene, attacker, aggregate_matches(scene, attacker))
        return cls(scene, attacker, quasi_matches(scene, [name for name in attacker.also if name in shown]))

    @property
    def knowledge(self) -> str:
        if isinstance(self.attacker, KfAnonymity):
            return f"{self.attacker.model_copy(update={'within': None}).knowledge()}, exactly"
        return "all quasi values of a person"

    @property
    def linked(self) -> bool:
        """Is the record of every person known?"""
        return self.scene.input_rows is not None

    @cached_property
    def own_record(self) -> Ints:
        """The record of every person; nowhere for those left out, and for all without the owner's link."""
        own = np.full(self.scene.people, NOWHERE, np.int64)
        if self.scene.input_rows is not None:
            own[self.scene.input_rows] = np.arange(len(self.scene.input_rows))
        return own

    def own_pairs(self, people: Ints) -> PersonBoxPairs:
        """Everybody who is in the release, and the box of their record."""
        own = self.own_record[people]
        found = np.flatnonzero(own != NOWHERE)
        return found, self.fits.box_of[own[found]]

    def narrowest(self, pairs: PersonBoxPairs, people: int) -> PersonBoxPairs:
        """For each person, those of the boxes that fit which leave the fewest values open."""
        person, box = pairs
        least = np.full(people, np.inf)
        np.minimum.at(least, person, self.fits.volumes[box])
        narrow = self.fits.volumes[box] == least[person]
        return person[narrow], box[narrow]

    def pairs(self, reading: str, people: Ints) -> PersonBoxPairs:
        """People and the boxes that a reading leads them to."""
        if reading == OWN_CLASS:
            return self.own_pairs(people)
        fitting = self.fits.pairs(people)
        return self.narrowest(fitting, len(people)) if reading == NARROWEST else fitting

    def right(self, pairs: PersonBoxPairs, people: Ints) -> Bools:
        """Whether people are led to the box of their own record, or have none in this release, as far as that
        is known."""
        own = self.own_record[people]
        right = np.asarray(own == NOWHERE)
        person, box = pairs
        right[person[self.fits.box_of[own[person]] == box]] = True
        return right

    def records(self, pairs: PersonBoxPairs, people: int) -> list[Ints]:
        """The records in the boxes of each person."""
        by_box = np.split(np.argsort(self.fits.box_of, kind="stable"), np.cumsum(self.fits.sizes)[:-1])
        person, box = pairs
        boxes = np.split(box, np.searchsorted(person, np.arange(1, people)))
        return [np.concatenate([by_box[one] for one in own]) if len(own) else own for own in boxes]

    def shares(self, reading: str, people: Ints, values: Ints, different: int) -> Any:
        """Person by value: the share of each value among the records of a reading or, where sensitive values
        are permuted, in the groups of these; ``values`` number the value of every record, -1 for none."""
        known = np.flatnonzero(values >= 0)
        if not self.scene.policy.permutes:
            person, box = self.pairs(reading, people)
            weights = np.ones(len(box)) if reading != BY_VOLUME else self._weights(person, box, len(people))
            spread = _sparse(person, box, (len(people), len(self.fits.sizes)), weights)
            return _in_parts(spread @ _sparse(self.fits.box_of[known], values[known],
                                              (len(self.fits.sizes), different)))  # fmt: skip
        groups = permutation_groups(self.scene.published)
        many = int(groups.max()) + 1
        if reading == OWN_CLASS:
            own = self.own_record[people]
            person = np.flatnonzero(own != NOWHERE)
            spread = _sparse(person, groups[own[person]], (len(people), many))
        else:
            person, box = self.pairs(reading, people)
            spread = _sparse(person, box, (len(people), len(self.fits.sizes)))
            each = 1 / np.bincount(groups)[groups]  # a record stands for all values of its group
            spread = spread @ _sparse(self.fits.box_of, groups, (len(self.fits.sizes), many), each)
        return _in_parts(spread @ _sparse(groups[known], values[known], (many, different)))

    def _weights(self, person: Ints, box: Ints, people: int) -> Floats:
        """One over the number of values that each box leaves open; 1 for the narrowest of every person."""
        volumes = self.fits.volumes[box]
        least = np.full(people, np.inf)
        np.minimum.at(least, person, volumes)
        return np.asarray(np.exp(least[person] - volumes))


def has_overlap(pairs: PersonBoxPairs) -> bool:
    """Do several boxes fit somebody?"""
    return bool(np.any(pairs[0][1:] == pairs[0][:-1]))


def available_readings(release: ReleaseBoxes, people: Ints) -> list[str]:
    """All that fit, and what may tell more than that."""
    several = has_overlap(release.fits.pairs(people))
    return [ALL_FIT, *([NARROWEST] if several else []), *([OWN_CLASS] if release.linked else [])]


def _columns_of_person(scene: Scene) -> set[str]:
    """The columns whose cells are about the person of their record."""
    hidden = scene.policy.having("sensitive") if scene.policy.permutes else []
    return set(scene.published.table.names) - set(hidden)


def _sparse(rows: Ints, columns: Ints, shape: tuple[int, int], data: Floats | None = None) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(rows)) if data is None else data, (rows, columns)), shape)


def _in_parts(counts: Any) -> Any:
    """Every row as shares of its sum; rows of nothing stay so."""
    from scipy.sparse import diags_array

    total = np.asarray(counts.sum(axis=1)).ravel()
    return (diags_array(1 / np.where(total > 0, total, 1.0)) @ counts).tocsr()
