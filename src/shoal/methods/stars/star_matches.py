"""Few stars, so that every record matches k records where a star matches anything.

Two records match when they agree in every column in which neither is starred, so a star helps its own
record and all that it now matches. The records that need most come first; each stars the cheapest set of
its cells with which it matches k, of equally cheap ones the set that helps most others. Afterwards each is
looked at again and stars less, or elsewhere, where nobody who leans on it falls below k. With up to ten
columns no record ever stars more than it would need by itself: all stars together cost no more than if each
record kept what k records of the original share, and so no more than classes do. (The literal minimum is of
no use to anybody: k - 1 records of nothing but stars match everyone.)

Tables with many different records are worked on in blocks, whose records match k inside the block.
"""

from typing import Any, NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.methods.stars.star_sets import FEW_COLUMNS, star_cost

BLOCK = 3_000  # different records
PASSES = 3  # of looking again
GONE = -1


class StarRows(NamedTuple):
    """Rows as published: first the different records, how often each is there, then the starred ones."""

    codes: Any
    stars: Any
    counts: Any
    matched: Any  # how many records each row matches, itself included
    short: Any  # records of this row that match too few
    apart: Any  # columns in which each row tells itself from the record looked at
    room: Any  # two figures for every set of stars


def star_matches(codes: Ints, k: int, weights: Floats) -> Ints:
    """The stars of every record, as a bit mask; records that come first are served first."""
    few_first = np.argsort([len(np.unique(column)) for column in codes.T], kind="stable")
    different, of_row, counts = np.unique(
        codes[:, few_first], axis=0, return_inverse=True, return_counts=True
    )
    different = np.ascontiguousarray(different[:, np.argsort(few_first)]).astype(np.int32)
    of_row = of_row.ravel()
    size = max(k, BLOCK * FEW_COLUMNS // max(codes.shape[1], FEW_COLUMNS))
    cuts = np.linspace(0, len(different), max(1, len(different) // size) + 1).astype(np.int64)
    by_tuple = np.argsort(of_row, kind="stable")
    starts = np.searchsorted(of_row[by_tuple], cuts)
    stars = np.zeros(len(codes), np.int64)

    def work(first: int, last: int) -> None:
        for block in range(first, last):
            part = slice(cuts[block], cuts[block + 1])
            rows = np.sort(by_tuple[starts[block] : starts[block + 1]])
            here = of_row[rows] - cuts[block]
            lacking = np.flatnonzero(counts[part][here] < k)
            shown = _star_rows(different[part], counts[part], len(lacking), k)
            stars[rows[lacking]] = _match(
                shown, here[lacking], int(cuts[block + 1] - cuts[block]), k, weights
            )

    over_ranges(work, len(cuts) - 1, BLOCK)
    return stars


@compiled
def _match(shown: Any, lacking: Any, rows: int, k: int, weights: Any) -> Any:
    """The stars of the lacking records, which are given by their rows."""
    needs = np.zeros(rows)
    for row in range(rows):
        if shown.counts[row] < k:
            _compare_with_rows(shown, shown.codes[row], rows)
            needs[row] = star_cost(_cheapest(shown, rows, 0, k, weights), weights)
    order = np.argsort(-needs[lacking], kind="mergesort")
    stars, size = np.zeros(len(lacking), np.int64), rows
    places = np.zeros(len(lacking), np.int64)
    for i in order:
        if shown.matched[lacking[i]] < k:
            places[i] = size
            size = _star(shown, lacking[i], size, k, weights)
    for _ in range(PASSES):
        for row in range(rows, size):
            if shown.stars[row]:
                _look_again(shown, row, size, k, weights)
    for i in range(len(lacking)):
        if places[i]:
            stars[i] = shown.stars[places[i]]
    return stars


def _star_rows(different: Any, counts: Ints, lacking: int, k: int) -> StarRows:
    rows, columns = different.shape
    codes = np.zeros((rows + lacking, columns), np.int32)
    codes[:rows] = different
    stars, amounts, matched, short, apart = np.zeros((5, rows + lacking), np.int64)
    amounts[:rows] = matched[:rows] = counts
    short[:rows] = np.where(counts < k, counts, 0)
    room = np.zeros((2, 1 << columns if columns <= FEW_COLUMNS else 1), np.int64)
    return StarRows(codes, stars, amounts, matched, short, apart, room)


@compiled
def _compare_with_rows(shown: Any, record: Any, size: int) -> None:
    """Compare a record with every row."""
    for row in range(size):
        apart: Any = np.int64(0)
        for at in range(len(record)):
            apart |= np.int64(shown.codes[row, at] != record[at]) << at
        shown.apart[row] = apart & ~shown.stars[row] if shown.counts[row] else GONE


@compiled
def _star(shown: Any, row: int, size: int, k: int, weights: Any) -> int:
    """Publish one record of a row with stars, as a row of its own; how many rows there are then."""
    shown.counts[row] -= 1
    if shown.counts[row] == 0:
        shown.short[row] = 0
    _compare_with_rows(shown, shown.codes[row], size)
    stars = _cheapest(shown, size, 0, k - 1, weights)
    found = 1
    for other in range(size):
        apart = shown.apart[other]
        if apart == GONE or apart & ~stars:
            continue
        found += shown.counts[other]
        if apart:
            shown.matched[other] += 1
            if shown.matched[other] >= k:
                shown.short[other] = 0
    shown.codes[size] = shown.codes[row]
    shown.stars[size], shown.counts[size], shown.matched[size] = stars, 1, found
    return size + 1


@compiled
def _look_again(shown: Any, row: int, size: int, k: int, weights: Any) -> None:
    """Star fewer cells of this record, or as many others that more rows need, if nobody loses by it."""
    now = shown.stars[row]
    shown.counts[row] = 0
    _compare_with_rows(shown, shown.codes[row], size)
    required: Any = np.int64(0)
    for other in range(size):
        apart = shown.apart[other]
        shown.short[other] = 0
        if apart <= 0:
            continue
        leans = apart & ~now == 0
        if leans and shown.matched[other] <= k:
            required |= apart
        if shown.matched[other] - leans <= k:
            shown.short[other] = shown.counts[other]
    stars = _cheapest(shown, size, required, k - 1, weights)
    if star_cost(stars, weights) > star_cost(now, weights):
        stars = now
    found = 1
    for other in range(size):
        apart = shown.apart[other]
        if apart != GONE and apart & ~stars == 0:
            found += shown.counts[other]
        if apart > 0:
            shown.matched[other] += (apart & ~stars == 0) - np.int64(apart & ~now == 0)
    shown.stars[row], shown.counts[row], shown.matched[row] = stars, 1, found


@compiled
def _cheapest(shown: Any, size: int, required: int, k: int, weights: Any) -> Any:
    """The cheapest stars with which the record looked at matches k of the rows."""
    if len(weights) > FEW_COLUMNS:
        return _greedy(shown, size, required, k, weights)
    matches, helped = shown.room
    matches[:], helped[:] = 0, 0
    for row in range(size):
        if shown.apart[row] != GONE:
            matches[shown.apart[row]] += shown.counts[row]
            helped[shown.apart[row]] += shown.short[row]
    for at in range(len(weights)):  # of every set: sums over its subsets
        bit = 1 << at
        for stars in range(len(matches)):
            if stars & bit:
                matches[stars] += matches[stars ^ bit]
                helped[stars] += helped[stars ^ bit]
    best: Any = np.int64(len(matches) - 1)
    least = np.inf
    for stars in range(len(matches)):
        if matches[stars] < k or stars & required != required:
            continue
        cost = star_cost(stars, weights)
        if cost < least or (cost == least and helped[stars] > helped[best]):
            best, least = stars, cost
    return best


@compiled
def _greedy(shown: Any, size: int, required: int, k: int, weights: Any) -> Any:
    """The same for many columns: match the row that costs least more, until they are k."""
    stars = required
    while True:
        found, nearest, least = 0, -1, np.inf
        for row in range(size):
            apart = shown.apart[row]
            if apart == GONE:
                continue
            more = apart & ~stars
            if more == 0:
                found += shown.counts[row]
                continue
            cost = star_cost(more, weights)
            if cost < least:
                nearest, least = row, cost
        if found >= k or nearest < 0:
            return stars
        stars |= shown.apart[nearest]
