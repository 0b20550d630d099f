"""aggrAnon (Gkountouna, Lepenioti, Terrovitis: Privacy against Aggregate Knowledge Attacks).

Sort the records by f and cut the sorted list into blocks of k. Inside a block, open one column
after the other to the block's common range until all records have the same F, the range of f over
what is published. The column to open is the one without which the f values are most alike.

The paper measures "alike" by the average of signed differences, which is always 0; we take the sum
of absolute pairwise differences. Ties are broken at random.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Bools, Hashes, Ints
from shoal.kernels.compiled import compiled, over_ranges
from shoal.kernels.keyed_hash import Key, Purpose, draw_column
from shoal.kernels.order import tie_order
from shoal.methods.aggregates.aggregate import Aggregate, WeightedSum
from shoal.methods.aggregates.band_counts import has_enough_in_every_band, strict_share
from shoal.methods.aggregates.knowledge import Tolerance
from shoal.methods.diversity import Diversity, diverse_blocks
from shoal.methods.ranges import Ranges, blocks_of

FEW_ROWS = 32
SAFE_SPREAD = 2**52  # sums of fewer than 2**10 differences below this fit 64 bits
BLOCKS_AT_ONCE = 1 << 15


def aggranon(
    values: Ints,
    f: Aggregate | WeightedSum,
    k: int,
    key: Key,
    within: Tolerance | None = None,
    diversity: Diversity | None = None,
    ids: Ints | None = None,
) -> Ranges:
    """Ranges under which every block of at least k rows has one F (or, with ``within``, nearly one).

    If diversity is asked for, blocks grow until they have it; ``within`` is then left aside. Ties are
    broken by the rows' numbers ``ids``, where the rows are not 0, 1 and so on.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> table = np.array([[10, 20, 100], [15, 15, 105], [30, 40, 200], [40, 30, 210]])
    >>> published = aggranon(table, WeightedSum(np.array([1, 1, 1])), 2, seeded_key(0))
    >>> published.low.tolist(), published.high.tolist()
    ([[10, 20, 100], [15, 15, 100], [30, 40, 200], [30, 30, 210]], \
[[10, 20, 105], [15, 15, 105], [40, 40, 200], [40, 30, 210]])
    """
    totals = totals_of(f, values)
    ids = np.arange(len(values)) if ids is None else ids
    order = tie_order(totals, ids, key)
    if diversity:
        within, starts = None, diverse_blocks(order, k, diversity)
    else:
        starts = blocks_of(len(order), k)
    as_is = _publishable_as_is(totals[order], starts, k, within)
    made = aggranon_blocks(values[order], ids[order], f, starts, key, share_of(within), as_is)
    return replace(made, order=order)


def aggranon_blocks(
    values: Ints,
    ids: Ints,
    f: Aggregate | WeightedSum,
    starts: Ints,
    key: Key,
    share: float = 0.0,
    as_is: Bools | None = None,
) -> Ranges:
    """The same for rows with these numbers that are in order already: by f, then as ``tie_order`` has it,
    with the blocks beginning at ``starts``, which end with the number of rows.

    A block depends on its own rows alone, so a part of all blocks is published as in the whole. ``share``
    is that of ``share_of``, ``as_is`` says which blocks are published as they are.

    >>> from shoal.kernels.keyed_hash import seeded_key
    >>> part, ids = np.array([[30, 40, 200], [40, 30, 210]]), np.array([2, 3])
    >>> f, starts = WeightedSum(np.array([1, 1, 1])), np.array([0, 2])
    >>> aggranon_blocks(part, ids, f, starts, seeded_key(0)).low.tolist()
    [[30, 40, 200], [30, 30, 210]]
    """
    salts = ids[starts[:-1]]
    as_is = np.zeros(len(salts), bool) if as_is is None else as_is
    if isinstance(f, WeightedSum):
        low, high = _for_weighted_sum(values, f, starts, salts, as_is, share, key)
    else:
        low, high = _for_any(values, f, starts, salts, as_is, share, key)
    return Ranges(np.arange(len(values)), starts, low, high)


def share_of(within: Tolerance | None) -> float:
    """The share up to which the F of a block may differ."""
    return strict_share(within) if within and not within.anywhere else 0.0


def _for_weighted_sum(
    values: Ints,
    f: WeightedSum,
    starts: Ints,
    salts: Ints,
    as_is: Bools,
    share: float,
    key: Key,
) -> tuple[Ints, Ints]:
    low, high, totals = values.copy(), values.copy(), f.of(values)

    def work(first: int, last: int) -> None:
        _generalize_blocks(
            f.weights, totals, starts, salts, as_is, first, last, share,
            key[0], key[1], np.uint64(Purpose.COLUMNS), low, high,
        )  # fmt: skip

    over_ranges(work, len(salts), weight=len(values) // max(len(salts), 1))
    return low, high


def _publishable_as_is(sorted_totals: AnyArray, starts: Ints, k: int, within: Tolerance | None) -> Bools:
    """Blocks whose records all have k records around them wherever the attacker's range sits."""
    if within is None or not within.anywhere:
        return np.zeros(len(starts) - 1, bool)
    safe = has_enough_in_every_band(sorted_totals, strict_share(within), k)
    return np.logical_and.reduceat(safe, starts[:-1])


