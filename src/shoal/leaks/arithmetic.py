"""What two columns of numbers or dates give by plain arithmetic: a day and an age in days give a birth.

No value of such a pair needs to repeat, and neither column alone need tell anything. The sum, the difference,
the product and the ratios of two columns are tried on a few rows first: only what has the order of the
protected column there, far better than either column alone, is looked at further. Order is enough, since
whoever knows it finds a factor and an offset from a few people.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import numpy as np

from shoal.arrays import Floats
from shoal.leaks.aggregate_values import DIGITS
from shoal.leaks.coded_column import CodedColumn

FEW = 200  # rows on which an order shows
ORDERED = 0.9  # a rank correlation; a copy with a few slips has more
CLOSER = 0.5  # of what the better of both columns lacks to be in order may be left
MOST = 300  # pairs, those with the most different values first
FEWEST = 8  # rows, below which every order may be an accident

Derived = tuple[tuple[str, str], str, Floats]


def number_of_ways(columns: int) -> int:
    """How many derived columns there are to be tried."""
    return 5 * min(columns * (columns - 1) // 2, MOST)


def derived_columns(columns: Mapping[str, CodedColumn], values: Floats) -> Iterator[Derived]:
    """The pairs that are in order with the values, by which arithmetic most so, and what it gives.

    >>> random = np.random.default_rng(1)
    >>> born, visit = random.integers(0, 9000, 50) * 1.0, random.integers(20000, 29000, 50) * 1.0
    >>> lines = {"visit": (visit,), "days": (visit - born,)}
    >>> pair = {name: CodedColumn(np.arange(50), line) for name, line in lines.items()}
    >>> [(names, kind) for names, kind, line in derived_columns(pair, born)]
    [(('visit', 'days'), 'difference')]
    """
    names = [name for name in columns if columns[name].lines]
    names.sort(key=lambda name: -columns[name].different)
    for pair in list(combinations(names, 2))[:MOST]:
        for one, other in product(*(columns[name].lines for name in pair)):
            few = np.flatnonzero(~(np.isnan(one) | np.isnan(other) | np.isnan(values)))[:FEW]
            if len(few) < FEWEST:
                continue
            tried = np.stack([one[few], other[few], *(line for _, line in _ways(one[few], other[few]))])
            order = rank_correlations(tried, values[few])
            alone, best = order[:2].max(), int(order[2:].argmax())
            if order[2 + best] >= ORDERED and 1 - order[2 + best] <= CLOSER * (1 - alone):
                kind, line = _ways(one, other)[best]
                yield pair, kind, line


def results_of(one: Floats, other: Floats) -> list[tuple[str, Floats]]:
    """What plain arithmetic gives, and what it is called; NaN where a column was missing, or divided by 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = [
            ("sum", one + other),
            ("difference", one - other),
            ("product", one * other),
            ("ratio", one / other),
            ("ratio", other / one),
        ]
    return [(kind, np.where(np.isfinite(line), line, np.nan)) for kind, line in found]


def _ways(one: Floats, other: Floats) -> list[tuple[str, Floats]]:
    """Results without their error in floats."""
    return [(kind, np.asarray(np.round(line, DIGITS), np.float64)) for kind, line in results_of(one, other)]


def rank_correlations(lines: Floats, values: Floats) -> Floats:
    """The rank correlation of each line with the values, rising or falling, whichever is better. Equal cells
    keep the order of the rows on both sides."""
    wanted = _ranks(values)
    spread = float(wanted @ wanted)
    return np.asarray(np.maximum(_ranks(lines) @ wanted, _ranks(-lines) @ wanted) / spread)


def _ranks(lines: Floats) -> Floats:
    order = np.argsort(lines, axis=-1, kind="stable")
    ranks = np.empty(lines.shape)
    places = np.arange(lines.shape[-1]) - (lines.shape[-1] - 1) / 2
    np.put_along_axis(ranks, order, np.broadcast_to(places, lines.shape), axis=-1)
    return ranks
