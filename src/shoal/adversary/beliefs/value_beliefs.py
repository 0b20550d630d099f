"""What attackers believe of a sensitive value: how often each one occurs among the records that fit.

Every attacker that the policy states leads a person to records. These lie in classes: records that show the
same, groups where sensitive values are permuted, or the nearest class where classes show means. A belief
counts the values of the classes and adds them up, for every record that fits as much as its class. Where
several classes fit, there are better readings than that: the narrowest class alone, every record weighed by
the volume of its cells, and the person's own class (`candidate_reading.py`). Whoever knows all quasi values
is played whatever the policy promises.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from shoal.adversary.attackers.aggregate import aggregate_matches
from shoal.adversary.attackers.linkage import AVERAGED, names_in_words, quasi_matches
from shoal.adversary.beliefs.sensitive_values import SensitiveValues, sensitive_values
from shoal.adversary.beliefs.sweep_line import SweepLine
from shoal.adversary.beliefs.value_shares import ValueShares
from shoal.adversary.candidate_reading import ALL_FIT, BY_VOLUME, NARROWEST, OWN_CLASS, CandidateReading
from shoal.adversary.matching.nearest_classes import affordable_people, nearest_classes
from shoal.adversary.matching.record_matches import RecordMatches
from shoal.adversary.scene import Scene
from shoal.arrays import Floats, Ints
from shoal.kernels.classes import one_of_each
from shoal.policy.model.guarantee import KAnonymity, KfAnonymity
from shoal.verify.attackers import Attacker, attackers, classes_of
from shoal.verify.cells.permutation_groups import permutation_groups

ALL_QUASI = KAnonymity(k=2)  # somebody who knows all quasi values, whatever k
MOST_VALUES = 20_000_000  # of people in a sweep
AT_ONCE = 5_000_000
Baselines = Mapping[str, float]  # of readings
NONE: Baselines = {}


@dataclass(frozen=True)
class AttackerView:
    """Where an attacker is led: ``row`` is, for each of ``people``, a row of ``spread`` (how much of each
    class fits, as a sparse table or as a sweep) or, without it, a class; -1 if no record fits. ``class_of``
    is that of every record."""

    knows: str
    people: Ints
    row: Ints
    class_of: Ints
    spread: Any = None
    notes: tuple[str, ...] = ()

    @cached_property
    def sizes(self) -> Ints:
        return np.bincount(self.class_of)


@dataclass(frozen=True)
class ValueBelief:
    """The values of one column that an attacker of a view is left with. ``stated``: the policy speaks of
    this attacker; ``others`` are better readings, by name."""

    view: AttackerView
    column: str
    values: SensitiveValues
    stated: bool = True
    others: tuple[tuple[str, "ValueBelief"], ...] = ()

    @property
    def knows(self) -> str:
        return f"{self.view.knows} and asks for their {self.column}"

    @property
    def in_own_class(self) -> bool:
        """Are its people the records themselves?"""
        return self.view.row is self.view.class_of

    @cached_property
    def own(self) -> Ints:
        return self.values.own[self.view.people]

    @cached_property
    def classes(self) -> Any:
        """How often each class has each value, as a sparse table; suppressed cells are not counted."""
        from scipy.sparse import csr_array

        told, width = self.values.published >= 0, max(self.values.number, 1)
        keys = self.view.class_of[told] * width + self.values.published[told]
        different, counts = np.unique(keys, return_counts=True)
        owner, value = np.divmod(different, width)
        number = len(self.view.sizes)
        starts = np.searchsorted(owner, np.arange(number + 1))
        return csr_array((counts.astype(np.float64), value, starts), shape=(number, width))

    def by_class(self) -> ValueShares:
        """The values of every class, without any people."""
        nobody = np.zeros(0, np.int64)
        return ValueShares.of(self.classes, self.view.sizes.astype(np.float64), nobody, nobody, nobody)

    def by_reading(self, measure: "Measure") -> dict[str, list[Floats]]:
        """The figures of every better reading; candidates come first, success second."""
        return {name: measure(belief) for name, belief in self.others}

    def readings(
        self, scene: Scene, possible: Ints, measured: dict[str, list[Floats]], baselines: Baselines = NONE
    ) -> tuple[CandidateReading, ...]:
        """Candidates and success by each of the better readings. What is weighed stays ``possible``: its
        candidates are those of all that fit."""
        found = []
        for name, belief in self.others:
            candidates, success = measured[name][0].astype(np.int64), np.minimum(measured[name][1], 1.0)
            if name == OWN_CLASS:
                ones = np.ones(len(candidates), np.int64)
                read = CandidateReading.with_absent(name, candidates, success, ones, scene.people)
            else:
                there = np.where(scene.absent[belief.view.people], 0.0, success)
                read = CandidateReading(name, possible if name == BY_VOLUME else candidates, there)
            if name in baselines:
                share = len(candidates) / max(read.people, 1)
                read = replace(read, baseline=baselines[name] * share)
            found.append(read)
        return tuple(found)

    def parts(self) -> Iterator[ValueShares]:
        """What people are left with, as many of them at a time as can be."""
        order = np.argsort(self.view.row, kind="stable")
        ordered = self.view.row[order]
        for first, last in self._stretches():
            places = order[slice(*np.searchsorted(ordered, [first, last]))]
            counts, sizes = self._value_counts(first, last)
            rows = self.view.row[places] - first
            yield ValueShares.of(
                counts, sizes, places, rows, self.own[places], self._records(first, last, sizes)
            )

    def _value_counts(self, first: int, last: int) -> tuple[Any, Floats]:
        """How often each value occurs in these rows, and how many records they have."""
        spread, sizes = self.view.spread, self.view.sizes.astype(np.float64)
        if spread is None:
            return self.classes[first:last], sizes[first:last]
        if isinstance(spread, SweepLine):
            from scipy.sparse import csr_array

            counts, total = spread.added(first, last, (self.classes, sizes))
            return csr_array(counts), total
        return spread[first:last] @ self.classes, spread[first:last] @ sizes

    def _records(self, first: int, last: int, sizes: Floats) -> Floats:
        """How many different records lie behind these rows; a record of a group stands for all of it."""
        spread = self.view.spread
        if spread is None or isinstance(spread, SweepLine):
            return sizes
        return np.asarray((spread[first:last] > 0) @ self.view.sizes.astype(np.float64))

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """Rows that together have not too many values."""
        spread, per_class = self.view.spread, np.diff(self.classes.indptr)
        if spread is None:
            most = per_class
        elif isinstance(spread, SweepLine):
            most = np.full(spread.rows, self.values.number)
        else:
            before = np.append(0, np.cumsum(per_class[spread.indices]))
            most = np.minimum(np.diff(before[spread.indptr]), self.values.number)
        until = np.cumsum(most)
        first = 0
        while first < len(most):
            so_far = int(until[first - 1]) if first else 0
            last = max(int(np.searchsorted(until, so_far + AT_ONCE, "right")), first + 1)
            yield first, last
            first = last

    def measured(self, measure: Callable[[ValueShares], tuple[Any, ...]], figures: int) -> list[Floats]:
        """Figures of every person; 0 for whom no record fits."""
        found = [np.zeros(len(self.view.people)) for _ in range(figures)]
        for part in self.parts():
            for all_of_it, here in zip(found, measure(part), strict=True):
                all_of_it[part.places] = here
        return found


Measure = Callable[[ValueBelief], list[Floats]]


def value_beliefs(scene: Scene) -> list[ValueBelief]:
    """Every attacker that the policy states and whoever knows all quasi values, on every sensitive column."""
    stated = attackers(scene.policy)
    knowing = stated if not all(isinstance(one, KfAnonymity) for one in stated) else [*stated, ALL_QUASI]
    return [
        _belief(scene, attacker, name, attacker in stated)
        for attacker in knowing
        for name in scene.policy.having("sensitive")
    ]


def _belief(scene: Scene, attacker: Attacker, name: str, stated: bool) -> ValueBelief:
    views = scene.once(("views", attacker), partial(_views, scene, attacker))
    values = sensitive_values(scene, name)
    others = [(reading, ValueBelief(view, name, values, stated)) for reading, view in views[1:]]
    exactly = not isinstance(attacker, KfAnonymity) or attacker.joint or attacker.within is None
    if exactly and not scene.raw:
        others.append((OWN_CLASS, _in_own_class(scene, attacker, name, views[0][1].knows, stated)))
    return ValueBelief(views[0][1], name, values, stated, tuple(others))


def _in_own_class(scene: Scene, attacker: Attacker, name: str, knows: str, stated: bool) -> ValueBelief:
    """Every record stands for its person, in its own class: who is behind which need not be known."""
    if isinstance(attacker, KfAnonymity):
        classes = attacker_matches(scene, attacker).box_of
    else:
        classes = classes_of(scene.published, attacker, scene.policy)
    view = AttackerView(knows, np.arange(len(classes)), classes, classes)
    return ValueBelief(view, name, values_of_records(sensitive_values(scene, name), view), stated)


def values_of_records(values: SensitiveValues, view: AttackerView) -> SensitiveValues:
    """The records as the people of their classes. A cell that is suppressed is taken for the most frequent
    value of its class."""
    own = values.published
    if (own < 0).any() and values.number:
        counted = ValueBelief(view, "", values).classes
        most = np.where(np.diff(counted.indptr) > 0, np.asarray(counted.argmax(axis=1)).ravel(), -1)
        own = np.where(own < 0, most[view.class_of], own)
    if values.points is None:
        return replace(values, own=own)
    missing = (own < 0) | (own >= len(values.points))
    points = np.append(values.points, values.points[:1])  # one is there, whatever it is
    points = points[np.where(missing, 0, own)] if len(points) else np.zeros(len(own), np.int64)
    return replace(values, own=own, own_points=points, own_missing=missing)


def _views(scene: Scene, attacker: Attacker) -> list[tuple[str, AttackerView]]:
    """All that fit and, where several classes fit some people, the narrowest and all by their volume."""
    fitting = _view(scene, attacker)
    overlapping = fitting.spread is not None and not scene.policy.averages and not scene.policy.permutes
    if not overlapping or scene.raw:
        return [(ALL_FIT, fitting)]
    fits = attacker_matches(scene, attacker)
    weights = np.exp(fits.volumes.min(initial=np.inf) - fits.volumes)
    if isinstance(fitting.spread, SweepLine):
        narrowest = fitting.spread.narrowest(fits.volumes)
        weighed: Any = replace(fitting.spread, weights=weights)
    else:
        narrowest = _narrowest(fitting.spread, fits.volumes)
        weighed = _weighted_by_volume(fitting.spread, fits.volumes)
    return [
        (ALL_FIT, fitting),
        (NARROWEST, replace(fitting, spread=narrowest)),
        (BY_VOLUME, replace(fitting, spread=weighed)),
    ]


def _weighted_by_volume(spread: Any, volumes: Floats) -> Any:
    """One over the volume of each class that fits, the narrowest of every row counting 1."""
    rows = np.repeat(np.arange(spread.shape[0]), np.diff(spread.indptr))
    least = np.full(spread.shape[0], np.inf)
    np.minimum.at(least, rows, volumes[spread.indices])
    weighed = spread.copy()
    weighed.data = np.exp(least[rows] - volumes[spread.indices])
    return weighed


def _narrowest(spread: Any, volumes: Floats) -> Any:
    """The classes of the least volume in every row."""
    found = _weighted_by_volume(spread, volumes)
    found.data = np.where(found.data == 1.0, 1.0, 0.0)
    found.eliminate_zeros()
    return found


def _view(scene: Scene, attacker: Attacker) -> AttackerView:
    knowing_sums = isinstance(attacker, KfAnonymity)
    knows = attacker.knowledge() if isinstance(attacker, KfAnonymity) else (
        f"{names_in_words(scene.quasi)} of a person"
    )  # fmt: skip
    if scene.policy.averages and not scene.raw and not knowing_sums:
        people = scene.people_to_attack(affordable_people(scene))
        class_of, person, near = nearest_classes(scene, people)
        return _joined(knows, people, class_of, person, near, (AVERAGED,))
    fits = attacker_matches(scene, attacker)
    people = fits.attacked(scene, one_by_one=True)
    if (swept := _swept(scene, fits)) > len(people):
        people = scene.people_to_attack(swept)
        spread, row = SweepLine.of(fits.axes[0], one_of_each(fits.box_of), people)
        return AttackerView(knows, people, row, fits.box_of, spread)
    person, box = fits.pairs(people)
    found = _joined(knows, people, fits.box_of, person, box)
    return (
        _by_group(found, permutation_groups(scene.published))
        if scene.policy.permutes and not scene.raw
        else found
    )


def attacker_matches(scene: Scene, attacker: Attacker) -> RecordMatches:
    """People and records by what an attacker of the policy knows, as exactly as it states."""
    if not isinstance(attacker, KfAnonymity):
        return quasi_matches(scene, scene.quasi)
    exactly = attacker.joint or attacker.within is None
    return aggregate_matches(scene, attacker, within=None if exactly else Fraction(str(attacker.within)))


def _swept(scene: Scene, fits: RecordMatches) -> int:
    """How many people can be counted in one sweep, which needs a single axis."""
    if len(fits.axes) != 1 or fits.axes[0].admits is not None or scene.policy.permutes:
        return 0
    widest = max(sensitive_values(scene, name).number for name in scene.policy.having("sensitive"))
    return min(scene.people, MOST_VALUES // max(widest, 1))


def _joined(
    knows: str, people: Ints, class_of: Ints, person: Ints, box: Ints, notes: tuple[str, ...] = ()
) -> AttackerView:
    """Who fits one class at most is led to it, the others to a row of all that fit."""
    row = np.full(len(people), -1, np.int64)
    if not np.any(person[1:] == person[:-1]):
        row[person] = box
        return AttackerView(knows, people, row, class_of, notes=notes)
    from scipy.sparse import csr_array

    row[person] = person
    shape = len(people), int(class_of.max()) + 1
    return AttackerView(
        knows, people, row, class_of, csr_array((np.ones(len(box)), (person, box)), shape), notes
    )


def _by_group(view: AttackerView, groups: Ints) -> AttackerView:
    """Who finds a record knows its group: every record that fits stands for all values of its group."""
    from scipy.sparse import csr_array

    share = 1 / np.bincount(groups)[groups]
    shape = len(view.sizes), int(groups.max()) + 1
    spread = csr_array((share, (view.class_of, groups)), shape)
    spread.sum_duplicates()
    if view.spread is not None:
        spread = (view.spread @ spread).tocsr()
    return AttackerView(view.knows, view.people, view.row, groups, spread, view.notes)
