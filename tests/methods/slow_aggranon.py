"""aggrAnon as one would explain it: block by block, column by column, nothing clever."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.kernels.keyed_hash import Purpose
from shoal.methods.aggregates.knowledge import Tolerance

from .slow_nearby import has_company_everywhere
from .slow_siphash import slow_hash

Row = list[int]


@dataclass(frozen=True)
class SlowAggregate:
    """f of a record, its range over a box, and f of only some of the columns.

    Where equal ends do not suffice, a block that opens anything keeps only equal cells exact.
    """

    image: Callable[[Row, Row], tuple[int, int]]
    without: Callable[[Row, list[bool]], int]
    ends_suffice: bool = True

    def of(self, row: Row) -> int:
        return self.image(row, row)[0]


def slow_weighted_sum(weights: Row, constant: int = 0) -> SlowAggregate:
    def image(low: Row, high: Row) -> tuple[int, int]:
        ends = [sorted((w * a, w * b)) for w, a, b in zip(weights, low, high, strict=True)]
        return constant + sum(a for a, _ in ends), constant + sum(b for _, b in ends)

    def without(row: Row, kept: list[bool]) -> int:
        return constant + sum(w * value for w, value, keep in zip(weights, row, kept, strict=True) if keep)

    return SlowAggregate(image, without)


def slow_largest() -> SlowAggregate:
    """The largest of all columns; 0 when no column is left."""
    return SlowAggregate(
        image=lambda low, high: (max(low), max(high)),
        without=lambda row, kept: max((v for v, keep in zip(row, kept, strict=True) if keep), default=0),
    )


def slow_aggranon(values, f: SlowAggregate, k: int, key, within: Tolerance | None = None):
    """Low and high ends in the order of the input rows."""
    rows = [[int(cell) for cell in row] for row in values]
    totals = [f.of(row) for row in rows]
    order = sorted(range(len(rows)), key=lambda row: (totals[row], slow_hash(key, Purpose.TIES, row), row))
    low, high = [list(row) for row in rows], [list(row) for row in rows]
    for block in _blocks(order, k):
        if within and within.anywhere and _all_have_company(block, totals, within, k):
            continue
        share = within.share if within and not within.anywhere else 0.0
        exact = [True] * len(rows[0])
        while not (
            _alike([f.image(low[row], high[row]) for row in block], share)
            and (f.ends_suffice or all(exact) or _same_exact_cells([rows[row] for row in block], exact))
        ):
            column = _column_to_open([rows[row] for row in block], f, exact, key, block[0])
            exact[column] = False
            cells = [rows[row][column] for row in block]
            for row in block:
                low[row][column], high[row][column] = min(cells), max(cells)
    return np.array(low), np.array(high)


def _blocks(order: Row, k: int) -> list[Row]:
    count = max(len(order) // k, 1)
    return [order[i * k : (i + 1) * k if i < count - 1 else None] for i in range(count)]


def _all_have_company(block: Row, totals: Row, within: Tolerance, k: int) -> bool:
    return all(has_company_everywhere(totals, totals[row], within.share, k) for row in block)


def _alike(images: list[tuple[int, int]], share: float) -> bool:
    lows, highs = [a for a, _ in images], [b for _, b in images]
    return max(lows) <= min(lows) + share * abs(min(lows)) and min(highs) >= max(highs) - share * abs(
        max(highs)
    )


def _same_exact_cells(block: list[Row], exact: list[bool]) -> bool:
    return len({tuple(cell for cell, keep in zip(row, exact, strict=True) if keep) for row in block}) == 1


def _column_to_open(block: list[Row], f: SlowAggregate, exact: list[bool], key, salt: int) -> int:
    def badness(column: int) -> tuple[int, int]:
        kept = [is_exact and at != column for at, is_exact in enumerate(exact)]
        rest = [f.without(row, kept) for row in block]
        return sum(abs(a - b) for a, b in combinations(rest, 2)), slow_hash(
            key, Purpose.COLUMNS, salt * 65536 + column
        )

    return min((column for column, is_exact in enumerate(exact) if is_exact), key=badness)
