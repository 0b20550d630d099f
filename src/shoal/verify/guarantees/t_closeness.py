"""t-closeness (Li, Li, Venkatasubramanian, ICDE 2007): a class is spread like the published table.

The distance is the least work that turns one distribution into the other (earth mover's), where moving
a share from value to value costs

- equal: 1;
- ordered: the difference of their ranks / (number of values - 1), of an order all values that it declares;
- hierarchical: the level of the lowest label above both / the highest level.

Everything is counted in whole numbers: shares of class and table are brought to one denominator, so a
distance of exactly t is told from one a little above. A suppressed sensitive cell may be any value, so
it counts as one that is a full step away from all others, twice.

If an aggregate is known only up to a share (centred), a class is the set of records that fit what the
attacker may hold, as for l-diversity. Such sets are made of classes of equal image, and unions of close
classes are close, so they are looked at only where some class is too far.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.kernels.classes import class_numbers, counts_by_class
from shoal.policy.model.guarantee import TCloseness
from shoal.policy.model.policy import Policy
from shoal.verify.attackers import Attacker, classes_of, stricter_notes
from shoal.verify.cells.cell_codes import STARRED, cell_codes
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.distances import Ranks, label_groups, value_ranks
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.candidate_sets import CandidateSets
from shoal.verify.verdict import Verdict


@dataclass(frozen=True)
class _Sweep(CandidateSets):
    """Sets beside the values of the whole table, and how far these are apart."""

    measure: "_Measure"
    whole: Ints

    def farthest(self) -> Fraction:
        """The largest distance of a set of candidates."""
        stars = np.zeros(0, np.int64)
        return max(_farthest_of(counts, stars, self.measure, self.whole) for counts in self.counts())


@dataclass(frozen=True)
class _Farthest:
    """The largest distance of a class of one attacker."""

    figure: Fraction
    sweep: _Sweep | None

    def joined(self, other: "_Farthest") -> "_Farthest":
        sweep = self.sweep.joined(other.sweep) if self.sweep and other.sweep else None
        return _Farthest(max(self.figure, other.figure), sweep)


@dataclass(frozen=True)
class TClosenessMeasure:
    """The largest distance of a class of every attacker from the whole table, stars of the table aside, and
    how many of its records have one."""

    by_attacker: Mapping[Attacker, _Farthest]
    hidden: int
    records: int

    def joined(self, other: "TClosenessMeasure") -> "TClosenessMeasure":
        both = dict(self.by_attacker)
        for attacker, farthest in other.by_attacker.items():
            both[attacker] = both[attacker].joined(farthest) if attacker in both else farthest
        return TClosenessMeasure(both, self.hidden + other.hidden, self.records + other.records)

    def farthest(self, allowed: Fraction) -> Fraction:
        """The largest distance of what any attacker may hold."""
        starred = Fraction(self.hidden, self.records)
        return max(_largest_distance(one, allowed - starred) for one in self.by_attacker.values()) + starred


def _largest_distance(found: _Farthest, allowed: Fraction) -> Fraction:
    return found.figure if found.figure <= allowed or found.sweep is None else found.sweep.farthest()


def measure_t_closeness(
    published: PublishedTable,
    asked: TCloseness,
    policy: Policy,
    attacker: Attacker,
    whole: Mapping[str, CellCounts],
) -> TClosenessMeasure:
    """Measure the classes of an attacker that lie in this part; ``whole`` holds the values of the whole
    table."""
    cells = whole[asked.sensitive]
    ranks, hidden = _values(cells, asked)
    values = ranks.of_cell
    measure = _measure(cells, asked, policy, ranks)
    counts = np.zeros(ranks.count, np.int64)
    np.add.at(counts, values, cells.counts)
    places = cells.places(published)
    starred = hidden[places]
    farthest = _farthest(classes_of(published, attacker, policy), values[places], starred, measure, counts)
    sweep = _Sweep.of(published, attacker, policy, values[places], starred, measure, counts)
    return TClosenessMeasure({attacker: _Farthest(farthest, sweep)}, int(starred.sum()), len(published))


def verdict_t_closeness(asked: TCloseness, _policy: Policy, found: TClosenessMeasure) -> Verdict:
    """Judge by the class whose sensitive values are farthest from those of the table."""
    farthest = min(found.farthest(Fraction(asked.t)), Fraction(1))
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
        notes=()
        if holds
        else stricter_notes((one, bool(far.sweep)) for one, far in found.by_attacker.items()),
    )


def _values(whole: CellCounts, asked: TCloseness) -> tuple[Ranks, Bools]:
    """A number per different value, in order where values have one; and which cells are suppressed."""
    cells = cell_codes(whole.published, asked.sensitive)
    hidden = cells.hidden == STARRED
    if asked.distance != "ordered":
        return Ranks.among(cells.codes), hidden
    return value_ranks(whole.published, asked.sensitive, asked.order), hidden


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


def _measure(whole: CellCounts, asked: TCloseness, policy: Policy, ranks: Ranks) -> _Measure:
    if asked.distance == "equal":
        return _Measure()
    if asked.distance == "ordered":
        return _Ordered(ranks.count)
    groups, sizes = label_groups(whole, policy, ranks.of_cell)
    return _Hierarchical(groups, sizes)


def _farthest(classes: Ints, values: Ints, hidden: Bools, measure: _Measure, whole: Ints) -> Fraction:
    """The largest distance of a class from all records together."""
    stars = np.bincount(class_numbers([classes]), hidden).astype(np.int64)
    farthest, at = Fraction(0), 0
    for counts in counts_by_class(classes, values, len(whole)):
        farthest = max(farthest, _farthest_of(counts, stars[at : at + len(counts)], measure, whole))
        at += len(counts)
    return farthest


def _farthest_of(counts: Ints, stars: Ints, measure: _Measure, whole: Ints) -> Fraction:
    """The largest distance of sets of records, given how often each has every value, and stars if any."""
    rows, sizes, farthest = int(whole.sum()), counts.sum(axis=1), Fraction(0)
    starred = stars if len(stars) else np.zeros(len(counts), np.int64)
    exact = object if rows * int(sizes.max()) > 2**62 // (2 * max(len(whole), measure.per)) else np.int64
    surplus = counts.astype(exact) * rows - whole * sizes[:, np.newaxis].astype(exact)
    work = measure.work(surplus)
    for place in _largest(work / (sizes * float(measure.per * rows)) + starred / sizes):
        distance = Fraction(int(work[place]), measure.per * int(sizes[place]) * rows)
        farthest = max(farthest, distance + Fraction(int(starred[place]), int(sizes[place])))
    return farthest


def _largest(figures: Any) -> Iterator[int]:
    """Places of figures that may be the largest, up to rounding."""
    figures = figures.astype(np.float64)
    yield from np.flatnonzero(figures >= figures.max() * (1 - 1e-9)).tolist()
