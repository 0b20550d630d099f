"""What attackers believe of a sensitive value: how often each one occurs among the records that fit.

Every attacker that the policy states leads a person to records. These lie in classes: records that show the
same, groups where sensitive values are permuted, or the nearest class where classes show means. A belief
counts the values of the classes and adds them up, for every record that fits as much as its class.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attack.aggregate import aggregate_fits
from shoal.attack.fits import Fits
from shoal.attack.linkage import AVERAGED, listed, quasi_fits
from shoal.attack.nearest import affordable, nearest_classes
from shoal.attack.scene import Scene
from shoal.attack.sensitive import Values, values_of
from shoal.attack.shares import Shares
from shoal.attack.sweep import Sweep
from shoal.policy.guarantee import KfAnonymity
from shoal.verify.attackers import Attacker, attackers
from shoal.verify.classes import one_of_each
from shoal.verify.groups import groups_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_VALUES = 20_000_000  # of people in a sweep
AT_ONCE = 5_000_000


@dataclass(frozen=True)
class View:
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
class Belief:
    """The values of one column that an attacker of a view is left with."""

    view: View
    column: str
    values: Values

    @property
    def knows(self) -> str:
        return f"{self.view.knows} and asks for their {self.column}"

    @cached_property
    def own(self) -> Ints:
        return self.values.own[self.view.people]

    @cached_property
    def classes(self) -> Any:
        """How often each class has each value, as a sparse table; suppressed cells are not counted."""
        from scipy.sparse import csr_array

        told, width = self.values.shown >= 0, max(self.values.number, 1)
        keys = self.view.class_of[told] * width + self.values.shown[told]
        different, counts = np.unique(keys, return_counts=True)
        owner, value = np.divmod(different, width)
        number = len(self.view.sizes)
        starts = np.searchsorted(owner, np.arange(number + 1))
        return csr_array((counts.astype(np.float64), value, starts), shape=(number, width))

    def by_class(self) -> Shares:
        """The values of every class, without any people."""
        nobody = np.zeros(0, np.int64)
        return Shares.of(self.classes, self.view.sizes.astype(np.float64), nobody, nobody, nobody)

    def parts(self) -> Iterator[Shares]:
        """What people are left with, as many of them at a time as can be."""
        order = np.argsort(self.view.row, kind="stable")
        ordered = self.view.row[order]
        for first, last in self._stretches():
            places = order[slice(*np.searchsorted(ordered, [first, last]))]
            counts, sizes = self._counted(first, last)
            rows = self.view.row[places] - first
            yield Shares.of(counts, sizes, places, rows, self.own[places], self._records(first, last, sizes))

    def _counted(self, first: int, last: int) -> tuple[Any, Floats]:
        """How often each value occurs in these rows, and how many records they have."""
        spread, sizes = self.view.spread, self.view.sizes.astype(np.float64)
        if spread is None:
            return self.classes[first:last], sizes[first:last]
        if isinstance(spread, Sweep):
            from scipy.sparse import csr_array

            counts, total = spread.added(first, last, (self.classes, sizes))
            return csr_array(counts), total
        return spread[first:last] @ self.classes, spread[first:last] @ sizes

    def _records(self, first: int, last: int, sizes: Floats) -> Floats:
        """How many different records lie behind these rows; a record of a group stands for all of it."""
        spread = self.view.spread
        if spread is None or isinstance(spread, Sweep):
            return sizes
        return np.asarray((spread[first:last] > 0) @ self.view.sizes.astype(np.float64))

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """Rows that together have not too many values."""
        spread, per_class = self.view.spread, np.diff(self.classes.indptr)
        if spread is None:
            most = per_class
        elif isinstance(spread, Sweep):
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

    def measured(self, measure: Callable[[Shares], tuple[Any, ...]], figures: int) -> list[Floats]:
        """Figures of every person; 0 for whom no record fits."""
        found = [np.zeros(len(self.view.people)) for _ in range(figures)]
        for part in self.parts():
            for all_of_it, here in zip(found, measure(part), strict=True):
                all_of_it[part.places] = here
        return found


def beliefs(scene: Scene) -> list[Belief]:
    """Every attacker that the policy states, on every sensitive column."""
    return [
        Belief(scene.once(("view", attacker), partial(_view, scene, attacker)), name, values_of(scene, name))
        for attacker in attackers(scene.policy)
        for name in scene.policy.having("sensitive")
    ]


def _view(scene: Scene, attacker: Attacker) -> View:
    knowing_sums = isinstance(attacker, KfAnonymity)
    knows = attacker.knowledge() if isinstance(attacker, KfAnonymity) else (
        f"{listed(scene.quasi)} of a person"
    )  # fmt: skip
    if scene.policy.averages and not scene.raw and not knowing_sums:
        people = scene.drawn(affordable(scene))
        class_of, person, near = nearest_classes(scene, people)
        return _joined(knows, people, class_of, person, near, (AVERAGED,))
    fits = fits_of(scene, attacker)
    people = fits.attacked(scene, one_by_one=True)
    if (swept := _swept(scene, fits)) > len(people):
        people = scene.drawn(swept)
        spread, row = Sweep.of(fits.axes[0], one_of_each(fits.box_of), people)
        return View(knows, people, row, fits.box_of, spread)
    person, box = fits.pairs(people)
    found = _joined(knows, people, fits.box_of, person, box)
    return _by_group(found, groups_of(scene.published)) if scene.policy.permutes and not scene.raw else found


def fits_of(scene: Scene, attacker: Attacker) -> Fits:
    """People and records by what an attacker of the policy knows, as exactly as it states."""
    if not isinstance(attacker, KfAnonymity):
        return quasi_fits(scene, scene.quasi)
    exactly = attacker.joint or attacker.within is None
    return aggregate_fits(scene, attacker, within=None if exactly else Fraction(str(attacker.within)))


def _swept(scene: Scene, fits: Fits) -> int:
    """How many people can be counted in one sweep, which needs a single axis."""
    if len(fits.axes) != 1 or fits.axes[0].admits is not None or scene.policy.permutes:
        return 0
    widest = max(values_of(scene, name).number for name in scene.policy.having("sensitive"))
    return min(scene.people, MOST_VALUES // max(widest, 1))


def _joined(
    knows: str, people: Ints, class_of: Ints, person: Ints, box: Ints, notes: tuple[str, ...] = ()
) -> View:
    """Who fits one class at most is led to it, the others to a row of all that fit."""
    row = np.full(len(people), -1, np.int64)
    if not np.any(person[1:] == person[:-1]):
        row[person] = box
        return View(knows, people, row, class_of, notes=notes)
    from scipy.sparse import csr_array

    row[person] = person
    shape = len(people), int(class_of.max()) + 1
    return View(knows, people, row, class_of, csr_array((np.ones(len(box)), (person, box)), shape), notes)


def _by_group(view: View, groups: Ints) -> View:
    """Who finds a record knows its group: every record that fits stands for all values of its group."""
    from scipy.sparse import csr_array

    share = 1 / np.bincount(groups)[groups]
    shape = len(view.sizes), int(groups.max()) + 1
    spread = csr_array((share, (view.class_of, groups)), shape)
    spread.sum_duplicates()
    if view.spread is not None:
        spread = (view.spread @ spread).tocsr()
    return View(view.knows, view.people, view.row, groups, spread, view.notes)
