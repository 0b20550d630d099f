"""What is taken for the whole table by attackers who try all inputs: a small table, or each class alone."""

from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from shoal.adversary.attackers.linkage import quasi_matches
from shoal.adversary.scene import Scene
from shoal.arrays import Ints

WHOLE = 24  # records of a table that is tried as a whole
MOST_CLASSES = 200  # of a larger one, those with the fewest records


@dataclass(frozen=True)
class TrialPart:
    """Records, the person behind each, and the class of each."""

    records: Ints
    people: Ints
    classes: Ints


@dataclass(frozen=True)
class TrialBudget:
    """``inputs`` are tried one and all up to this many; beyond, ``draws`` of them. Each is run several times,
    and all together ``runs`` times: a number, so that what is found does not depend on how busy the machine
    is. Only patience ends with ``seconds``."""

    inputs: int = 20_000
    draws: int = 400
    runs: float = 1_500
    seconds: float = 30.0


class TrialAllowance:
    """Runs of the method that are left to somebody, and when patience ends."""

    def __init__(self, runs: float = inf, until: float = inf) -> None:
        self.runs, self.until = runs, until

    @property
    def spent(self) -> bool:
        return self.runs < 1 or perf_counter() > self.until

    def take(self) -> bool:
        """Take one, if there is one left."""
        if self.spent:
            return False
        self.runs -= 1
        return True

    def portion(self, most: float) -> "TrialAllowance":
        """Some of it, for one part; what is not taken goes back with `put_back`."""
        given = min(self.runs, most)
        self.runs -= given
        return TrialAllowance(given, self.until)

    def put_back(self, portion: "TrialAllowance") -> None:
        self.runs += portion.runs


def people_behind(scene: Scene) -> Ints:
    """The person behind every record: by the owner's link or, without it, people who fit no other box, one
    after the other; -1 where nobody knows, or where too many boxes fit too many people to look."""
    if scene.input_rows is not None:
        return scene.input_rows
    fits = quasi_matches(scene, scene.quasi)
    behind = np.full(len(scene.published), -1, np.int64)
    if fits.affordable(scene) < scene.people:
        return behind
    person, box = fits.pairs(np.arange(scene.people))
    alone = np.bincount(person, minlength=scene.people)[person] == 1
    person, box = person[alone], box[alone]
    by_box, by_record = np.argsort(box, kind="stable"), np.argsort(fits.box_of, kind="stable")
    person, box = person[by_box], box[by_box]
    place = np.arange(len(box)) - np.searchsorted(box, box, "left")
    starts = np.cumsum(fits.sizes) - fits.sizes
    fitting = place < fits.sizes[box]
    behind[by_record[(starts[box] + place)[fitting]]] = person[fitting]
    return behind


def classes_alone(classes: Ints, behind: Ints) -> list[TrialPart]:
    """The smallest classes, all of whose people are known."""
    order = np.argsort(classes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)
    known = [part for part in parts if (behind[part] >= 0).all()]
    smallest = sorted(known, key=len)[:MOST_CLASSES]
    return [TrialPart(part, behind[part], np.zeros(len(part), np.int64)) for part in smallest]


def whole_table_part(classes: Ints, behind: Ints, people: int) -> TrialPart | None:
    """All records of a small table in which everybody was published."""
    if len(classes) > WHOLE or len(classes) < people or (behind < 0).any():
        return None
    return TrialPart(np.arange(len(classes)), behind, classes)
