"""Is a column a weighted sum of protected ones, row by row? Then it is an equation about every record, which
no range says, even where it tells no single value: a tax of three tenths of wages and one of pensions.

Weights are found by least squares, anew without the rows that fit least, so that slips do not bend them.
"""

import numpy as np

from shoal.arrays import Bools, Floats

NEARLY_ALL = 0.95  # of the rows fit
TIMES = 5  # as many rows as weights, at least
SPREAD = 20  # roundings that the column spreads over; fewer fit by chance
KEPT = 0.8  # of the rows, when weights are found anew
ROUNDS = 3
MOST_DECIMALS = 6


def rows_that_fit(column: Floats, parts: list[Floats]) -> Bools | None:
    """Where the column is the weighted sum of at least two of these parts, up to rounding; None if it is not.

    >>> wages, pension = np.arange(40.0) * 100, (np.arange(40.0) * 7 % 11) * 130
    >>> int(rows_that_fit(0.3 * wages + 0.1 * pension, [wages, pension]).sum())
    40
    >>> rows_that_fit(wages * 3, [wages, pension]) is None
    True
    """
    known = ~np.isnan(column) & ~np.isnan(parts).any(axis=0)
    if known.sum() < TIMES * (len(parts) + 1):
        return None
    goal, step = column[known], last_decimal(column[known])
    if np.std(goal) < SPREAD * step:
        return None
    sides = np.column_stack([*(part[known] for part in parts), np.ones(len(goal))])
    weights = weights_of_most(sides, goal)
    fits = np.abs(goal - sides @ weights) <= step
    taking_part = np.abs(weights[:-1]) * np.std(sides[:, :-1], axis=0) > 2 * step
    if np.mean(fits) < NEARLY_ALL or taking_part.sum() < 2:
        return None
    found = np.zeros(len(column), bool)
    found[known] = fits
    return found


def weights_of_most(sides: Floats, goal: Floats) -> Floats:
    """The weights of the columns of ``sides`` that give most rows of the goal, whatever the others hold."""
    weights = np.linalg.lstsq(sides, goal, rcond=None)[0]
    for _ in range(ROUNDS):
        off = np.abs(goal - sides @ weights)
        near = off <= np.quantile(off, KEPT)
        weights = np.linalg.lstsq(sides[near], goal[near], rcond=None)[0]
    return np.asarray(weights)


def last_decimal(numbers: Floats) -> float:
    """The last decimal that numbers are written with."""
    for places in range(MOST_DECIMALS):
        if np.allclose(numbers, np.round(numbers, places), rtol=0, atol=10.0 ** -(MOST_DECIMALS + 2)):
            return float(10.0**-places)
    return float(10.0**-MOST_DECIMALS)
