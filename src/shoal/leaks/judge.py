"""Which columns tell hidden cells: found by trying, row by row, what the other rows let one say of it.

For every protected column and every column that is published as it is, the hidden cells are predicted without
looking at their own row: by the value that most other rows with the same cell have (in the whole table, or
among those that show the same published cell), and where cells lie on a line, by the neighbours in order. The
hits are compared with the best guess from the class alone. So a column with another cell in every row tells
nothing unless its order does, and one slip in a column spoils little.

A column is a **fault** if it closes most of the gap between the guess and knowing (FILLS), in a good part of
the hidden cells (PART): then the cells are as good as published. It is a **warning** if it closes some of it
(NARROWS). Numbers may be told nearly: then it counts how far off guesses are in place of hits (NEARLY,
NEARER). A copy, and a column that follows a protected one step by step, is a fault whatever the counts.

A column may tell the cells of some people and of others nothing. So rows whose others with the same value
agree (AGREE) are judged apart, too: whoever looks sees where it is certain. That these values were picked
counts as luck, and only cells beyond the guess count, as PART or NARROWS of all that are hidden.

Pairs of columns are tried where neither of the two is a fault, and have to tell far more than the guess, and
than what is said of either (BEYOND): by their values together, and by plain arithmetic (`arithmetic.py`),
where only a fault counts.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.leaks.arithmetic import derived_columns, number_of_ways
from shoal.leaks.chance import log_of_choices, luck
from shoal.leaks.class_guess import best_guess, middle_error, room
from shoal.leaks.coded_column import CodedColumn, column_of_line
from shoal.leaks.leak import Leak
from shoal.leaks.order import follows
from shoal.leaks.prediction import (
    agreement_of_others,
    between_neighbours,
    chance_by_others,
    combined_codes,
    mean_of_others,
    nearest_neighbour,
    neighbours,
    sizes_of,
)

FILLS = 0.8  # of what the class leaves open: with six slips in a hundred a copy still closes more
NARROWS = 0.1  # below this even people who know the table would call it a coincidence
PART = 0.25  # of the hidden cells that can be judged at all; fewer are some people's, and a warning
NEARLY = 0.05  # off by a twentieth of what the class leaves open is as good as known
NEARER = 0.5
AGREE = 0.9  # of the other rows with a value: then one sees that it tells the cell, whatever other values do
FEW_VALUES = 3
LUCK = 0.005  # of one false word about a table without leaks, at most; and of one about its sums
BEYOND = 0.25  # of what the better of two columns leaves open, closed by both together
ROUNDED = 1e-6  # less than this came from floats
MOST_PAIRS = 36  # of columns, those that tell most on their own
SCREEN = 4_000  # rows on which a pair is tried first


@dataclass(frozen=True)
class ProtectedColumn:
    """A column whose cells are hidden: its values, what is published in its place (a number per different
    cell), and where that leaves the value open."""

    name: str
    column: CodedColumn
    cells: Ints
    hidden: Bools


@dataclass(frozen=True)
class OpenColumn:
    """A column that is published as it is, in the rows that are judged and, after them, in others with the
    same cells. ``beside`` are the protected columns in the same rows; ``same`` says in which of the judged
    rows it holds the very cell of a protected column."""

    column: CodedColumn
    beside: Mapping[str, CodedColumn]
    same: Mapping[str, Bools]


@dataclass(frozen=True)
class _Finding:
    """Hits in so many cells, as many of which count as ``tries`` of their own, beside those of a guess.
    ``certain``: these are the cells where the other rows agree, and ``choices`` is the logarithm of how many
    choices of values could have been these."""

    filled: float
    guessed: float
    cells: int
    tries: float
    nearer: float | None = None
    choices: float = 0.0
    certain: bool = False

    @property
    def gain(self) -> float:
        """The share of what the guess leaves open that is closed."""
        left = self.cells - self.guessed
        return (self.filled - self.guessed) / left if left > 0 else 0.0

    @property
    def luck(self) -> float:
        if not self.cells:
            return 1.0
        share = self.tries / self.cells
        return luck(share * self.filled, self.tries, self.guessed / self.cells, self.choices)


@dataclass(frozen=True)
class _Guess:
    """A protected column with what the class alone lets one say of it, by each way of guessing."""

    of: ProtectedColumn
    chances: tuple[Floats, ...]
    errors: Floats | None
    ends: tuple[Floats, Floats] | None

    @classmethod
    def by_classes(cls, of: ProtectedColumn, classes: Ints, k: int) -> "_Guess":
        codes = of.column.codes
        everywhere = chance_by_others(np.zeros(len(codes), np.int64), codes)
        chances = (
            best_guess(classes, codes, k),
            chance_by_others(of.cells, codes),
            everywhere,
        )
        line = of.column.lines[0] if of.column.lines else None
        if line is None:
            return cls(of, chances, None, None)
        return cls(of, chances, middle_error(classes, line), room(classes, line))

    def found(self, hits: Floats | Bools, judged: Bools, tries: float) -> _Finding:
        """Hits in judged cells, beside the best way of guessing them."""
        at = judged & self.of.hidden
        guessed = max(float(chance[at].sum()) for chance in self.chances)
        cells = int(at.sum())
        return _Finding(float(hits[at].sum()), guessed, cells, min(tries, cells))

    def nearer(self, predicted: Floats, tries: float) -> _Finding | None:
        """How often a prediction comes nearer than the middle of the class, and by how much."""
        if self.errors is None:
            return None
        off = np.abs(self.of.column.lines[0] - predicted)
        at = self.of.hidden & ~np.isnan(off) & ~np.isnan(self.errors)
        if not at.any() or not np.median(self.errors[at]):
            return None
        ratio = float(np.median(off[at]) / np.median(self.errors[at]))
        closer, further = (
            int(np.sum(side)) for side in (off[at] < self.errors[at], off[at] > self.errors[at])
        )
        cells = closer + further
        share = min(tries, cells) / max(cells, 1)
        return _Finding(float(closer), cells / 2, cells, share * cells, nearer=ratio)


def find_leaks(
    protected: Sequence[ProtectedColumn], looks: Mapping[str, OpenColumn], classes: Ints, k: int
) -> list[Leak]:
    """All leaks from columns that are published as they are, faults first."""
    guesses = [_Guess.by_classes(one, classes, k) for one in protected if one.hidden.any()]
    pairs = min(len(looks) * (len(looks) - 1) // 2, MOST_PAIRS)
    tests = max(len(guesses) * (6 * len(looks) + pairs), 1)
    leaks = []
    for guess in guesses:
        single = {name: _single(guess, look, len(classes)) for name, look in looks.items()}
        told = [leak for name, (found, _) in single.items()
                if (leak := _worst((name,), guess, found, looks[name], LUCK / tests))]  # fmt: skip
        leaks += told
        filling = {leak.columns[0] for leak in told if leak.fills}
        left = {name: hits for name, (_, hits) in single.items() if name not in filling}
        several = {name: looks[name].column.first(len(classes)) for name in left}
        derived = list(_derived(guess, several, LUCK / max(len(guesses) * number_of_ways(len(looks)), 1)))
        known = {leak.columns for leak in derived}
        said = {leak.columns[0] for leak in told}
        together = _pairs(guess, looks, left, said, len(classes), LUCK / tests)
        leaks += [*derived, *(leak for leak in together if leak.columns not in known)]
    return sorted(leaks, key=lambda leak: (not leak.fills, leak.columns, leak.protected))


def _single(guess: _Guess, look: OpenColumn, rows: int) -> tuple[list[_Finding], Floats]:
    """What a column tells in each way, and the hits of the best way by value."""
    found, hits = [], []
    for way, judged, tries in _by_value(guess, look, rows):
        hits.append(way * judged)
        found.append(guess.found(way, judged, tries))
    best = max(hits, key=lambda way: float(way[guess.of.hidden].sum()))
    found += _where_certain(guess, look, rows)
    found += _by_order(guess, look, rows)
    line = guess.of.column.lines
    if line:
        keys = look.column.codes
        predicted = mean_of_others(keys, look.beside[guess.of.name].lines[0])[:rows]
        judged = ~np.isnan(predicted) & guess.of.hidden
        found += [one for one in [guess.nearer(predicted, _own(keys[:rows], judged))] if one]
    return found, best


def _by_value(guess: _Guess, look: OpenColumn, rows: int) -> Iterator[tuple[Floats, Bools, float]]:
    """Hits, where there are other rows to judge by, and how many tries they are: rows that are judged by each
    other alone hit or miss together."""
    keys, codes = look.column.codes, look.beside[guess.of.name].codes
    judged = (sizes_of(keys) > 1)[:rows]
    yield chance_by_others(keys, codes)[:rows], judged, _own(keys[:rows], judged & guess.of.hidden)
    keys = combined_codes(guess.of.cells, look.column.codes[:rows])
    judged = sizes_of(keys) > 1
    yield chance_by_others(keys, guess.of.column.codes), judged, _own(keys, judged & guess.of.hidden)
    if guess.of.name in look.same:
        yield look.same[guess.of.name].astype(np.float64), np.ones(rows, bool), rows


def _where_certain(guess: _Guess, look: OpenColumn, rows: int) -> Iterator[_Finding]:
    """What a column tells by value in the rows whose others agree, and so let one see that they tell it."""
    beside = look.beside[guess.of.name].codes
    within = combined_codes(guess.of.cells, look.column.codes[:rows])
    for keys, codes in ((look.column.codes, beside), (within, guess.of.column.codes)):
        several = (sizes_of(keys) > 1)[:rows] & guess.of.hidden
        judged = several & (agreement_of_others(keys, codes)[:rows] >= AGREE)
        of = keys[:rows]
        found = guess.found(chance_by_others(keys, codes)[:rows], judged, _own(of, judged))
        choices = log_of_choices(_different(of[several]), _different(of[judged]))
        yield replace(found, certain=True, choices=choices)


def _different(keys: Ints) -> int:
    return int(np.count_nonzero(np.bincount(keys)))


def _own(keys: Ints, judged: Bools) -> float:
    """Rows beside the first of each key: as many as there can be independent hits."""
    rows, groups = int(judged.sum()), _different(keys[judged])
    return max(rows - groups, rows / 2)


def _apart(order: Floats, judged: Bools) -> float:
    """Rows that are judged, neighbours among them as one and a half: each is judged by the other, too."""
    before, _ = neighbours(order)
    rows = np.flatnonzero(judged)
    both = (before[rows] >= 0) & (before[rows] < len(judged))
    return len(rows) - int(judged[before[rows[both]]].sum()) / 2


def _by_order(guess: _Guess, look: OpenColumn, rows: int) -> Iterator[_Finding]:
    """What the neighbours tell, in every order that the cells of the column may have."""
    beside = look.beside[guess.of.name]
    for order in look.column.lines:
        judged = ~np.isnan(order[:rows])
        tries = _apart(order, judged & guess.of.hidden)
        if guess.ends is None:
            nearest = nearest_neighbour(order)
            hits = (nearest >= 0) & (beside.codes[nearest] == beside.codes)
            yield guess.found(hits[:rows], judged, tries)
            continue
        predicted = between_neighbours(order, beside.lines[0])[:rows]
        with np.errstate(invalid="ignore"):
            hits = (guess.ends[0] < predicted) & (predicted < guess.ends[1])
        yield guess.found(hits, judged & ~np.isnan(guess.ends[0]), tries)
        if near := guess.nearer(predicted, tries):
            yield near


def _worst(
    columns: tuple[str, ...], guess: _Guess, found: list[_Finding], look: OpenColumn | None, chance: float
) -> Leak | None:
    """The finding that counts: the first one that is a fault, or else the largest warning."""
    hidden = int(guess.of.hidden.sum())
    if look is not None and _is_copy(guess, look):
        guessed = max(float(way[guess.of.hidden].sum()) for way in guess.chances)
        return Leak(columns, guess.of.name, True, hidden, round(guessed), hidden)
    sure = [one for one in found if one.luck < chance]
    filling = [one for one in sure if _fills(one) and _size(one) >= PART * hidden]
    if not filling and look is not None and follows(look.column, look.beside[guess.of.name]):
        return Leak(columns, guess.of.name, True, 0, 0, hidden, follows=True)
    telling = filling or [one for one in sure if _narrows(one, hidden)]
    if not telling:
        return None
    one = max(telling, key=lambda one: (one.nearer is None, one.certain is not bool(filling), one.filled))
    return Leak(
        columns,
        guess.of.name,
        bool(filling),
        round(one.filled),
        round(one.guessed),
        one.cells,
        one.nearer,
        of_all=hidden if one.certain else None,
    )


def _is_copy(guess: _Guess, look: OpenColumn) -> bool:
    """Does it hold the same in every row? Few values may do so by accident."""
    same = look.same.get(guess.of.name)
    return same is not None and bool(same.all()) and len(np.unique(guess.of.column.codes)) >= FEW_VALUES


def _size(one: _Finding) -> float:
    """How many hidden cells a finding is about. Values that are certain were picked, frequent ones among
    them, which the class lets one guess too: only the cells beyond the guess count."""
    return one.filled - one.guessed if one.certain else one.cells


def _fills(one: _Finding) -> bool:
    return one.gain >= FILLS if one.nearer is None else one.nearer <= NEARLY


def _narrows(one: _Finding, hidden: int) -> bool:
    if one.certain:
        return _fills(one) and _size(one) >= NARROWS * hidden
    return one.gain >= NARROWS if one.nearer is None else one.nearer <= NEARER


def _pairs(
    guess: _Guess,
    looks: Mapping[str, OpenColumn],
    alone: Mapping[str, Floats],
    said: Set[str],
    rows: int,
    chance: float,
) -> Iterator[Leak]:
    """Pairs of columns that tell what is not said of either of them. Each needs values that repeat.

    The hits of a column of which nothing is said do not make a pair superfluous: most of its predictions are
    wrong, and only the other column tells which of them are right."""
    several = [name for name in alone if _repeats(looks[name].column.codes[:rows])]
    pairs = sorted(
        combinations(several, 2),
        key=lambda pair: -sum(float(alone[name][guess.of.hidden].sum()) for name in pair),
    )
    for pair in pairs[:MOST_PAIRS]:
        codes = [looks[name].column.codes[:rows] for name in pair]
        hits = [alone[name] for name in pair if name in said]
        if rows > 2 * SCREEN and not _pair(guess, codes, hits, SCREEN):
            continue
        if leak := _worst(pair, guess, _pair(guess, codes, hits, rows), None, chance):
            yield leak


def _derived(guess: _Guess, columns: Mapping[str, CodedColumn], chance: float) -> Iterator[Leak]:
    """Pairs of columns from which the hidden cells follow by plain arithmetic."""
    if not guess.of.column.lines:
        return
    values, rows, name = guess.of.column.lines[0], len(guess.of.hidden), guess.of.name
    for pair, kind, line in derived_columns(columns, values):
        look = OpenColumn(column_of_line(line), {name: guess.of.column}, {})
        found, _ = _single(guess, look, rows)
        same = _but_for_an_offset(line, values)
        found.append(guess.found(same, np.ones(rows, bool), rows))
        leak = _worst(_in_order(pair, columns), guess, found, look, chance)
        if leak and leak.fills:
            yield replace(leak, arithmetic=kind)


def _in_order(pair: tuple[str, str], columns: Mapping[str, CodedColumn]) -> tuple[str, ...]:
    """Two columns as they stand in the table."""
    return tuple(name for name in columns if name in pair)


def _but_for_an_offset(line: Floats, values: Floats) -> Bools:
    """Rows in which a line holds the values but for an offset that most rows share, with or without sign."""
    signed = []
    for off in (values - line, values + line):
        there = np.sort(off[~np.isnan(off)])
        middle = there[len(there) // 2] if len(there) else 0.0
        signed.append(np.isclose(off, middle, rtol=0, atol=ROUNDED))
    return np.asarray(max(signed, key=np.sum))


def _repeats(codes: Ints) -> bool:
    """Has a good part of the rows a cell that others have too, and is there more than one?"""
    return bool((codes != codes[0]).any()) and float(np.mean(sizes_of(codes) > 1)) >= PART


def _pair(guess: _Guess, codes: list[Ints], alone: list[Floats], rows: int) -> list[_Finding]:
    """What two columns tell by value, in both ways, where it is far beyond the guess and beyond these hits of
    one of them alone."""
    shorter = _first(guess, rows)
    found = []
    for cells in ([], [guess.of.cells]):
        keys = combined_codes(*(one[:rows] for one in cells + codes))
        judged = sizes_of(keys) > 1
        one = shorter.found(
            chance_by_others(keys, shorter.of.column.codes), judged, _own(keys, judged & shorter.of.hidden)
        )
        at = judged & shorter.of.hidden
        better = max([one.guessed, *(float(hits[:rows][at].sum()) for hits in alone)])
        if one.filled - better >= BEYOND * (one.cells - better) > 0:
            found.append(one)
    return found


def _first(guess: _Guess, rows: int) -> _Guess:
    of = guess.of
    if rows == len(of.hidden):
        return guess
    part = ProtectedColumn(of.name, of.column.first(rows), of.cells[:rows], of.hidden[:rows])
    return _Guess(part, tuple(way[:rows] for way in guess.chances), None, None)
