"""What remains of the inputs of a part, and what is then believed of its people."""

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.attack.parts import Budget, Part
from shoal.attack.rerun import Rerun
from shoal.attack.scene import Scene
from shoal.table.bridge import arrow_from_numpy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
FEWEST_INPUTS = 30  # that have to be tried if not all are


@dataclass(frozen=True)
class Judged:
    """The people of one part: candidates, beliefs in the right one with and without knowing the method."""

    people: Ints
    candidates: Ints
    belief: Floats
    without: Floats
    tried: int
    remaining: float
    drawn: bool


class Judge:
    """Tries the inputs of a part."""

    def __init__(self, scene: Scene, budget: Budget) -> None:
        self.scene = scene
        self.budget = budget
        self.random = np.random.default_rng(scene.seed)

    def inputs(self, part: Part) -> int:
        """How many there are; 0 if they cannot be tried."""
        raise NotImplementedError

    def judge(self, part: Part, deadline: float) -> Judged | None:
        """None if no input that was tried remains."""
        raise NotImplementedError

    def _rerun(self, part: Part, in_order: bool, inputs: int) -> Rerun:
        shown = self.scene.published.table.arrow.take(arrow_from_numpy(part.records))
        return Rerun.of(self.scene, shown, in_order, inputs)

    def _original(self, part: Part) -> pa.Table:
        names = [name for name in self.scene.original.table.names if name in self.scene.policy.columns]
        return self.scene.original.table.arrow.select(names).take(arrow_from_numpy(part.people))


def weights_of(rerun: Rerun, tables: Iterable[pa.Table], every: int, deadline: float) -> Floats:
    """How likely each input is published like this, as far as time allows; the only one need not be tried."""
    if every == 1:
        return np.ones(1)
    weights = []
    for table in tables:
        if perf_counter() > deadline:
            break
        weights.append(rerun.weight(table))
    return np.array(weights)
