"""(k, p, q, r)-anonymity (Domingo-Ferrer, Sebé and Solanas, 2008): rare values stand among others.

The table is k-anonymous. A sensitive value is rare if its share of all records is below q. Every class with a
rare value of a column has at least p different values of it, and their variance is at least r times that of
the whole table. The variance is half the mean distance of two records, where values are apart

- number: by the square of their difference, dates in days;
- ordered: by the square of the difference of their ranks;
- equal: by 1;
- hierarchical: by the level of the lowest label above both / the highest level.

Everything is counted in whole numbers, so shares of exactly q and r are told from those a little beside.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.errors import ShoalError
from shoal.kernels.classes import class_numbers, one_of_each
from shoal.policy.model.guarantee import KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import days_from_arrow
from shoal.verify.attackers import Attacker, classes_of
from shoal.verify.cells.cell_codes import MISSING, STARRED, cell_codes
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.class_size_summary import ClassSizeSummary
from shoal.verify.cells.distances import are_numbers, label_groups, value_ranks
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.cells.spread import ClassValueCounts, LabelSpread, LineSpread
from shoal.verify.verdict import Verdict, times


@dataclass(frozen=True)
class KpqrAnonymityMeasure:
    """How large the classes are, how many have rare values, and the least that these have of each column."""

    sizes: ClassSizeSummary
    with_rare: int
    rare_records: int
    p: int | None
    r: Fraction | None

    def joined(self, other: "KpqrAnonymityMeasure") -> "KpqrAnonymityMeasure":
        return KpqrAnonymityMeasure(
            self.sizes.joined(other.sizes),
            self.with_rare + other.with_rare,
            self.rare_records + other.rare_records,
            _least_of([self.p, other.p]),
            _least_of([self.r, other.r]),
        )


def _least_of(found: Iterable[Any]) -> Any:
    return min((one for one in found if one is not None), default=None)


def measure_kpqr_anonymity(
    published: PublishedTable,
    asked: KpqrAnonymity,
    policy: Policy,
    attacker: Attacker,
    whole: Mapping[str, CellCounts],
) -> KpqrAnonymityMeasure:
    """Measure the classes that lie in this part; ``whole`` holds the values of the whole table."""
    if asked.distance == "number":
        for name in asked.columns:
            are_numbers(published, name) or published.table.points(name)  # says which rows are neither
    classes = classes_of(published, attacker, policy)
    columns = [_column(published, asked, policy, whole[name], classes) for name in asked.columns]
    with_rare = np.zeros(int(classes.max()) + 1, bool)
    rare = np.logical_or.reduce([column.rare for column in columns])
    with_rare[classes[rare]] = True
    return KpqrAnonymityMeasure(
        ClassSizeSummary.of(np.bincount(classes), asked.k),
        int(with_rare.sum()),
        int(rare.sum()),
        _least_of(column.p for column in columns),
        _least_of(column.r for column in columns),
    )


def verdict_kpqr_anonymity(asked: KpqrAnonymity, _policy: Policy, found: KpqrAnonymityMeasure) -> Verdict:
    """Judge by the smallest class and by variety and variance in classes with rare values."""
    k, p, r = found.sizes.least, found.p, found.r
    holds = k >= asked.k and (p is None or p >= asked.p) and (r is None or r >= Fraction(asked.r))
    return Verdict(
        kind=asked.kind,
        holds=holds,
        asked=asked.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True),
        achieved={
            "k": k,
            "p": p,
            "r": None if r is None else float(r),
            "classes": found.sizes.classes,
            "classes_with_rare": found.with_rare,
            "rare_records": found.rare_records,
        },
        sentence=_sentence(asked, k, p, r),
        worst=found.sizes.smallest,
    )


def _sentence(asked: KpqrAnonymity, k: int, p: int | None, r: Fraction | None) -> str:
    alike = (
        f"every combination of published quasi values is shared by at least {k:,} records"
        if k >= asked.k
        else f"the rarest combination of published quasi values occurs {times(k)}"
    )
    told, about = f"In this table {alike} ({asked.k:,} were asked for)", ", ".join(asked.columns)
    if p is None or r is None:
        return f"{told}, and no value of {about} is rare."
    enough, far = ("at least" if there else "only" for there in (p >= asked.p, r >= Fraction(asked.r)))
    return (
        f"{told}; where a value of {about} is rare, a class has {enough} {p:,} different ones "
        f"({asked.p:,} were asked for) and {far} {float(r):.4g} of the variance of the whole table "
        f"({float(asked.r):.4g} were asked for)."
    )


@dataclass(frozen=True)
class _Column:
    """Which records have a rare value of it, and the least that the classes of these have."""

    rare: Bools
    p: int | None = None
    r: Fraction | None = None


def _column(
    published: PublishedTable, asked: KpqrAnonymity, policy: Policy, whole: CellCounts, classes: Ints
) -> _Column:
    of_cell, measure = _values(whole, asked, policy)
    counts = np.zeros(int(of_cell.max()) + 1, np.int64)
    np.add.at(counts, of_cell, whole.counts)
    values = of_cell[whole.places(published)]
    rare = counts[values] < ceil(Fraction(asked.q) * whole.records)
    if not rare.any():
        return _Column(rare)
    with_rare = np.zeros(int(classes.max()) + 1, bool)
    with_rare[classes[rare]] = True
    there = with_rare[classes]
    tally = ClassValueCounts.of(class_numbers([classes[there]]), values[there])
    all_values = ClassValueCounts(np.zeros(len(counts), np.int64), np.arange(len(counts)), counts)
    least, all_of_them = (_least(measure.spread(part), part.sizes) for part in (tally, all_values))
    return _Column(rare, int(tally.different().min()), least / all_of_them)


def _least(spread: Ints, sizes: Ints) -> Fraction:
    """The least spread per pair. Those that are close to it as floats are compared exactly."""
    rough = spread.astype(np.float64) / sizes.astype(np.float64) ** 2
    near = np.flatnonzero(rough <= rough.min() * (1 + 1e-9))
    pairs = set(zip(spread[near].tolist(), sizes[near].tolist(), strict=True))
    return min(Fraction(apart, size**2) for apart, size in pairs)


def _values(whole: CellCounts, asked: KpqrAnonymity, policy: Policy) -> tuple[Ints, LineSpread | LabelSpread]:
    """A number per different value, from 0 on, and how far values are apart."""
    published, name = whole.published, whole.name
    distance = asked.distance or _distance(published, asked, name)
    starred = cell_codes(published, name).hidden == STARRED
    if starred.any():
        raise ShoalError(
            f"{int(whole.counts[starred].sum()):,} cells of {name!r} are suppressed, so nobody can tell "
            "which of its values are rare",
            "publish the column as it is, or leave these records out.",
        )
    if distance == "number":
        points = _points(whole, policy)
        values = class_numbers([points])
        return values, LineSpread(points[one_of_each(values)])
    if distance == "ordered":
        ranks = value_ranks(published, name, asked.order)
        return ranks.of_cell, LineSpread(np.arange(ranks.count))
    values = class_numbers([cell_codes(published, name).codes])
    if distance == "equal":
        return values, LabelSpread([np.arange(int(values.max()) + 1)])
    levels = label_groups(whole, policy, values)[0][:-1]
    leaves = class_numbers([levels[0][values]])
    first = values[one_of_each(leaves)]  # labels of the hierarchy may be one leaf in several words
    return leaves, LabelSpread([level[first] for level in levels])


def _distance(published: PublishedTable, asked: KpqrAnonymity, name: str) -> str:
    """The kind of distance of a column for which the policy names none."""
    if asked.order:
        return "ordered"
    there = cell_codes(published, name).hidden != MISSING
    on_a_line = are_numbers(published, name) or days_from_arrow(published.table.column(name)) is not None
    return "number" if there.any() and on_a_line else "equal"


def _points(whole: CellCounts, policy: Policy) -> Ints:
    published, name = whole.published, whole.name
    if are_numbers(published, name):
        cells = published.cells(name)
        points, missing = cells.low, cells.missing
    else:
        found = published.table.points(name)
        points, missing = found.units, found.missing
    if missing.any():
        raise ShoalError(
            f"{int(whole.counts[missing].sum()):,} cells of {name!r} are missing: no number says how far "
            "they are apart",
            f"say in [missing] that these records are suppressed: {policy.missing_line(name, 'suppress')}.",
        )
    return points
