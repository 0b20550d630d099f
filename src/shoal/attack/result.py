"""What one attacker finds: candidates per person, how likely the right one is, and how bad that is.

A candidate is a record that may be the person's, or a sensitive value that may be theirs. Success is the
probability that the attacker holds the right one when they pick among the candidates as well as they can.
No result holds a cell of a table: people are row numbers, classes are numbers, columns are names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.display import html_note, html_sentence, html_table

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Level = Literal["safe", "watch", "exposed"]
STEPS = (1, 2, 3, 5, 10, 20, 50, 100)  # where the bars of a histogram begin
CONFIDENT = 1.96  # standard deviations on each side of 95 %
TELLING, ALARMING = 1.1, 1.5  # times the baseline, beyond which a guess is more than chance
TOLD, CERTAIN = 0.1, 0.5  # or share of the doubt that is gone


@dataclass(frozen=True)
class AttackResult:
    """``candidates`` and ``success`` are those of ``people``, rows of the original table. Nobody who fits, 0
    candidates, was not found. ``needed`` is how many candidates the policy asks for."""

    attack: str
    knows: str  # what the attacker knows, to follow "someone who knows"
    finds: Literal["record", "value"]
    needed: int
    promised: bool  # does the policy promise to resist this attacker?
    people: Ints = field(repr=False)
    candidates: Ints = field(repr=False)
    success: Floats = field(repr=False)
    population: int = 0  # people there are, of whom these were attacked
    baseline: float | None = None  # success of a blind guess, for attacks that must beat one
    broken: bool | None = None  # a promise that is not about the number of candidates: is it broken?
    figures: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def attacked(self) -> int:
        """How many people."""
        return len(self.people)

    @property
    def sampled(self) -> bool:
        return self.attacked < self.population

    @cached_property
    def below(self) -> float:
        """The share of people with fewer candidates than needed."""
        return _mean((self.candidates > 0) & (self.candidates < self.needed))

    @cached_property
    def smallest(self) -> int:
        """The fewest candidates of anybody who was found; 0 if nobody was."""
        found = self.candidates[self.candidates > 0]
        return int(found.min()) if len(found) else 0

    @cached_property
    def median(self) -> float:
        found = self.candidates[self.candidates > 0]
        return float(np.median(found)) if len(found) else 0.0

    @cached_property
    def expected(self) -> float:
        return _mean(self.success)

    @cached_property
    def largest(self) -> float:
        return float(self.success.max(initial=0.0))

    @property
    def margin(self) -> float | None:
        """How far the expected success may be off (95 %) because only some people were attacked."""
        return self._margin(float(self.success.std())) if self.sampled and len(self.people) else None

    @property
    def below_margin(self) -> float | None:
        """The same of the share below; where nobody of those drawn is, up to three in as many may be."""
        if not self.sampled or not len(self.people):
            return None
        return max(self._margin(sqrt(self.below * (1 - self.below))), min(3 / len(self.people), 1.0))

    def _margin(self, spread: float) -> float:
        left_out = 1 - len(self.people) / self.population
        return CONFIDENT * sqrt(left_out / len(self.people)) * spread

    @cached_property
    def histogram(self) -> dict[str, int]:
        """People by their number of candidates.

        >>> some = np.array([1, 4, 4, 300])
        >>> AttackResult("linkage", "age", "record", 5, True, some, some, 1 / some, 4).histogram
        {'0': 0, '1': 1, '2': 0, '3-4': 2, '5-9': 0, '10-19': 0, '20-49': 0, '50-99': 0, '100+': 1}
        """
        counts = np.bincount(np.searchsorted(STEPS, self.candidates, "right"), minlength=len(STEPS) + 1)
        return dict(zip(BARS, counts.tolist(), strict=True))

    @property
    def level(self) -> Level:
        """Exposed: a promise is broken, or a guess is far better than chance, and than one among as many as
        are needed. Watch: who is not promised against finds too few, or guesses better than chance."""
        if self.breaks or self._guesses(ALARMING, CERTAIN, above=1 / self.needed):
            return "exposed"
        return "watch" if self.below or self._guesses(TELLING, TOLD) else "safe"

    @property
    def breaks(self) -> bool:
        """Is a promise broken?"""
        return self.promised and (self.below > 0 if self.broken is None else self.broken)

    def _guesses(self, times: float, doubt: float, above: float = 0.0) -> bool:
        """Is a guess surely so many times better than a blind one, or is that share of the doubt gone?"""
        if self.baseline is None:
            return False
        surely = self.expected - CONFIDENT * float(self.success.std()) / sqrt(max(len(self.people), 1))
        enough = min(times * self.baseline, self.baseline + doubt * (1 - self.baseline))
        return surely > max(enough, above) and self.baseline < 1

    def sentence(self) -> str:
        people = f"{len(self.people):,} of {self.population:,} people, drawn at random" if self.sampled else (
            f"{self.population:,} people"
        )  # fmt: skip
        what = "records" if self.finds == "record" else "values"
        few = f"{self.smallest:,}, median {self.median:,g}"
        share = with_margin(self.below, self.below_margin)
        return (
            f"Someone who knows {self.knows}: {share} of {people} have fewer than {self.needed:,} {what} "
            f"that may be theirs (fewest {few}); the right one is picked with probability "
            f"{self.expected:.2g} on average, at most {self.largest:.2g}."
        )

    def _repr_html_(self) -> str:
        bars = {bar: count for bar, count in self.histogram.items() if count}
        return "".join(
            [
                html_sentence(f"{self.attack}: {self.level}", self.sentence()),
                html_table(["candidates", *bars], [["people", *(f"{count:,}" for count in bars.values())]]),
                *map(html_note, self.notes),
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "attack": self.attack,
            "knows": self.knows,
            "finds": self.finds,
            "promised": self.promised,
            "level": self.level,
            "needed": self.needed,
            "people": self.population,
            "attacked": self.attacked,
            "below": round(self.below, 6),
            "below_margin": None if self.below_margin is None else round(self.below_margin, 6),
            "smallest": self.smallest,
            "median": self.median,
            "expected": round(self.expected, 6),
            "expected_margin": None if self.margin is None else round(self.margin, 6),
            "largest": round(self.largest, 6),
            "baseline": None if self.baseline is None else round(self.baseline, 6),
            "histogram": self.histogram,
            "figures": dict(self.figures),
            "notes": list(self.notes),
            "sentence": self.sentence(),
        }


def percent(share: float) -> str:
    """
    >>> percent(0), percent(0.00004), percent(0.736), percent(1)
    ('0%', '0.004%', '73.6%', '100%')
    """
    return f"{100 * share:.3g}%" if share == 0 or share >= 0.01 else f"{100 * share:.1g}%"


def with_margin(share: float, margin: float | None) -> str:
    return percent(share) + (f" ± {percent(margin)}" if margin else "")


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0


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
