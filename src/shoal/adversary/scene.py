"""The scene of an attack: the people, what was published about them, and what was promised."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from shoal.adversary.candidate_reading import CandidateReading
from shoal.arrays import Bools, Floats, Ints
from shoal.errors import ShoalError
from shoal.policy.model.guarantee import AlphaKAnonymity, KAnonymity, KeAnonymity, KfAnonymity, KpqrAnonymity
from shoal.policy.model.policy import Policy
from shoal.release.integrity.manifest import Manifest
from shoal.table.table import Table
from shoal.verify.cells.published_table import PublishedTable

ALIKE = KAnonymity | AlphaKAnonymity | KpqrAnonymity  # promises to whoever is known by all quasi values
Found = TypeVar("Found")
MOST_PEOPLE = 100_000  # attacked one by one where counting all at once is not possible


class PolicyPromises:
    """What attackers know by the policy, and what it promises against them."""

    policy: Policy

    @cached_property
    def quasi(self) -> list[str]:
        """The columns that somebody may know."""
        return self.policy.having("quasi")

    @cached_property
    def open_columns(self) -> list[str]:
        """Columns that are published as they are, and that nobody is said to know."""
        return self.policy.having("other")

    @cached_property
    def aggregates(self) -> list[KfAnonymity]:
        """The promises against somebody who knows aggregates."""
        return [one for one in self.policy.guarantees if isinstance(one, KfAnonymity)]

    @property
    def k(self) -> int:
        """The most records that any guarantee hides a person among; at least 2."""
        return largest_k(self.policy)

    @property
    def alike(self) -> int | None:
        """The k that is promised against somebody who knows all quasi values; None without a promise."""
        return max((one.k for one in self.policy.guarantees if isinstance(one, ALIKE)), default=None)


@dataclass(frozen=True)
class Scene(PolicyPromises):
    """An original table beside what was published of it: a release or, ``raw``, the rows that one would be
    made of.

    ``input_rows`` is the owner's link (the original row of every published one), where it is at hand;
    ``others`` are further releases of the same people. ``besides`` is how many attributes of their own
    choice attackers know more than the policy states.
    """

    original: PublishedTable
    published: PublishedTable
    policy: Policy
    raw: bool = False
    input_rows: Ints | None = None
    others: tuple["Scene", ...] = ()
    left_out: int | None = None  # people who are not in the release, where that is known
    besides: int = 1
    most_people: int = MOST_PEOPLE
    seed: int | None = None  # which people are drawn, where not all can be attacked
    _found: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def raw_table(cls, table: Table, policy: Policy, **settings: int | None) -> "Scene":
        """The table as it would be if it were published today, without identifiers."""
        both = PublishedTable(table)
        return cls(both, both, policy, raw=True, input_rows=np.arange(len(table)), **settings)  # type: ignore[arg-type]

    def once(self, what: Hashable, find: Callable[[], Found]) -> Found:
        """What several attacks need is found once."""
        if what not in self._found:
            self._found[what] = find()
        found: Found = self._found[what]
        return found

    @property
    def people(self) -> int:
        return len(self.original)

    def refuse_strangers(self, candidates: Ints) -> None:
        """Everybody who was published fits a record: who fits none was left out, or this is another table."""
        lost = int((candidates == 0).sum())
        if self.left_out is not None and lost > self.left_out:
            raise ShoalError(
                f"{lost:,} people of the table fit no record of the release, but only {self.left_out:,} were "
                "left out of it",
                "give the table that the release was made from, as it was.",
            )

    def people_to_attack(self, most: int | None = None) -> Ints:
        """The people to attack: all of them, or as many as can be, drawn at random."""
        most = self.most_people if most is None else most
        if self.people <= most:
            return np.arange(self.people)
        return np.sort(np.random.default_rng(self.drawing).choice(self.people, most, replace=False))

    @cached_property
    def drawing(self) -> int:
        """The seed behind everything that is drawn: given, or the same for all releases of one table under
        one policy, so that two of them are judged by the same people and do not differ by chance."""
        if self.seed is not None:
            return self.seed
        return crc32(repr((self.people, self.quasi, self.k)).encode())

    @cached_property
    def absent(self) -> Bools:
        """People who are known not to have been published; nobody without the owner's link."""
        absent = np.zeros(self.people, bool)
        if self.input_rows is not None:
            absent[:] = True
            absent[self.input_rows] = False
        return absent

    def own_classes(self, classes: Ints) -> CandidateReading:
        """Everybody among the records of their own class, of which the number of every record is given."""
        return CandidateReading.of_own_classes(np.bincount(classes), self.people)

    def success(self, people: Ints, candidates: Ints) -> Floats:
        """The success of picking one of the candidates at random, if the right one is among them."""
        there = (candidates > 0) & ~self.absent[people]
        return np.where(there, 1 / np.maximum(candidates, 1), 0.0)

    def found(self, people: Ints, candidates: Ints) -> dict[str, Any]:
        """The people of a result, who pick one of their candidates at random."""
        return {
            "people": people,
            "candidates": candidates,
            "success": self.success(people, candidates),
            "population": self.people,
        }


def largest_k(policy: Policy) -> int:
    """The most records that any guarantee hides a person among; at least 2.

    >>> largest_k(Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 7}]))
    7
    """
    hiding = ALIKE | KfAnonymity | KeAnonymity
    return max((one.k for one in policy.guarantees if isinstance(one, hiding)), default=2)


def refuse_another_table(people: int, manifest: Manifest) -> None:
    """Raise where a release was not made of a table with so many rows."""
    made_of = manifest.records + manifest.suppressed
    if people != made_of:
        raise ShoalError(
            f"the table has {people:,} rows, but the release was made of {made_of:,}",
            "give the table that the release was made from, as it was.",
        )
