"""What an attacker finds, of people who were counted and not listed."""

from dataclasses import dataclass

import numpy as np

from shoal.adversary.candidate_reading import CandidateReading
from shoal.adversary.result import AttackResult
from shoal.arrays import Ints


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
    def success(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Of who picks one of the candidates at random."""
        return np.where(self.candidates > 0, 1 / np.maximum(self.candidates, 1), 0.0)


def result_of_tally(
    tally: CandidateTally,
    attack: str,
    knows: str,
    needed: int,
    promised: bool,
    readings: tuple[CandidateReading, ...] = (),
) -> AttackResult:
    """Records found in a table, of everybody."""
    return AttackResult(
        attack=attack,
        knows=knows,
        finds="record",
        needed=needed,
        promised=promised,
        people=np.zeros(0, np.int64),
        candidates=tally.candidates,
        success=tally.success,
        population=int(tally.times.sum()),
        times=tally.times,
        readings=readings,
    )
