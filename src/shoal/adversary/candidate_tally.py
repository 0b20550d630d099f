"""What an attacker finds, of people who were counted and not listed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Floats, Ints


@dataclass(frozen=True)
class CandidateTally:
    """Different numbers of candidates in order, and how many people have each."""

    candidates: Ints
    times: Ints

    @classmethod
    def of(cls, candidates: Ints, times: Ints) -> "CandidateTally":
        """
        >>> CandidateTally.of(np.array([3, 1, 3]), np.array([5, 1, 2])).times.tolist()
        [1, 7]
        """
        different, places = np.unique(candidates, return_inverse=True)
        total = np.zeros(len(different), np.int64)
        np.add.at(total, places, times)
        return cls(different, total)

    def joined(self, other: "CandidateTally") -> "CandidateTally":
        pairs = zip((self.candidates, self.times), (other.candidates, other.times), strict=True)
        return CandidateTally.of(*map(np.concatenate, pairs))

    @property
    def success(self) -> Floats:
        """The success of an attacker who picks one of the candidates at random."""
        return np.where(self.candidates > 0, 1 / np.maximum(self.candidates, 1), 0.0)

    @property
    def found(self) -> dict[str, Any]:
        """The people of a result, who pick one of their candidates at random: everybody, counted."""
        return {
            "people": np.zeros(0, np.int64),
            "candidates": self.candidates,
            "success": self.success,
            "population": int(self.times.sum()),
            "times": self.times,
        }
