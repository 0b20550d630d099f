"""What an attacker finds, of people who were counted and not listed."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.attack.result import BARS, STEPS, AttackResult, Ints


@dataclass(frozen=True)
class Tally:
    """Different numbers of candidates in order, and how many people have each."""

    candidates: Ints
    times: Ints

    @classmethod
    def of(cls, candidates: Ints, times: Ints) -> "Tally":
        """
        >>> Tally.of(np.array([3, 1, 3]), np.array([5, 1, 2])).times.tolist()
        [1, 7]
        """
        different, places = np.unique(candidates, return_inverse=True)
        total = np.zeros(len(different), np.int64)
        np.add.at(total, places, times)
        return cls(different, total)

    def joined(self, other: "Tally") -> "Tally":
        pairs = zip((self.candidates, self.times), (other.candidates, other.times), strict=True)
        return Tally.of(*map(np.concatenate, pairs))

    @property
    def success(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Of who picks one of the candidates at random."""
        return np.where(self.candidates > 0, 1 / np.maximum(self.candidates, 1), 0.0)


@dataclass(frozen=True)
class TalliedResult(AttackResult):
    """``candidates`` and ``success`` are those of as many people as ``times`` says; ``people`` is empty."""

    times: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)

    @property
    def attacked(self) -> int:
        return int(self.times.sum())

    @cached_property
    def below(self) -> float:
        few = (self.candidates > 0) & (self.candidates < self.needed)
        return int(self.times[few].sum()) / max(self.attacked, 1)

    @cached_property
    def median(self) -> float:
        found = self.candidates > 0
        until = np.cumsum(self.times[found])
        if not len(until):
            return 0.0
        middle = [(until[-1] - 1) // 2, until[-1] // 2]
        return float(self.candidates[found][np.searchsorted(until, middle, "right")].mean())

    @cached_property
    def expected(self) -> float:
        return float((self.success * self.times).sum()) / max(self.attacked, 1)

    @cached_property
    def histogram(self) -> dict[str, int]:
        counts = np.zeros(len(BARS), np.int64)
        np.add.at(counts, np.searchsorted(STEPS, self.candidates, "right"), self.times)
        return dict(zip(BARS, counts.tolist(), strict=True))


def tallied_result(tally: Tally, attack: str, knows: str, needed: int, promised: bool) -> TalliedResult:
    """Records found in a table, of everybody."""
    return TalliedResult(
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
    )