@compiled
def _generalize_blocks(
    weights: Any, totals: Any, starts: Any, salts: Any, as_is: Any,
    first: int, last: int, share: float, key0: Any, key1: Any, purpose: Any, low: Any, high: Any,
) -> None:  # fmt: skip
    """Rows stand block by block, as they are in ``low`` and in ``high``."""
    columns = low.shape[1]
    largest = 0
    for block in range(first, last):
        largest = max(largest, starts[block + 1] - starts[block])
    residual = np.empty(largest, np.int64)  # f over the columns that are still exact
    scratch = np.empty(largest, np.int64)
    for block in range(first, last):
        begin, end = starts[block], starts[block + 1]
        rows = end - begin
        if as_is[block]:
            continue
        residual[:rows] = totals[begin:end]
        opened_low, opened_high = 0, 0  # what the opened columns add to the ends of F
        exact = np.ones(columns, np.bool_)
        while not _alike(residual[:rows], opened_low, opened_high, share):
            chosen = _column_to_open(
                low, weights, begin, rows, residual, scratch, exact,
                key0, key1, purpose, salts[block],
            )  # fmt: skip
            exact[chosen] = False
            weight = weights[chosen]
            smallest, greatest = low[begin, chosen], low[begin, chosen]
            for i in range(rows):
                value = low[begin + i, chosen]
                residual[i] -= weight * value
                smallest = min(smallest, value)
                greatest = max(greatest, value)
            for i in range(rows):
                low[begin + i, chosen] = smallest
                high[begin + i, chosen] = greatest
            opened_low += min(weight * smallest, weight * greatest)
            opened_high += max(weight * smallest, weight * greatest)


@compiled
def _alike(residual: Any, opened_low: int, opened_high: int, share: float) -> Any:
    """max a <= min a + d |min a| and min b >= max b - d |max b|; with d = 0, one F for all."""
    smallest, greatest = residual[0], residual[0]
    for value in residual:
        smallest = min(smallest, value)
        greatest = max(greatest, value)
    spread = greatest - smallest
    if spread == 0:
        return True
    return spread <= share * abs(smallest + opened_low) and spread <= share * abs(greatest + opened_high)


@compiled
def _column_to_open(
    block: Any, weights: Any, begin: int, rows: int, residual: Any, scratch: Any, exact: Any,
    key0: Any, key1: Any, purpose: Any, salt: Any,
) -> int:  # fmt: skip
    """The exact column without which the residuals are most alike; equals are drawn at random."""
    best, best_difference = -1, 0.0
    unchanged = -1.0
    for column in range(len(weights)):
        if not exact[column]:
            continue
        constant = True
        for i in range(rows):
            if block[begin + i, column] != block[begin, column]:
                constant = False
                break
        if constant and unchanged >= 0:
            difference = unchanged
        else:
            for i in range(rows):
                scratch[i] = residual[i] - weights[column] * block[begin + i, column]
            difference = _pairwise_difference(scratch[:rows])
            if constant:
                unchanged = difference
        if best < 0 or difference < best_difference:
            best, best_difference = column, difference
        elif difference == best_difference and draw_column(key0, key1, purpose, salt, column) < draw_column(
            key0, key1, purpose, salt, best
        ):
            best = column
    return best


