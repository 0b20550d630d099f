"""Two releases of the same people by brute force: every person beside every record of both, in every reading.

Of each release an attacker takes all records that fit, the narrowest of these, or the person's own class, and
keeps what both releases leave: people, records or values. Nothing here imports an attack.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from tests.adversary.brute_readings import Cell, Knowledge, Record, readings

Reading = tuple[str, str]  # how each of two releases is read
NAMES = ("all", "narrowest", "own")


@dataclass(frozen=True)
class Published:
    """One of the releases: what its records show, whose they are, and what they tell of ``s``."""

    records: list[Record]
    link: list[int]
    values: list[Any]
    groups: list[Any]  # None where nothing is permuted
    people: list[dict[str, Any]]
    known: Knowledge

    def record_of(self, person: int) -> int | None:
        return self.link.index(person) if person in self.link else None

    @cached_property
    def _led(self) -> list[dict[str, list[int]]]:
        found = []
        for person, own in enumerate(map(self.record_of, range(len(self.people)))):
            read = readings(self.known, self.people[person], own or 0, self.records)
            records = {name: [at for at, _ in weighed] for name, weighed in read.items()}
            found.append(records | ({"own": []} if own is None else {}))
        return found

    def led(self, person: int, reading: str) -> list[int]:
        """The records that a reading takes for candidates."""
        return self._led[person][reading]

    def sharing(self, person: int, reading: str) -> set[int]:
        """Who is in the same records: in the own class, or fits any of those that a reading leads to."""
        led = set(self.led(person, reading))
        if reading == "own":
            absent = set(range(len(self.people))) - set(self.link)
            return {self.link[at] for at in led} if led else absent
        fitting = [set(read["all"]) for read in self._led]
        return {other for other, fits in enumerate(fitting) if fits & led or (not fits and not led)}

    def shares(self, person: int, reading: str) -> dict[Any, float]:
        """How much of what fits shows each value; a record of a group stands for all of it."""
        led = self.led(person, reading)
        own = self.record_of(person)
        if reading == "own" and own is not None and self.groups[own] is not None:
            led = [own]
        counted: Counter[Any] = Counter()
        for at in led:
            same = [other for other, group in enumerate(self.groups) if group == self.groups[at]]
            behind = [at] if self.groups[at] is None else same
            for other in behind:
                counted[self.values[other]] += 1 / len(behind)
        total = sum(counted.values())
        return {value: count / total for value, count in counted.items()}


def meet(one: Cell, other: Cell) -> bool:
    """Have two cells a value in common?"""
    if one[0] == "words" or other[0] == "words":
        return one[0] != other[0] or bool(one[1] & other[1])
    return one[1][0] <= other[1][1] and other[1][0] <= one[1][1]


@dataclass(frozen=True)
class Composed:
    """Two releases of these people."""

    people: list[dict[str, Any]]
    releases: tuple[Published, Published]

    def best(self, what: str) -> tuple[float, float]:
        """Mean over all people and largest success of the best pair of readings."""
        success = [
            [getattr(self, what)(person, reading) for person in range(len(self.people))]
            for reading in product(NAMES, NAMES)
        ]
        return max(sum(one) / len(self.people) for one in success), max(map(max, success))

    def _found(self, person: int, reading: Reading) -> bool:
        """Does every release that has the person lead to their own record, and does any have them?"""
        there = [(one, one.record_of(person)) for one in self.releases]
        if all(own is None for _, own in there):
            return False
        return all(
            own is None or own in one.led(person, read)
            for (one, own), read in zip(there, reading, strict=True)
        )

    def sharing(self, person: int, reading: Reading) -> float:
        """People: one among all who share the records of both."""
        if not self._found(person, reading):
            return 0.0
        first, second = (one.sharing(person, read)
                         for one, read in zip(self.releases, reading, strict=True))  # fmt: skip
        return 1 / len(first & second) if person in first & second else 0.0

    def meeting(self, person: int, reading: Reading) -> float:
        """Records: one among those of the first release that meet one of the other. Everybody is in both."""
        first, second = (one.led(person, read)
                         for one, read in zip(self.releases, reading, strict=True))  # fmt: skip
        left = [at for at in first if any(self._may_be_one(at, other) for other in second)]
        return 1 / len(left) if self.releases[0].record_of(person) in left else 0.0

    def _may_be_one(self, at: int, other: int) -> bool:
        one, two = self.releases
        return one.values[at] == two.values[other] and all(
            meet(cell, two.records[other][name])
            for name, cell in one.records[at].items()
            if name in two.records[other]
        )

    def values(self, person: int, reading: Reading) -> float:
        """Values: the person's own, each counting as the release says that leaves it least."""
        left = [one.shares(person, read)
                for one, read in zip(self.releases, reading, strict=True)]  # fmt: skip
        left = [one for one in left if one]
        if all(one.record_of(person) is None for one in self.releases) or not left:
            return 0.0
        weights = {value: min(one.get(value, 0.0) for one in left) for value in left[0]}
        total = sum(weights.values())
        return weights.get(self.people[person]["s"], 0.0) / total if total else 0.0
