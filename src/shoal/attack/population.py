"""How many people of a population each published class admits.

Cells that stand for one value are looked up at once. For the others the people behind the cell that admits
fewest are gone through. A cell that cannot be read admits nobody, so that no risk is taken for too small.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Fault, ShoalError, nearest
from shoal.policy.policy import Policy
from shoal.table.categories import stripped
from shoal.table.table import Table
from shoal.verify.bayes_optimal import COUNT
from shoal.verify.cells import BadCells, Cells, Published
from shoal.verify.classes import class_numbers, one_of_each
from shoal.verify.image import Image, aligned
from shoal.verify.originals import true_words
from shoal.verify.sets import words_of

Ints = NDArray[np.int64]
MOST_LOOKED_AT = 2_000_000_000  # people, over all classes, before the question is too costly
Below = dict[str | None, set[str | None]]


@dataclass(frozen=True)
class _Column:
    """The values of a population are numbered; a cell admits some that lie together, or a list of them."""

    people: Ints  # of everybody: the number of the value
    cells: Ints  # of every class: the number of the cell
    first: Ints  # of every cell
    width: Ints
    lists: dict[int, Ints]

    def of_people(self, people: Ints) -> "_Column":
        return _Column(self.people[people], self.cells, self.first, self.width, self.lists)

    @cached_property
    def order(self) -> Ints:
        """Everybody, by value."""
        return np.argsort(self.people, kind="stable")

    @cached_property
    def start(self) -> Ints:
        """Where the people with each value begin, once in order."""
        lists = max((int(codes.max()) + 1 for codes in self.lists.values()), default=0)
        values = max(int((self.first + self.width).max(initial=0)), lists)
        return np.append(0, np.cumsum(np.bincount(self.people, minlength=values)))

    def fitting(self, number: int) -> int:
        """How many different people the cell of a class admits."""
        cell = int(self.cells[number])
        if (codes := self.lists.get(cell)) is not None:
            return int((self.start[codes + 1] - self.start[codes]).sum())
        first = self.first[cell]
        return int(self.start[first + self.width[cell]] - self.start[first])

    def members(self, number: int) -> Ints:
        """Those people."""
        cell = int(self.cells[number])
        if (codes := self.lists.get(cell)) is not None:
            parts = [self.order[self.start[code] : self.start[code + 1]] for code in codes.tolist()]
            return np.concatenate(parts)
        first = self.first[cell]
        return self.order[self.start[first] : self.start[first + self.width[cell]]]

    def among(self, number: int, people: Ints) -> Ints:
        """Those of some people."""
        cell, values = int(self.cells[number]), self.people[people]
        if (codes := self.lists.get(cell)) is not None:
            return people[np.isin(values, codes)]
        first = self.first[cell]
        return np.asarray(people[(values >= first) & (values < first + self.width[cell])])


def people_per_class(published: Published, classes: Ints, population: Table, policy: Policy) -> Ints:
    """For every class, in the order of their numbers, how many people of the population it may stand for."""
    quasi = policy.having("quasi")
    if absent := [name for name in quasi if name not in population.names]:
        raise ShoalError(
            [
                Fault(f"the population has no column {one!r}", nearest(one, population.names, "it"))
                for one in absent
            ]
        )
    shown, people = one_of_each(classes), Published(population)
    columns = [_column(published, shown, people, policy, name) for name in quasi]
    number = class_numbers([column.people for column in columns])
    copies = np.bincount(number, weights=_copies(population, quasi)).astype(np.int64)
    kinds = [column.of_people(one_of_each(number)) for column in columns]
    return _counted(kinds, copies, len(shown))


def head_count(population: Table, policy: Policy) -> int:
    """How many people the rows of a population stand for."""
    return int(_copies(population, policy.having("quasi")).sum())


def _copies(population: Table, quasi: list[str]) -> Any:
    """A column named count says how many people a row stands for."""
    if COUNT not in population.names or COUNT in quasi:
        return np.ones(len(population))
    numbers = population.numbers(COUNT)
    if numbers.scale or numbers.missing.any() or (numbers.units < 0).any():
        what = f"column {COUNT!r} of the population is to be whole numbers that are not negative"
        raise ShoalError(what, "give another name to a column that does not count people.")
    return numbers.units


def _column(published: Published, shown: Ints, people: Published, policy: Policy, name: str) -> _Column:
    below = _leaves_below(people, policy, name)
    labels = published.table.words(name) if _is_plain(published, name) else None
    all_labels = labels is not None and below and all(stripped(word) in below for word in labels.words)
    if not all_labels and (found := _as_numbers(published, shown, people, policy, name)) is not None:
        return found
    if labels is None:
        raise ShoalError(
            f"column {name!r} of the population holds no plain numbers, the published one does",
            "give the column of the population as it was before the release.",
        )
    values = true_words(people, policy, name)
    place: dict[str | None, list[int]] = {}
    for code, word in enumerate(values.words):
        place.setdefault(stripped(word), []).append(code)
    admitted = [_codes(below.get(stripped(word)) or words_of(word), place) for word in labels.words]
    return _Column(
        people=values.codes.astype(np.int64),
        cells=labels.codes[shown].astype(np.int64),
        first=np.array([codes[0] if len(codes) else 0 for codes in admitted], np.int64),
        width=np.array([len(codes) for codes in admitted], np.int64),
        lists={at: codes for at, codes in enumerate(admitted) if _scattered(codes)},
    )


def _is_plain(published: Published, name: str) -> bool:
    try:
        published.table.encoded(name)
    except ShoalError:  # ranges as structs
        return False
    return True


def _codes(words: set[str | None] | None, place: dict[str | None, list[int]]) -> Ints:
    wanted = place if words is None else {stripped(word) for word in words}
    return np.array(sorted(code for word in wanted for code in place.get(word, [])), np.int64)


def _scattered(codes: Ints) -> bool:
    """Do they not lie together?"""
    return len(codes) > 0 and codes[-1] - codes[0] + 1 != len(codes)


def _leaves_below(people: Published, policy: Policy, name: str) -> Below:
    """What each label of a hierarchy stands for in the population."""
    below: Below = {}
    if name not in policy.hierarchies:
        return below
    try:
        hierarchy = policy.hierarchies[name].over(true_words(people, policy, name), name)
    except ShoalError:  # values of the population that the hierarchy has no labels for
        return below
    for level in hierarchy.levels:
        for leaf, group in zip(hierarchy.leaves, level.group_of.tolist(), strict=True):
            below.setdefault(level.labels[group], set()).add(leaf)
    return below


def _as_numbers(
    published: Published, shown: Ints, people: Published, policy: Policy, name: str
) -> _Column | None:
    """A column of numbers and ranges of them, if the population has plain numbers; missing comes last."""
    try:
        cells, truth = published.cells(name), people.cells(name)
    except BadCells:
        return None
    if truth.suppressed.any() or not np.array_equal(truth.low, truth.high):
        return None
    ranges, points = aligned(_image(cells), _image(truth))
    values = np.unique(points.low)
    first = np.searchsorted(values, ranges.low[shown], "left")
    width = np.searchsorted(values, ranges.high[shown], "right") - first
    missing, suppressed = cells.missing[shown], cells.suppressed[shown]
    first = np.where(missing, len(values), np.where(suppressed, 0, first))
    width = np.where(missing, 1, np.where(suppressed, len(values) + 1, width))
    codes = np.searchsorted(values, points.low)  # a missing one is 0 there
    if policy.missing.get(name) != "zero":
        codes = np.where(truth.missing, len(values), codes)
    return _Column(codes, np.arange(len(shown)), first, width, {})


def _image(cells: Cells) -> Image:
    return Image(cells.low, cells.high, Fraction(1, 10**cells.scale))


def _counted(columns: list[_Column], copies: Ints, classes: int) -> Ints:
    exact = np.ones(classes, bool)
    for column in columns:
        exact &= column.width[column.cells] == 1
    found = np.zeros(classes, np.int64)
    found[exact] = _looked_up(columns, copies, np.flatnonzero(exact))
    looked_at = 0
    for number in np.flatnonzero(~exact).tolist():
        fitting = [column.fitting(number) for column in columns]
        first = int(np.argmin(fitting))
        looked_at += fitting[first]
        if looked_at > MOST_LOOKED_AT:
            raise ShoalError(
                "counting the population behind every class is too costly", "give its size only."
            )
        people = columns[first].members(number)
        for column in columns[:first] + columns[first + 1 :]:
            people = column.among(number, people)
        found[number] = copies[people].sum()
    return found


def _looked_up(columns: list[_Column], copies: Ints, classes: Ints) -> Ints:
    """Classes whose cells stand for one value each."""
    keys = [np.concatenate([column.people, column.first[column.cells[classes]]]) for column in columns]
    number = class_numbers(keys)
    people = np.bincount(number[: len(copies)], weights=copies, minlength=int(number.max(initial=0)) + 1)
    return np.asarray(people[number[len(copies) :]].astype(np.int64))