@compiled
def _pairwise_difference(values: Any) -> float:
    """Sum of |a - b| over all pairs. Of few values, pair by pair, without a branch; of many, sorted,
    where value i is counted 2i - m + 1 times."""
    rows = len(values)
    spread = values.max() - values.min()
    if rows <= FEW_ROWS and spread < SAFE_SPREAD:
        pairs = 0
        for i in range(1, rows):
            for j in range(i):
                pairs += abs(values[i] - values[j])
        return float(pairs)
    values.sort()
    total = 0.0
    for i in range(rows):
        total += float(2 * i - rows + 1) * float(values[i] - values[0])
    return total


def _for_any(
    values: Ints,
    f: Aggregate,
    starts: Ints,
    salts: Ints,
    as_is: Bools,
    share: float,
    key: Key,
) -> tuple[Ints, Ints]:
    """The same algorithm for any aggregate, many blocks of one size at a time."""
    low, high = values.copy(), values.copy()
    sizes = np.diff(starts)
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        for first in range(0, len(alike), BLOCKS_AT_ONCE):
            blocks = alike[first : first + BLOCKS_AT_ONCE]
            rows = starts[blocks][:, np.newaxis] + np.arange(size)
            draws = _draws(key, salts[blocks], values.shape[1])
            low[rows], high[rows] = _open_columns(low[rows], f, share, as_is[blocks], draws)
    return low, high


def _draws(key: Key, salts: Ints, columns: int) -> Hashes:
    draws = np.empty((len(salts), columns), np.uint64)
    _fill_draws(key[0], key[1], np.uint64(Purpose.COLUMNS), salts, draws)
    return draws


@compiled
def _fill_draws(key0: Any, key1: Any, purpose: Any, salts: Any, draws: Any) -> None:
    for i in range(draws.shape[0]):
        for column in range(draws.shape[1]):
            draws[i, column] = draw_column(key0, key1, purpose, salts[i], column)


def _open_columns(cells: Ints, f: Aggregate, share: float, as_is: Bools, draws: Hashes) -> tuple[Ints, Ints]:
    """Open columns of (block, row, column) cells until every block's F are alike."""
    low, high = cells.copy(), cells.copy()
    exact = np.ones((len(cells), cells.shape[2]), bool)
    open_blocks = np.flatnonzero(~as_is)
    while len(open_blocks):
        alike = _blocks_alike(*f.image(low[open_blocks], high[open_blocks]), share)
        if not f.ends_suffice:
            alike &= _exact_cells_equal(cells[open_blocks], exact[open_blocks]) | exact[open_blocks].all(
                axis=1
            )
        open_blocks = open_blocks[~alike]
        if not len(open_blocks):
            break
        chosen = _columns_to_open(cells[open_blocks], f, exact[open_blocks], draws[open_blocks])
        exact[open_blocks, chosen] = False
        column = cells[open_blocks, :, chosen]
        low[open_blocks, :, chosen] = column.min(axis=1, keepdims=True)
        high[open_blocks, :, chosen] = column.max(axis=1, keepdims=True)
    return low, high


def _blocks_alike(a: AnyArray, b: AnyArray, share: float) -> Bools:
    smallest, greatest = a.min(axis=1), b.max(axis=1)
    lower, upper = a.max(axis=1) - smallest, greatest - b.min(axis=1)
    alike = (lower <= share * np.abs(smallest)) & (upper <= share * np.abs(greatest))
    return np.asarray(alike | ((lower == 0) & (upper == 0)))


def _exact_cells_equal(cells: Ints, exact: Bools) -> Bools:
    """Do all rows of a block agree in every column that is still exact?"""
    return np.asarray(((cells == cells[:, :1]).all(axis=1) | ~exact).all(axis=1))


def _columns_to_open(cells: Ints, f: Aggregate, exact: Bools, draws: Hashes) -> Ints:
    rows, columns = cells.shape[1:]
    times = 2.0 * np.arange(rows) - rows + 1
    differences = np.full(exact.shape, np.inf)
    for column in range(columns):
        kept = exact.copy()
        kept[:, column] = False
        rest = np.sort(f.without(cells, kept[:, np.newaxis, :]), axis=1)
        differences[:, column] = (rest - rest[:, :1]) @ times
    differences[~exact] = np.inf
    least = differences == differences.min(axis=1, keepdims=True)
    return np.asarray(np.argmin(np.where(least, draws, np.iinfo(np.uint64).max), axis=1))


def totals_of(f: Aggregate | WeightedSum, values: Ints) -> AnyArray:
    """f of every row."""
    return f.of(values) if isinstance(f, WeightedSum) else np.asarray(f.image(values, values)[0])
