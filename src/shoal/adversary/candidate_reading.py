"""One way to read what was published: whom an attacker takes for the candidates, and how often that is right.

Classes may overlap, as local recoding leaves them, and then several fit a person. An attacker may

- take **all that fit**, every record as likely as the other;
- take the **narrowest class** that fits: the one whose cells leave the fewest values open;
- weigh every record **by volume**: one over the number of values that its cells leave open, which is how
  likely it shows the person if all values of its cells are alike;
- or know the **own class** of a person, by whom else it holds or by how classes are formed.

No attacker is weaker than the best of their readings, so that one is judged.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints

STEPS = (1, 2, 3, 5, 10, 20, 50, 100)  # where the bars of a histogram begin
CONFIDENT = 1.96  # standard deviations on each side of 95 %
ALL_FIT, NARROWEST, BY_VOLUME, OWN_CLASS = "all that fit", "narrowest class", "by volume", "own class"


@dataclass(frozen=True)
class CandidateReading:
    """Candidates and success, each of as many people as ``times`` says; of one without it. ``baseline`` is
    the success of a blind guess among the same candidates, for attacks that must beat one."""

    name: str
    candidates: Ints
    success: Floats
    times: Ints | None = None
    baseline: float | None = None

    @classmethod
    def of_own_classes(cls, sizes: Ints, people: int) -> "CandidateReading":
        """Everybody who was published is one of the records of their class; the other people are nowhere.

        >>> found = CandidateReading.of_own_classes(np.array([1, 4]), people=6)
        >>> found.mean, found.largest, found.smallest
        (0.3333333333333333, 1.0, 1)
        """
        return cls.with_absent(OWN_CLASS, sizes, 1 / np.maximum(sizes, 1), sizes, people)

    @classmethod
    def with_absent(
        cls, name: str, candidates: Ints, success: Floats, times: Ints, people: int
    ) -> "CandidateReading":
        """A reading of people who were counted, and of those among all ``people`` who are in no record."""
        absent = max(people - int(times.sum()), 0)
        nobody = np.zeros(1, np.int64)
        return cls(
            name,
            np.append(candidates, nobody),
            np.append(success, 0.0),
            np.append(times, absent).astype(np.int64),
        )

    @cached_property
    def people(self) -> int:
        """Number of people who were read."""
        return len(self.candidates) if self.times is None else int(self.times.sum())

    @cached_property
    def mean(self) -> float:
        """Mean success over all people; 0 of nobody."""
        return self._share(self.success)

    @cached_property
    def largest(self) -> float:
        """Largest success with anybody."""
        there = self.success if self.times is None else self.success[self.times > 0]
        return float(there.max(initial=0.0))

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the success."""
        return sqrt(max(self._share((self.success - self.mean) ** 2), 0.0))

    @property
    def surely(self) -> float:
        """The mean success that a sample of so many people shows at least (95 %)."""
        return self.mean - CONFIDENT * self.spread / sqrt(max(self.people, 1))

    def below(self, needed: int) -> float:
        """The share of people who have candidates, but fewer than needed."""
        return self._share((self.candidates > 0) & (self.candidates < needed))

    @cached_property
    def smallest(self) -> int:
        """The fewest candidates of anybody who was found; 0 if nobody was."""
        candidates, _ = self._people_with_candidates
        return int(candidates.min()) if len(candidates) else 0

    @cached_property
    def median(self) -> float:
        """The median number of candidates of those who were found."""
        candidates, times = self._people_with_candidates
        if not len(candidates):
            return 0.0
        order = np.argsort(candidates, kind="stable")
        until = np.cumsum(times[order])
        middle = [(until[-1] - 1) // 2, until[-1] // 2]
        return float(candidates[order][np.searchsorted(until, middle, "right")].mean())

    @cached_property
    def histogram(self) -> dict[str, int]:
        """People by their number of candidates.

        >>> some = np.array([1, 4, 4, 300])
        >>> CandidateReading(ALL_FIT, some, 1 / some).histogram
        {'0': 0, '1': 1, '2': 0, '3-4': 2, '5-9': 0, '10-19': 0, '20-49': 0, '50-99': 0, '100+': 1}
        """
        counts = np.zeros(len(BARS), np.int64)
        np.add.at(counts, np.searchsorted(STEPS, self.candidates, "right"), self._times)
        return dict(zip(BARS, counts.tolist(), strict=True))

    def as_dict(self, needed: int) -> dict[str, Any]:
        return {
            "expected": round(self.mean, 6),
            "largest": round(self.largest, 6),
            "below": round(self.below(needed), 6),
            "smallest": self.smallest,
            "median": self.median,
        }

    @property
    def _times(self) -> Ints:
        return np.ones(len(self.candidates), np.int64) if self.times is None else self.times

    @property
    def _people_with_candidates(self) -> tuple[Ints, Ints]:
        """The numbers of candidates of the people who have any, and how many people have so many."""
        times = self._times
        there = (self.candidates > 0) & (times > 0)
        return self.candidates[there], times[there]

    def _share(self, figures: AnyArray) -> float:
        if not self.people:
            return 0.0
        return float(figures.mean() if self.times is None else (figures * self.times).sum() / self.people)


def _bars() -> tuple[str, ...]:
    """
    >>> _bars()[:4]
    ('0', '1', '2', '3-4')
    """
    ends = [after - 1 for after in STEPS[1:]]
    between = [
        str(first) if first == last else f"{first}-{last}" for first, last in zip(STEPS, ends, strict=False)
    ]
    return ("0", *between, f"{STEPS[-1]}+")


BARS = _bars()
