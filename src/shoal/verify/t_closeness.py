"""t-closeness (Li, Li, Venkatasubramanian, ICDE 2007): a class is spread like the published table.

The distance is the least work that turns one distribution into the other (earth mover's), where moving
a share from value to value costs

- equal: 1;
- ordered: the difference of their ranks / (number of values - 1);
- hierarchical: the level of the lowest label above both / the highest level.

Everything is counted in whole numbers: shares of class and table are brought to one denominator, so a
distance of exactly t is told from one a little above. A suppressed sensitive cell may be any value, so
it counts as one that is a full step away from all others, twice.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.policy.guarantee import TCloseness
from shoal.policy.policy import Policy
from shoal.verify.attackers import Attacker, attackers, classes_of
from shoal.verify.cells import Published
from shoal.verify.classes import class_numbers, counts_by_class
from shoal.verify.comparable import comparable
from shoal.verify.distances import label_groups, ranked
from shoal.verify.distinct import Distinct
from shoal.verify.verdict import Verdict

Ints = NDArray[np.int64]
STARRED = 1


@dataclass(frozen=True)
class Closeness:
    """The largest distance of a class from the whole table, stars of the table aside, and how many of its
    records have one."""

    farthest: Fraction
    hidden: int
    records: int

    def joined(self, other: "Closeness") -> "Closeness":
        records = self.records + other.records
        return Closeness(max(self.farthest, other.farthest), self.hidden + other.hidden, records)


def verify_t_closeness(published: Published, asked: TCloseness, policy: Policy) -> Verdict:
    whole = {asked.sensitive: Distinct.of(published, asked.sensitive)}
    found = [measure_t_closeness(published, asked, policy, one, whole) for one in attackers(policy)]
    return verdict_t_closeness(asked, policy, reduce(Closeness.joined, found))


def measure_t_closeness(
    published: Published, asked: TCloseness, policy: Policy, attacker: Attacker, whole: Mapping[str, Distinct]
) -> Closeness:
    """Of the classes of an attacker that lie in this part; ``whole`` holds the values of the whole table."""
    cells = whole[asked.sensitive]
    values, hidden = _values(cells, asked)
    measure = _measure(cells, asked, policy, values)
    counts = np.zeros(int(values.max()) + 1, np.int64)
    np.add.at(counts, values, cells.counts)
    places = cells.places(published)
    starred = hidden[places]
    farthest = _farthest(classes_of(published, attacker, policy), values[places], starred, measure, counts)
    return Closeness(farthest, int(starred.sum()), len(published))


def verdict_t_closeness(asked: TCloseness, _policy: Policy, found: Closeness) -> Verdict:
    farthest = min(found.farthest + Fraction(found.hidden, found.records), Fraction(1))
    holds = farthest <= Fraction(asked.t)
    return Verdict(
        kind=asked.kind,
        holds=holds,
        asked=asked.model_dump(mode="json", exclude={"kind", "order"}),
        achieved={"t": float(farthest)},
        sentence=(
            f"In this table the values of {asked.sensitive} in a class are at a distance ({asked.distance}) "
            f"of {'at most ' if holds else 'up to '}{float(farthest):.4g} from those of the whole table "
            f"({float(asked.t):.4g} were allowed)."
        ),
    )


def _values(whole: Distinct, asked: TCloseness) -> tuple[Ints, NDArray[np.bool_]]:
    """A number per different value, in order where values have one; and which cells are suppressed."""
    cells = comparable(whole.published, asked.sensitive)
    hidden = cells.hidden == STARRED
    if asked.distance != "ordered":
        return class_numbers([cells.codes]), hidden
    return ranked(whole.published, asked.sensitive, asked.order), hidden


class _Measure:
    """Distances of rows of whole numbers that add up to 0, in units of one over ``per``."""

    per: int = 2

    def work(self, surplus: Any) -> Any:
        """All alike: half of all that is too much or too little."""
        return np.abs(surplus).sum(axis=1)


class _Ordered(_Measure):
    def __init__(self, values: int) -> None:
        self.per = max(values - 1, 1)

    def work(self, surplus: Any) -> Any:
        """What has to cross each step between neighbours."""
        return np.abs(np.cumsum(surplus, axis=1)).sum(axis=1)


class _Hierarchical(_Measure):
    def __init__(self, groups: list[Ints], sizes: list[int]) -> None:
        self.groups, self.sizes, self.per = groups, sizes, len(groups) - 1

    def work(self, surplus: Any) -> Any:
        """At every label, what its parts can exchange among themselves is moved as high as the label is."""
        total = np.zeros(len(surplus), surplus.dtype)
        for level in range(1, len(self.groups)):
            below = np.zeros((len(surplus), self.sizes[level - 1]), surplus.dtype)
            np.add.at(below.T, self.groups[level - 1], surplus.T)
            parent = np.zeros(self.sizes[level - 1], np.int64)
            parent[self.groups[level - 1]] = self.groups[level]
            over, under = (
                np.zeros((len(surplus), self.sizes[level]), surplus.dtype) for _ in ("too much", "too little")
            )
            np.add.at(over.T, parent, np.maximum(below, 0).T)
            np.add.at(under.T, parent, np.maximum(-below, 0).T)
            total += level * np.minimum(over, under).sum(axis=1)
        return total


def _measure(whole: Distinct, asked: TCloseness, policy: Policy, values: Ints) -> _Measure:
    if asked.distance == "equal":
        return _Measure()
    if asked.distance == "ordered":
        return _Ordered(int(values.max()) + 1)
    groups, sizes = label_groups(whole, policy, values)
    return _Hierarchical(groups, sizes)


def _farthest(
    classes: Ints, values: Ints, hidden: NDArray[np.bool_], measure: _Measure, whole: Ints
) -> Fraction:
    """The largest distance of a class from all records together."""
    rows = int(whole.sum())
    stars = np.bincount(class_numbers([classes]), hidden).astype(np.int64)
    farthest, at = Fraction(0), 0
    for counts in counts_by_class(classes, values, len(whole)):
        sizes = counts.sum(axis=1)
        exact = object if rows * int(sizes.max()) > 2**62 // (2 * max(len(whole), measure.per)) else np.int64
        surplus = counts.astype(exact) * rows - whole * sizes[:, np.newaxis].astype(exact)
        work = measure.work(surplus)
        starred = stars[at : at + len(counts)]
        for place in _largest(work / (sizes * float(measure.per * rows)) + starred / sizes):
            distance = Fraction(int(work[place]), measure.per * int(sizes[place]) * rows)
            farthest = max(farthest, distance + Fraction(int(starred[place]), int(sizes[place])))
        at += len(counts)
    return farthest


def _largest(figures: Any) -> Iterator[int]:
    """Places of figures that may be the largest, up to rounding."""
    figures = figures.astype(np.float64)
    yield from np.flatnonzero(figures >= figures.max() * (1 - 1e-9)).tolist()
