"""l-diversity (Machanavajjhala et al., ICDE 2006): a class does not give its sensitive values away.

For a class with counts r1 >= r2 >= ... >= rm of the sensitive values:

- distinct: m >= l;
- entropy: the entropy of the shares is at least log l;
- recursive (c, l): r1 < c (r_l + ... + r_m); with l = 1 it always holds;
- pd-recursive (c, l): with y the rank of the most frequent value whose disclosure is not fine,
  r_y < c (r_l + ... + r_m) if y < l, else r_y < c (r_(l-1) + ... + r_m - r_y); without such a value it holds;
- npd-recursive (c, c2, l): and every protected value makes up at least c2 percent of the class.

A suppressed sensitive cell may be any value, so it adds no different one and counts for the most frequent.

A class is what each attacker of the policy can separate: identical published quasi cells, or the same
image of what is known. If an aggregate is known only up to a share, a class is the set of records that
fit what the attacker may hold.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.kernels.classes import class_numbers, counts_by_class
from shoal.policy.model.guarantee import KfAnonymity, LDiversity
from shoal.policy.model.policy import Policy
from shoal.table.columns.categories import Categories
from shoal.table.columns.same_value import value_of
from shoal.verify.aggregate.image import TOLERANCE
from shoal.verify.attackers import Attacker, attackers, classes_of, stricter_notes
from shoal.verify.cells.cell_codes import MISSING, STARRED, cell_codes
from shoal.verify.cells.cell_counts import CellCounts
from shoal.verify.cells.published_table import PublishedTable
from shoal.verify.guarantees.candidate_sets import CandidateSets
from shoal.verify.guarantees.kf_anonymity import has_centred_band
from shoal.verify.verdict import Verdict

NOTHING = -1


@dataclass(frozen=True)
class _Marks:
    """Which values may be known, and which must not be ruled out."""

    allowed: Bools
    protected: Bools
    absent: bool  # a protected value is ruled out by the whole table

    @classmethod
    def none(cls) -> "_Marks":
        return cls(np.zeros(0, bool), np.zeros(0, bool), absent=False)

    @classmethod
    def of(cls, asked: LDiversity, column: Categories, values: Ints) -> "_Marks":
        """A value is listed however it is spelt: 1.0 is 1."""
        number_of = np.zeros(len(column.words), np.int64)
        number_of[column.codes] = values
        marks = np.zeros((2, int(values.max()) + 1), bool)
        allowed, protected = (set(map(value_of, listed)) for listed in (asked.allowed, asked.protected))
        for mark, listed in zip(marks, (allowed, protected), strict=True):
            mark[number_of[[at for at, word in enumerate(column.words) if word in listed]]] = True
        return cls(marks[0], marks[1], absent=not protected <= set(column.words))


@dataclass(frozen=True)
class _Sweep(CandidateSets):
    """Sets, and the marks of their values."""

    marks: _Marks

    def worst(self, asked: LDiversity) -> float:
        worst_of = max if _is_recursive(asked) else min
        return float(worst_of(worst_of(_figures(asked, counts, self.marks)) for counts in self.counts()))


@dataclass(frozen=True)
class _Worst:
    """The figure of the least diverse class, and how many people are in classes of which one value alone is
    known."""

    figure: float
    sweep: _Sweep | None
    one_known: int

    def joined(self, other: "_Worst", asked: LDiversity) -> "_Worst":
        figure = min(self.figure, other.figure, key=lambda value: _distance(asked, value))
        sweep = self.sweep and other.sweep and self.sweep.joined(other.sweep)
        return _Worst(figure, sweep, self.one_known + other.one_known)


@dataclass(frozen=True)
class LDiversityMeasure:
    """What was found of every attacker and sensitive column."""

    asked: LDiversity
    by_attacker: Mapping[tuple[Attacker, str], _Worst]

    def joined(self, other: "LDiversityMeasure") -> "LDiversityMeasure":
        both = dict(self.by_attacker)
        for key, worst in other.by_attacker.items():
            both[key] = both[key].joined(worst, self.asked) if key in both else worst
        return LDiversityMeasure(self.asked, both)


def needs_values(asked: LDiversity, policy: Policy) -> bool:
    """Does a part have to know all values of the table: those that are listed, or that any range may meet?"""
    ranges = any(isinstance(one, KfAnonymity) and has_centred_band(one) for one in attackers(policy))
    alone = any(not policy.known_beside(asked, name) for name in asked.columns)
    return _has_lists(asked) or (ranges and alone)


def measure_l_diversity(
    published: PublishedTable,
    asked: LDiversity,
    policy: Policy,
    attacker: Attacker,
    whole: Mapping[str, CellCounts],
) -> LDiversityMeasure:
    """Measure the classes of an attacker that lie in this part; ``whole`` holds the values of the whole table
    for whoever needs them."""
    return LDiversityMeasure(
        asked,
        {
            (attacker, name): _measured(published, asked, policy, attacker, name, whole.get(name))
            for name in asked.columns
        },
    )


def verdict_l_diversity(asked: LDiversity, policy: Policy, found: LDiversityMeasure) -> Verdict:
    """Judge by the class of any attacker that is worst by the measure asked for."""
    figures = [_least_figure(asked, worst) for worst in found.by_attacker.values()]
    worst = min(figures, key=lambda value: _distance(asked, value))
    holds = _holds(asked, worst)
    figure = "c" if _is_recursive(asked) else "l"
    return Verdict(
        kind=asked.kind,
        holds=holds,
        asked=asked.model_dump(mode="json", exclude_defaults=True, exclude={"kind"}),
        achieved={figure: round(worst, 6) if np.isfinite(worst) else None},
        sentence=_sentence(asked, worst, holds, _about(asked, policy)),
        notes=(*_one_known_notes(found), *(() if holds else _stricter(found))),
    )


def _stricter(found: LDiversityMeasure) -> tuple[str, ...]:
    return stricter_notes((one, bool(worst.sweep)) for (one, _), worst in found.by_attacker.items())


def _one_known_notes(found: LDiversityMeasure) -> Iterator[str]:
    """Missing cells count as a value; what that hides of a class is said."""
    most: dict[str, int] = {}
    for (_, name), worst in found.by_attacker.items():
        most[name] = max(most.get(name, 0), worst.one_known)
    for name, people in most.items():
        if people:
            yield (
                f"{people:,} people are in classes where only one value of {name} is known: "
                "the other cells are missing, which counts as a value of its own."
            )


def _least_figure(asked: LDiversity, worst: _Worst) -> float:
    """Whatever an attacker may hold, whole classes fit it; if these are diverse, so are their unions."""
    if worst.sweep is None or _holds(asked, worst.figure):
        return worst.figure
    return worst.sweep.worst(asked)


def _has_lists(asked: LDiversity) -> bool:
    return asked.variant in ("pd-recursive", "npd-recursive")


def _is_recursive(asked: LDiversity) -> bool:
    return asked.variant.endswith("recursive")


def _distance(asked: LDiversity, value: float) -> float:
    return -value if _is_recursive(asked) else value


def _holds(asked: LDiversity, value: float) -> bool:
    match asked.variant:
        case "distinct":
            return value >= asked.l
        case "entropy":
            return value >= asked.l * (1 - TOLERANCE)
    return asked.l == 1 or value < (asked.c or 0)


def _about(asked: LDiversity, policy: Policy) -> str:
    known = [] if len(asked.columns) > 1 else policy.known_beside(asked, asked.columns[0])
    return asked.about(known)


def _sentence(asked: LDiversity, value: float, holds: bool, name: str) -> str:
    wanted = f"({asked.l:g} were asked for)"
    match asked.variant:
        case "distinct":
            number = f"at least {value:,.0f}" if holds else f"only {value:,.0f}"
            found = f"{'every' if holds else 'a'} class has {number} different values of {name} {wanted}"
        case "entropy":
            worst = "in every class" if holds else "in a class only"
            found = f"values of {name} are {worst} as mixed as {value:.3g} equally frequent ones {wanted}"
        case _:
            which = "that must not be known " if _has_lists(asked) else ""
            rarer = "is always rarer" if holds else "is not always rarer"
            found = (
                f"the most frequent value {which}of {name} in a class {rarer} than {asked.c:g} times all "
                f"from number {asked.l:g} on"
            )
    return f"In this table {found}."


def _measured(
    published: PublishedTable,
    asked: LDiversity,
    policy: Policy,
    attacker: Attacker,
    name: str,
    whole: CellCounts | None,
) -> _Worst:
    """The figure of the least diverse class; the other columns of several are known to the attacker."""
    values, starred, marks = _values(published, asked, name, whole)
    values[starred] = NOTHING
    others = [cell_codes(published, other) for other in policy.known_beside(asked, name)]
    classes = classes_of(published, attacker, policy)
    classes = class_numbers([classes, *(other.codes for other in others)])
    worst = _least_diverse(asked, classes, values, marks)
    sweep = None if others else _Sweep.of(published, attacker, policy, values, starred, marks)
    missing = cell_codes(published, name).hidden == MISSING
    return _Worst(worst, sweep, _in_classes_of_one_known(classes, values, missing))


def _in_classes_of_one_known(classes: Ints, values: Ints, missing: Bools) -> int:
    """People in classes with missing cells and one other value.

    >>> values = np.array([7, 7, 3, 7, 8, 3])
    >>> _in_classes_of_one_known(np.array([0, 0, 0, 1, 1, 1]), values, values == 3)
    3
    """
    if not missing.any():
        return 0
    numbers = class_numbers([classes])
    low = np.full(int(numbers.max()) + 1, np.iinfo(np.int64).max)
    high = np.full(len(low), NOTHING - 1)
    np.minimum.at(low, numbers[~missing], values[~missing])
    np.maximum.at(high, numbers[~missing], values[~missing])
    one = (low == high) & (low != NOTHING) & (np.bincount(numbers, missing) > 0)
    return int(one[numbers].sum())


def _values(
    published: PublishedTable, asked: LDiversity, name: str, whole: CellCounts | None
) -> tuple[Ints, Bools, _Marks]:
    """A number per different sensitive value, which cells are suppressed, and the marks of values."""
    if whole is None:
        cells = cell_codes(published, name)
        values = class_numbers([cells.codes])
        return values, cells.hidden == STARRED, _Marks.none()
    cells, places = cell_codes(whole.published, name), whole.places(published)
    values = class_numbers([cells.codes])
    marks = _Marks.of(asked, whole.published.table.words(name), values)
    return values[places], (cells.hidden == STARRED)[places], marks


def _least_diverse(asked: LDiversity, classes: Ints, sensitive: Ints, marks: _Marks) -> float:
    """The figure of the least diverse class, by counting each value in each class, and stars for the most
    frequent one."""
    told = sensitive != NOTHING
    stars = np.bincount(classes, ~told).astype(np.int64)
    if not told.all():
        if len(np.unique(classes[told])) < len(np.unique(classes)):
            return np.inf if _is_recursive(asked) else 0.0
        classes, sensitive = classes[told], sensitive[told]
    if _has_lists(asked):
        worst, at = 0.0, 0
        for counts in counts_by_class(classes, sensitive, len(marks.allowed)):
            worst = max(worst, float(_figures(asked, counts, marks, stars[at : at + len(counts)]).max()))
            at += len(counts)
        return worst
    values = int(sensitive.max()) + 1
    pairs, counts = np.unique(classes * values + sensitive, return_counts=True)
    order = np.lexsort([-counts, pairs // values])
    counts, owners = counts[order], pairs[order] // values
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
    sizes = np.diff(np.append(starts, len(counts)))
    rank = np.arange(len(counts)) - np.repeat(starts, sizes)
    counts[starts] += stars
    match asked.variant:
        case "distinct":
            return float(sizes.min())
        case "entropy":
            shares = counts / np.repeat(np.add.reduceat(counts, starts), sizes)
            return float(np.exp(np.add.reduceat(-shares * np.log(shares), starts)).min())
    tails = np.add.reduceat(np.where(rank >= asked.l - 1, counts, 0), starts)
    return float(_needed_c(counts[starts], tails).max())


def _figures(asked: LDiversity, counts: Ints, marks: _Marks, stars: Ints | None = None) -> Floats:
    """The figure of every row of counts, one column per sensitive value; stars count with lists of values."""
    if asked.variant == "distinct":
        return np.asarray((counts > 0).sum(axis=1), np.float64)
    if asked.variant == "entropy":
        shares = counts / counts.sum(axis=1, keepdims=True)
        logs = np.log(np.where(shares > 0, shares, 1.0))
        return np.asarray(np.exp(-(shares * logs).sum(axis=1)))
    if not _has_lists(asked):
        ranked = -np.sort(-counts, axis=1)
        return _needed_c(ranked[:, 0], ranked[:, int(asked.l) - 1 :].sum(axis=1))
    values = counts.shape[1]
    stars = np.zeros(len(counts), np.int64) if stars is None else stars
    needed = _needed_c_outside(counts, marks.allowed[:values], int(asked.l), stars)
    if asked.variant == "pd-recursive":
        return needed
    shares = counts * 100.0 / (counts.sum(axis=1) + stars)[:, np.newaxis]
    ruled_out = (shares < (asked.c2 or 0) * (1 - TOLERANCE)) & marks.protected[:values]
    return np.where(ruled_out.any(axis=1) | marks.absent, np.inf, needed)


def _needed_c_outside(counts: Ints, allowed: Bools, l: int, stars: Ints) -> Floats:
    """The c that a class must stay above if some values may be known; 0 if all of its values may. Stars may
    all be one value that must not.

    >>> allowed = np.array([True, False, False, False])
    >>> _needed_c_outside(np.array([[6, 2, 1, 1]]), allowed, 2, np.array([0])).tolist()
    [0.25]
    >>> _needed_c_outside(np.array([[6, 0, 0, 0]]), allowed, 2, np.array([3])).tolist()
    [0.5]
    """
    order = np.argsort(-counts, axis=1, kind="stable")
    ranked = np.take_along_axis(counts, order, axis=1)
    outside = ~allowed[order] & (ranked > 0)
    rank = np.arange(counts.shape[1])
    y = np.where(outside.any(axis=1), outside.argmax(axis=1), len(rank))[:, np.newaxis]  # none: behind all
    others = np.where((rank >= np.where(y < l - 1, l - 1, l - 2)) & (rank != y), ranked, 0).sum(axis=1)
    largest = np.where(rank == y, ranked, 0).sum(axis=1) + stars
    return np.where(largest > 0, _needed_c(largest, others), 0.0)


def _needed_c(largest: Ints, tails: Ints) -> Floats:
    """The c that a class must stay above; infinite below l values.

    >>> _needed_c(np.array([99, 4]), np.array([1, 0])).tolist()
    [99.0, inf]
    """
    return np.where(tails > 0, largest / np.maximum(tails, 1), np.inf)
