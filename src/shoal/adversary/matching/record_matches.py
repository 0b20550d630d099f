"""Which published records fit what is known of a person.

Records that show the same on every axis are one box. Where all boxes are points, people and boxes are looked
up by what they show; on a single axis, people are counted between ends in order; few boxes are compared
with all people; else a tree of the people tells for every box which stretches of its order fit.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from shoal.adversary.matching.axes import LEAST, MOST, Axis
from shoal.adversary.matching.pairwise_aggregate import PairwiseAggregate
from shoal.adversary.scene import Scene
from shoal.arrays import Floats, Ints
from shoal.kernels.classes import class_numbers, in_order, one_of_each

COMPARED = 50_000_000  # pairs of boxes and people that are compared one by one
AT_ONCE = 4_000_000
PEOPLE_AT_ONCE = 2_000  # whose records are looked at closely
MOST_PAIRS = 20_000_000  # of people and the boxes that they fit
PROBED = 1_000
FEWEST = 5
ALIKE = 12  # digits in which volumes agree that count as equal


@dataclass(frozen=True)
class RecordMatches:
    """Records and people on common axes; none at all means that nothing is known and everybody fits.

    ``closer`` are looks at pairs of a person and a record, for what no axis can say.
    """

    axes: tuple[Axis, ...]
    records: int
    closer: tuple[PairwiseAggregate, ...] = ()

    @cached_property
    def box_of(self) -> Ints:
        """The box of every record, numbered from 0 on."""
        keys = []
        for axis in self.axes:
            shown = [axis.low] if np.array_equal(axis.low, axis.high) else [axis.low, axis.high]
            keys += shown if axis.label is None else [axis.label]
        keys += [key for look in self.closer for key in look.keys]
        return class_numbers([_small(key) for key in keys]) if keys else np.zeros(self.records, np.int64)

    @cached_property
    def exact(self) -> bool:
        """Does every record fit those alone who are as it shows?"""
        return not self.closer and all(axis.exact for axis in self.axes)

    def attacked(self, scene: Scene, most: int | None = None, one_by_one: bool = False) -> Ints:
        """The people to attack: all of them where they are counted at once, else as many as can be compared
        with the boxes. ``one_by_one``: their boxes are asked for, not the count."""
        if self.exact or (len(self.axes) == 1 and not one_by_one):
            return scene.people_to_attack(scene.people)
        limits = [self.affordable(scene), scene.most_people, scene.people if most is None else most]
        return scene.people_to_attack(max(min(limits), 1))

    def affordable(self, scene: Scene) -> int:
        """About how many people can be told all boxes that fit them. Judged by some people beside some boxes,
        and by few people beside all boxes: a few wide ones may fit everybody."""
        if self.exact:
            return scene.people
        random = np.random.default_rng(scene.drawing)
        boxes = len(self.sizes)
        few = min(max(AT_ONCE // boxes, FEWEST), PROBED)
        some = self._fitting_pairs(
            random.integers(0, scene.people, PROBED), random.integers(0, boxes, PROBED)
        )
        each = max(some * boxes / PROBED**2, self._fitting_pairs(random.integers(0, scene.people, few)) / few)
        return int(MOST_PAIRS / each)

    def _fitting_pairs(self, people: Ints, boxes: Ints | None = None) -> int:
        """How many pairs of these fit, and one more."""
        points = np.column_stack([axis.point[people] for axis in self._boxes])
        return len(_compared(self._boxes if boxes is None else _rows(self._boxes, boxes), points).box) + 1

    @cached_property
    def sizes(self) -> Ints:
        """How many records each box has."""
        return np.bincount(self.box_of)

    @cached_property
    def volumes(self) -> Floats:
        """The logarithm of how many values the cells of each box leave open; where that is not known of an
        axis it does not count."""
        shown = one_of_each(self.box_of)
        widths = [np.log(axis.width[shown]) for axis in self.axes if axis.width is not None]
        return np.asarray(np.round(np.sum([np.zeros(len(shown)), *widths], axis=0), ALIKE))

    @cached_property
    def _boxes(self) -> tuple[Axis, ...]:
        """The axes with one row per box."""
        return _rows(self.axes, one_of_each(self.box_of))

    def counts(self, people: Ints) -> Ints:
        """How many records fit each of these people."""
        if not self.axes:
            return np.full(len(people), self.records)
        if self.closer:
            return self._counted_closely(people)
        if len(self.axes) == 1 and self.axes[0].admits is None:
            return _range_matches(self.axes[0], people)
        if self.exact:
            box = self._box_of_people(people)
            return np.where(box < 0, 0, self.sizes[box])
        runs = self._runs(people)
        added = np.zeros(len(people) + 1, np.int64)
        np.add.at(added, runs.first, self.sizes[runs.box])
        np.subtract.at(added, runs.last, self.sizes[runs.box])
        counts = np.empty(len(people), np.int64)
        counts[runs.order] = np.cumsum(added[:-1])
        return counts

    def people_per_box(self, copies: Ints) -> Ints:
        """How many people fit each box, where every row of people stands for so many of them."""
        people = np.arange(len(copies))
        if self.exact:
            box = self._box_of_people(people)
            found = box >= 0
            return _summed(box[found], copies[found], len(self.sizes))
        runs = self._runs(people)
        before = np.append(0, np.cumsum(copies[runs.order]))
        return _summed(runs.box, before[runs.last] - before[runs.first], len(self.sizes))

    def _counted_closely(self, people: Ints) -> Ints:
        counts = np.zeros(len(people), np.int64)
        for start in range(0, len(people), PEOPLE_AT_ONCE):
            person, box = self.pairs(people[start : start + PEOPLE_AT_ONCE])
            np.add.at(counts, person + start, self.sizes[box])
        return counts

    def pairs(self, people: Ints) -> tuple[Ints, Ints]:
        """Everybody who fits a box, person by person: places in ``people``, and boxes."""
        person, box = self._pairs(people)
        for look in self.closer:
            fits = look.fits(people[person], one_of_each(self.box_of)[box])
            person, box = person[fits], box[fits]
        return person, box

    def _pairs(self, people: Ints) -> tuple[Ints, Ints]:
        if not self.axes:
            return np.arange(len(people)), np.zeros(len(people), np.int64)
        if all(axis.exact for axis in self.axes):
            box = self._box_of_people(people)
            found = np.flatnonzero(box >= 0)
            return found, box[found]
        runs = self._runs(people)
        lengths = runs.last - runs.first
        person = runs.order[numbers_in_runs(runs.first, lengths)]
        by_person = np.argsort(person, kind="stable")
        return person[by_person], np.repeat(runs.box, lengths)[by_person]

    def _box_of_people(self, people: Ints) -> Ints:
        """The one box that shows the same as each person; -1 if there is none."""
        if all(axis.low is axis.point for axis in self.axes):  # people and records are one
            return np.asarray(self.box_of[people])
        boxes = len(self.sizes)
        keys = [np.concatenate([axis.low, axis.point[people]]) for axis in self._boxes]
        number = class_numbers([_small(key) for key in keys])
        box = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
        box[number[:boxes]] = np.arange(boxes)
        return np.asarray(box[number[boxes:]])

    def _runs(self, people: Ints) -> "BoxRuns":
        points = np.column_stack([axis.point[people] for axis in self._boxes])
        if len(people) * len(self.sizes) <= COMPARED:
            return _compared(self._boxes, points)
        from shoal.adversary.matching.people_tree import runs_in_tree

        return BoxRuns(*runs_in_tree(self._boxes, points))


@dataclass(frozen=True)
class BoxRuns:
    """Box by box, the stretches ``first .. last - 1`` of an order of the people who fit it."""

    order: Ints
    box: Ints
    first: Ints
    last: Ints


def _summed(numbers: Ints, amounts: Ints, length: int) -> Ints:
    """The amounts of every number, in whole numbers."""
    found = np.zeros(length, np.int64)
    np.add.at(found, numbers, amounts)
    return found


def _rows(axes: tuple[Axis, ...], rows: Ints) -> tuple[Axis, ...]:
    """The axes with these records alone."""
    return tuple(
        Axis(axis.low[rows], axis.high[rows], axis.point,
             None if axis.label is None else axis.label[rows], axis.admits,
             None if axis.width is None else axis.width[rows])
        for axis in axes
    )  # fmt: skip


def _range_matches(axis: Axis, people: Ints) -> Ints:
    """Ranges that have begun less those that have ended; people in order are looked up fastest."""
    points = axis.point if len(people) == len(axis.point) else axis.point[people]
    if axis.low is axis.high is points:
        return _alike(points)
    order, _ = in_order(points)
    counts = np.empty(len(points), np.int64)
    ordered = points[order]
    with ThreadPoolExecutor() as pool:
        begun = pool.submit(_passed, axis.low, ordered, "right")
        ended = pool.submit(_passed, axis.high, ordered, "left")
        counts[order] = begun.result() - ended.result()
    return counts


def _alike(points: Ints) -> Ints:
    """How many show the same as each of them, where people and records are one."""
    order, places = in_order(points)
    starts = np.flatnonzero(np.append(True, places[1:] != places[:-1])[: len(places)])
    lengths = np.diff(np.append(starts, len(places)))
    counts = np.empty(len(points), np.int64)
    counts[order] = np.repeat(lengths, lengths)
    return counts


def _passed(ends: Ints, points: Ints, side: Literal["left", "right"]) -> Ints:
    return np.searchsorted(np.sort(ends), points, side)


def _compared(boxes: tuple[Axis, ...], points: Ints) -> BoxRuns:
    """Everybody with every box."""
    number = len(boxes[0].low)
    found: list[tuple[Ints, Ints]] = []
    at_once = max(AT_ONCE // max(len(points), 1), 1)
    for start in range(0, number, at_once):
        part = slice(start, start + at_once)
        fits = np.ones((len(boxes[0].low[part]), len(points)), bool)
        for at, axis in enumerate(boxes):
            value = points[:, at]
            if axis.admits is not None and axis.label is not None:
                fits &= axis.admits[axis.label[part]][:, value]
            else:
                fits &= (axis.low[part, np.newaxis] <= value) & (value <= axis.high[part, np.newaxis])
        own, person = np.nonzero(fits)
        found.append((own + start, person))
    box = np.concatenate([own for own, _ in found])
    person = np.concatenate([person for _, person in found])
    return BoxRuns(np.arange(len(points)), box, person, person + 1)


def numbers_in_runs(first: Ints, lengths: Ints) -> Ints:
    """first, first + 1, ... of each stretch, one behind the other."""
    offsets = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(first, lengths) + offsets


def _small(key: Ints) -> Ints:
    """Ends that stand for no end would be far from all other numbers; beside these they are."""
    bounded = key[(key != LEAST) & (key != MOST)]
    if len(bounded) == len(key):
        return key
    bottom, top = (int(bounded.min()), int(bounded.max())) if len(bounded) else (0, 0)
    if bottom <= LEAST + 1 or top >= MOST - 1:
        return np.unique(key, return_inverse=True)[1].astype(np.int64)
    return np.where(key == LEAST, bottom - 1, np.where(key == MOST, top + 1, key))
