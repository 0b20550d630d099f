"""What remains of the inputs of a part, and what is then believed of its people."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import cycle
from math import sqrt
from typing import Literal

import numpy as np
import pyarrow as pa

from shoal.adversary.candidate_reading import CONFIDENT
from shoal.adversary.scene import Scene
from shoal.adversary.trials.rerun import Rerun
from shoal.adversary.trials.trial_parts import TrialAllowance, TrialBudget, TrialPart
from shoal.arrays import Bools, Floats, Ints
from shoal.table.columns.arrow_numpy import arrow_from_numpy

FEWEST_INPUTS = 30  # that have to remain if not all can be tried
ALIKE = 1e-9
Tables = Callable[[], Iterable[pa.Table]]  # the inputs, once more
NoResult = Literal["unexplained", "unfinished"]  # no input remains, or too few of those tried


@dataclass(frozen=True)
class PartBeliefs:
    """The people of one part: candidates, beliefs in the right one with and without knowing the method."""

    people: Ints
    candidates: Ints
    belief: Floats
    without: Floats
    tried: int
    remaining: float
    drawn: bool

    @property
    def margin(self) -> float:
        """How far beliefs may be off (95 %) because not all inputs were tried."""
        return CONFIDENT * sqrt(0.25 / (self.remaining * self.tried)) if self.drawn else 0.0

    @property
    def surer(self) -> Bools:
        """Marks of the people of whom the method tells more than their class."""
        return np.asarray(self.belief > self.without + self.margin + ALIKE)


class InputTrials(ABC):
    """Tries the inputs of a part."""

    def __init__(self, scene: Scene, budget: TrialBudget) -> None:
        self.scene = scene
        self.budget = budget
        self.random = np.random.default_rng(scene.drawing)

    @abstractmethod
    def inputs(self, part: TrialPart) -> int:
        """How many there are; 0 if they cannot be tried."""

    @abstractmethod
    def judge(self, part: TrialPart, allowed: TrialAllowance) -> PartBeliefs | NoResult:
        """What is believed, or why nothing can be said."""

    def _rerun(self, part: TrialPart, in_order: bool, inputs: int) -> Rerun:
        shown = self.scene.published.table.arrow.take(arrow_from_numpy(part.records))
        return Rerun.of(self.scene, shown, in_order, inputs)

    def _original(self, part: TrialPart) -> pa.Table:
        names = [name for name in self.scene.original.table.names if name in self.scene.policy.columns]
        return self.scene.original.table.arrow.select(names).take(arrow_from_numpy(part.people))


def input_weights(rerun: Rerun, tables: Tables, drawn: bool, allowed: TrialAllowance) -> Floats:
    """How likely each input is published like this: with one key after the other, as far as runs are allowed.
    Inputs that are drawn are tried once, each with random choices of its own."""
    weights, many = np.zeros(0), 0
    for at, key in enumerate(rerun.keys[:1] if drawn else rerun.keys):
        found: list[bool] = []
        for table, own in zip(tables(), cycle(rerun.keys), strict=False):
            if not allowed.take():
                return np.array(found, np.float64) if at == 0 else weights / many
            found.append(rerun.publishes(table, own if drawn else key))
        weights, many = (weights if at else 0) + np.array(found, np.float64), at + 1
    return np.asarray(weights / many)


def reason_for_no_result(weights: Floats, drawn: bool) -> NoResult | None:
    """Why nothing can be said after these inputs, if so."""
    if drawn and weights.sum() < FEWEST_INPUTS:
        return "unexplained" if len(weights) >= FEWEST_INPUTS and not weights.any() else "unfinished"
    return None if weights.any() else "unexplained"
