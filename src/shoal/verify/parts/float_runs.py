"""Where a line of floats can be cut without a look at all of them side by side: between two that do not count
as equal.

Floats are dealt out in steps by their first bits, a thousand steps from each power of two to the next. The
smallest and the largest of a step say whether it is apart from the next one; steps that are not make one run.
"""

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.verify.aggregate.image import TOLERANCE

REST = 42  # of 64 bits; ten of the fraction's are left
MAGNITUDE = np.int64(2**63 - 1)


@dataclass(frozen=True)
class FloatRuns:
    """Steps that hold floats, in rising order, with the first and the last of each."""

    steps: Ints
    first: Floats
    last: Floats

    @classmethod
    def of(cls, values: Floats) -> "FloatRuns":
        """
        >>> FloatRuns.of(np.array([3.0, 0.1 + 0.2, 0.3])).run_of(np.array([0.3, 3.0])).tolist()
        [0, 1]
        """
        return cls._merged(_steps(values), values, values)

    @classmethod
    def _merged(cls, steps: Ints, first: Floats, last: Floats) -> "FloatRuns":
        different, at = np.unique(steps, return_inverse=True)
        lowest, highest = np.full(len(different), np.inf), np.full(len(different), -np.inf)
        np.minimum.at(lowest, at, first)
        np.maximum.at(highest, at, last)
        return cls(different, lowest, highest)

    def joined(self, other: "FloatRuns") -> "FloatRuns":
        return self._merged(
            np.concatenate([self.steps, other.steps]),
            np.concatenate([self.first, other.first]),
            np.concatenate([self.last, other.last]),
        )

    def run_of(self, values: Floats) -> Ints:
        """The run of every value: those that count as equal have the same."""
        below, above = self.last[:-1], self.first[1:]
        apart = above - below > TOLERANCE * np.maximum(np.abs(above), np.abs(below))
        runs = np.cumsum(np.append(0, apart))
        return np.asarray(runs[np.searchsorted(self.steps, _steps(values))])


def _steps(values: Floats) -> Ints:
    """Whole numbers in the order of the floats: bits of negative ones fall as they rise."""
    bits = (values + 0.0).view(np.int64)
    return np.asarray((bits ^ ((bits >> 63) & MAGNITUDE)) >> REST)
