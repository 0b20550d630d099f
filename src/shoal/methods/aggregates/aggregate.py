"""What a method has to know about an aggregate f of a record."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from shoal.arrays import AnyArray, Bools, Floats, Ints
from shoal.kernels.compiled import compiled, over_ranges

Values = AnyArray  # int64 where f is exact, float64 where it has a root or a quotient


class Aggregate(Protocol):
    """Any aggregate whose image over a box is known."""

    def image(self, low: Ints, high: Ints) -> tuple[Values, Values]:
        """Smallest and largest f over boxes ``low .. high``; the last axis holds the columns."""
        ...

    @property
    def ends_suffice(self) -> bool:
        """Do rows with equal ends and the same opened ranges take the same values in between?"""
        ...

    def without(self, values: Ints, kept: Bools) -> Floats:
        """f of the columns that are kept, as if the others were not in the record."""
        ...


@dataclass(frozen=True)
class WeightedSum:
    """f = constant + sum of weights * columns, in whole numbers: it has kernels of its own."""

    weights: Ints
    constant: int = 0

    def of(self, values: Ints) -> Ints:
        """f of every row.

        >>> WeightedSum(np.array([1, -2])).of(np.array([[5, 1], [0, 3]])).tolist()
        [3, -6]
        """
        totals = np.empty(len(values), np.int64)

        def work(start: int, stop: int) -> None:
            _totals(values, self.weights, self.constant, start, stop, totals)

        over_ranges(work, len(values))
        return totals


@compiled
def _totals(values: Any, weights: Any, constant: int, start: int, stop: int, totals: Any) -> None:
    for row in range(start, stop):
        total = constant
        for column in range(values.shape[1]):
            total += weights[column] * values[row, column]
        totals[row] = total
