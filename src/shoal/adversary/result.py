"""What one attacker finds: candidates per person, how likely the right one is, and how bad that is.

A candidate is a record that may be the person's, or a sensitive value that may be theirs. Success is the
probability that the attacker holds the right one when they pick among the candidates. Where several classes
fit a person there are several readings of them, and the attacker is judged by the best
(`candidate_reading.py`). No result holds a cell of a table: people are row numbers, classes are numbers,
columns are names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any, Literal

import numpy as np

from shoal.adversary.candidate_reading import ALL_FIT, CONFIDENT, CandidateReading
from shoal.arrays import Floats, Ints
from shoal.display import html_note, html_sentence, html_table

Level = Literal["safe", "watch", "exposed"]
TELLING, ALARMING = 1.1, 1.5  # times the baseline, beyond which a guess is more than chance
TOLD, CERTAIN = 0.1, 0.5  # or share of the doubt that is gone
DIGITS = 2  # that count, of a success that is compared with a threshold: what differs less is the same
FINEST = 12  # digits after the point that floats keep
READ_BY = {
    "all that fit": "as one among all that fit",
    "narrowest class": "in the narrowest class that fits",
    "by volume": "with every record weighed by how little its cells leave open",
    "own class": "in the person's own class",
}


@dataclass(frozen=True)
class AttackResult:
    """``candidates`` and ``success`` are those of ``people``, rows of the original table, if all that fit
    are candidates; ``readings`` are better ones. Nobody who fits, 0 candidates, was not found. ``needed`` is
    how many candidates the policy asks for. ``times``: people were counted, so many of each, not listed."""

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
    readings: tuple[CandidateReading, ...] = field(default=(), repr=False)
    times: Ints | None = field(default=None, repr=False)

    @cached_property
    def all_readings(self) -> tuple[CandidateReading, ...]:
        """All that fit first, then the others."""
        fitting = CandidateReading(ALL_FIT, self.candidates, self.success, self.times, self.baseline)
        return fitting, *self.readings

    @cached_property
    def best(self) -> CandidateReading:
        """The reading that succeeds most often; of equal ones the one that leaves the fewest candidates."""
        return max(self.all_readings, key=lambda one: (round(one.mean, 9), one.below(self.needed)))

    @property
    def attacked(self) -> int:
        """How many people were attacked."""
        return self.all_readings[0].people

    @property
    def sampled(self) -> bool:
        """Were fewer people attacked than there are? Own classes are those of everybody."""
        return self.attacked < self.population

    @cached_property
    def below(self) -> float:
        """The share of people with fewer candidates than needed, by the reading with the most of them."""
        return self._fewest.below(self.needed)

    @cached_property
    def _fewest(self) -> CandidateReading:
        return max(self.all_readings, key=lambda one: (one.below(self.needed), one.people))

    @cached_property
    def smallest(self) -> int:
        """The fewest candidates of anybody who was found, by any reading; 0 if nobody was."""
        return min((one.smallest for one in self.all_readings if one.smallest), default=0)

    @property
    def median(self) -> float:
        return self.best.median

    @cached_property
    def expected(self) -> float:
        """Mean success of the best reading."""
        return self.best.mean

    @cached_property
    def largest(self) -> float:
        """Largest success with anybody, by any reading."""
        return max(one.largest for one in self.all_readings)

    @property
    def margin(self) -> float | None:
        """How far the expected success may be off (95 %) because only some people were attacked."""
        return self._margin(self.best, self.best.spread)

    @property
    def below_margin(self) -> float | None:
        """The same of the share below; where nobody of those drawn is, up to three in as many may be."""
        found = self._margin(self._fewest, sqrt(self.below * (1 - self.below)))
        return None if found is None else max(found, min(3 / self._fewest.people, 1.0))

    def _margin(self, read: CandidateReading, spread: float) -> float | None:
        if not 0 < read.people < self.population:
            return None
        left_out = 1 - read.people / self.population
        return CONFIDENT * sqrt(left_out / read.people) * spread

    @property
    def histogram(self) -> dict[str, int]:
        """People by their number of candidates, as the best reading has them."""
        return self.best.histogram

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
        """Is a guess of some reading surely so many times better than a blind one, or is that share of the
        doubt gone? Figures are rounded first, so that what differs by chance does not differ in level."""
        for read in self.all_readings:
            if read.baseline is None or read.baseline >= 1:
                continue
            enough = min(times * read.baseline, read.baseline + doubt * (1 - read.baseline))
            if in_short(read.surely) > in_short(max(enough, above)):
                return True
        return False

    def of_people(self) -> tuple[Ints, Floats]:
        """Of each of ``people`` the fewest candidates and the largest success of all readings that list
        people one by one."""
        listed = [one for one in self.all_readings if one.times is None]
        return (
            np.min([one.candidates for one in listed], axis=0),
            np.max([one.success for one in listed], axis=0),
        )

    def sentence(self) -> str:
        what = "records" if self.finds == "record" else "values"
        few = f"{self.smallest:,}, median {self.median:,g}"
        share = with_margin(self.below, self.below_margin)
        return (
            f"Someone who knows {self.knows}: {share} of {self.who()} have fewer than {self.needed:,} {what} "
            f"that may be theirs (fewest {few}); the right one is picked with probability "
            f"{self.expected:.2g} on average, at most {self.largest:.2g}{self.read_by()}."
        )

    def who(self) -> str:
        """The people that the figures are about."""
        if self.best.people >= self.population:
            return f"{self.population:,} people"
        return f"{self.best.people:,} of {self.population:,} people, drawn at random"

    def read_by(self) -> str:
        """A phrase on the reading that succeeds most, where there are several, and on what all that fit would
        leave."""
        if not self.readings:
            return ""
        told = f", {READ_BY.get(self.best.name, f'with a reading for each release ({self.best.name})')}"
        if self.best.name == ALL_FIT:
            return told
        fitting = self.all_readings[0]
        return f"{told} (as one among all that fit: {fitting.mean:.2g}, at most {fitting.largest:.2g})"

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
            "reading": self.best.name,
            "readings": {one.name: one.as_dict(self.needed) for one in self.all_readings},
            "histogram": self.histogram,
            "figures": dict(self.figures),
            "notes": list(self.notes),
            "sentence": self.sentence(),
        }


def in_short(success: float) -> float:
    """A success in the digits that count, however small it is; near 1 they are those of the doubt it leaves.

    >>> in_short(0.0144), in_short(0.5512), in_short(0.93), in_short(0.98412)
    (0.014, 0.55, 0.93, 0.984)
    """
    if success > 0.5:
        return round(1 - float(f"{1 - success:.{DIGITS}g}"), FINEST)
    return float(f"{success:.{DIGITS}g}")


def percent(share: float) -> str:
    """
    >>> percent(0), percent(0.00004), percent(0.736), percent(1)
    ('0%', '0.004%', '73.6%', '100%')
    """
    return f"{100 * share:.3g}%" if share == 0 or share >= 0.01 else f"{100 * share:.1g}%"


def with_margin(share: float, margin: float | None) -> str:
    """A share in percent, with its margin of error if it has one."""
    return percent(share) + (f" ± {percent(margin)}" if margin else "")
