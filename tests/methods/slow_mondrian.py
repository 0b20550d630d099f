"""Mondrian by recursion over lists of rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.kernels.keyed_hash import Purpose

from .slow_siphash import slow_hash

Box = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class SlowMondrian:
    values: list[list[int]]
    k: int
    key: object
    relaxed: bool = False
    textbook: bool = False

    def classes(self) -> dict[frozenset[int], Box]:
        """The rows of every class and its tight box."""
        return {frozenset(rows): self._box(rows) for rows, _ in self._parts()}

    def split_widths(self) -> list[int]:
        """How wide the regions between the cuts are, per column, summed over rows."""
        return [
            sum(len(rows) * (top[at] - bottom[at]) for rows, (bottom, top) in self._parts())
            for at in range(len(self.values[0]))
        ]

    def _parts(self) -> list[tuple[list[int], Box]]:
        rows = list(range(len(self.values)))
        return self._cut(rows, self._box(rows))

    def _cut(self, rows: list[int], region: Box) -> list[tuple[list[int], Box]]:
        if len(rows) >= 2 * self.k:
            for column in self._widest_first(rows):
                median, left, right = self._sides(rows, column)
                if min(len(left), len(right)) >= self.k:
                    bottom, top = region
                    below = bottom, _replaced(top, column, median)
                    above = _replaced(bottom, column, median), top
                    return self._cut(left, below) + self._cut(right, above)
        return [(rows, region)]

    def _box(self, rows: Iterable[int]) -> Box:
        columns = list(zip(*(self.values[row] for row in rows), strict=True))
        return tuple(map(min, columns)), tuple(map(max, columns))

    def _widest_first(self, rows: list[int]) -> list[int]:
        """Columns that vary, by their width as a share of the whole column's."""
        low, high = self._box(rows)
        whole_low, whole_high = self._box(range(len(self.values)))
        widths = [
            Fraction(high[at] - low[at], max(whole_high[at] - whole_low[at], 1)) for at in range(len(low))
        ]
        return sorted((at for at, width in enumerate(widths) if width), key=lambda at: (-widths[at], at))

    def _sides(self, rows: list[int], column: int) -> tuple[int, list[int], list[int]]:
        cell = {row: self.values[row][column] for row in rows}
        median = sorted(cell.values())[(len(rows) - 1) // 2]
        if self.relaxed:
            ranked = sorted(rows, key=lambda row: (cell[row], slow_hash(self.key, Purpose.TIES, row)))
            return median, ranked[: len(rows) // 2], ranked[len(rows) // 2 :]
        left = [row for row in rows if cell[row] <= median]
        if not self.textbook and not self.k <= len(left) <= len(rows) - self.k:
            left = [row for row in rows if cell[row] < median]
        return median, left, [row for row in rows if row not in left]


def _replaced(ends: tuple[int, ...], column: int, value: int) -> tuple[int, ...]:
    return (*ends[:column], value, *ends[column + 1 :])
