"""Published columns that two protected ones give by plain arithmetic: a stay is what lies between two days.

Neither day follows from the stay, and still whoever knows both computes it and finds the record that has it.
A result is looked for up to a factor and an offset (inches, weeks, a first day that counts) and up to the
last decimal of the column. It has to be right in nearly all rows, and in most of those that a constant, or
one of the two columns alone, does not give: then it is an equation about each record.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from shoal.arrays import Bools, Floats
from shoal.leaks.arithmetic import FEW, MOST, rank_correlations, results_of
from shoal.leaks.chance import luck
from shoal.leaks.coded_column import CodedColumn
from shoal.leaks.judge import FILLS, LUCK, ProtectedColumn
from shoal.leaks.leak import Leak
from shoal.leaks.mixture import last_decimal, weights_of_most
from shoal.leaks.prediction import combined_codes

FEWEST = 20  # rows, below which two weights give much by accident
ORDERED = 0.8  # a rank correlation on a few rows; a result with a few slips has more
WITHIN = 0.6  # of the last decimal: half of it is rounding
NEARLY_ALL = 0.9  # of the rows are right
SCREENED = 0.8  # of a few rows
WAYS = 7  # of computing with two columns

Pair = tuple[ProtectedColumn, ProtectedColumn]


def computed_columns(columns: Mapping[str, CodedColumn], protected: Sequence[ProtectedColumn]) -> list[Leak]:
    """The columns that two of the protected ones give, each by the pair that gives most of it."""
    lines = sorted((one for one in protected if one.column.lines), key=lambda one: -one.column.different)
    pairs = [pair for pair in list(combinations(lines, 2))[:MOST] if any(one.hidden.any() for one in pair)]
    chance = LUCK / max(len(columns) * len(pairs) * WAYS, 1)
    found = []
    for name, column in columns.items():
        told = [leak for pair in pairs for leak in _given(name, column, pair, chance)]
        if told:
            found.append(max(told, key=lambda leak: leak.filled))
    return found


def rows_given(goal: Floats, line: Floats) -> Bools:
    """Where a column is a result but for a factor, an offset and rounding. Rows with the most frequent cell
    are left out where the factor is found: often they are zeros, which any factor gives.

    >>> bool(rows_given(np.arange(30.0) // 7, np.arange(30.0)).mean() > 0.9)
    True
    """
    spread, often = np.std(line), _most_frequent(goal)
    if not spread or np.sum(~often) < 2:
        return often
    sides = np.column_stack([(line - line.mean()) / spread, np.ones(len(line))])
    weights = weights_of_most(sides[~often], goal[~often])
    return np.asarray(np.abs(goal - sides @ weights) <= WITHIN * last_decimal(goal))


def _given(name: str, column: CodedColumn, pair: Pair, chance: float) -> Iterator[Leak]:
    """What is to be said of a column and a pair, if it is their result in any reading of the three."""
    told = max(pair, key=lambda one: int(one.hidden.sum()))
    for goal, *parts in product(column.lines, *(one.column.lines for one in pair)):
        for kind, line in _in_order(goal, *parts):
            known = ~np.isnan([goal, line]).any(axis=0)
            fits = np.zeros(len(goal), bool)
            fits[known] = rows_given(goal[known], line[known])
            cells = combined_codes(*(one.column.codes[known] for one in pair))
            guessed = [_most_frequent(goal[known])]
            guessed += [rows_given(goal[known], part[known]) for part in parts]
            guess = max(float(np.mean(one)) for one in guessed)
            if _is_sure(float(np.mean(fits[known])), guess, int(cells.max()) + 1, chance):
                told_of = int(np.sum(fits & told.hidden)), 0, int(told.hidden.sum())
                mixes = pair[0].name, pair[1].name
                yield Leak((name,), told.name, True, *told_of, mixes=mixes, result=kind)


def _in_order(goal: Floats, one: Floats, other: Floats) -> Iterator[tuple[str, Floats]]:
    """The results that are in order with a column, and right, on a few rows from all over the table."""
    known = np.flatnonzero(~np.isnan([goal, one, other]).any(axis=0))
    if len(known) < FEWEST:
        return
    few = known[np.linspace(0, len(known) - 1, min(len(known), FEW)).astype(np.int64)]
    tried = _results(one[few], other[few])
    order = rank_correlations(np.stack([line for _, line in tried]), goal[few])
    for at in np.flatnonzero(order >= ORDERED):
        there = ~np.isnan(tried[at][1])
        if there.any() and np.mean(rows_given(goal[few][there], tried[at][1][there])) >= SCREENED:
            yield _results(one, other)[at]


def _results(one: Floats, other: Floats) -> list[tuple[str, Floats]]:
    """Plain arithmetic, and what a weight is beside the square of a height."""
    return [*results_of(one, other), *results_of(one, other * other)[3:4], *results_of(other, one * one)[3:4]]


def _is_sure(share: float, guess: float, cells: int, chance: float) -> bool:
    """Is so large a share no guess and no luck? Rows with the same cells in both columns are one trial."""
    if share < NEARLY_ALL or share - guess < FILLS * (1 - guess):
        return False
    tries = cells - 2  # weights
    return luck(share * cells - 2, tries, guess) < chance


def _most_frequent(goal: Floats) -> Bools:
    """Where a column holds its most frequent value."""
    values, counts = np.unique(goal, return_counts=True)
    return np.asarray(goal == values[counts.argmax()])
