"""Beliefs in sensitive values of somebody who knows the method and everybody's quasi values."""

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.attack.matching.value_codes import Numbered
from shoal.attack.scene import Scene
from shoal.attack.trials.arrangements import arranged, arrangements, drawn_arrangement
from shoal.attack.trials.input_trials import Judge, Judged, Unjudged, unjudged, weights_of
from shoal.attack.trials.trial_parts import Allowance, Budget, Part
from shoal.kernels.classes import class_numbers
from shoal.table.columns.bridge import arrow_from_numpy


class ValueJudge(Judge):
    """Quasi values are known, and the values of one sensitive column are looked for."""

    def __init__(self, scene: Scene, name: str, budget: Budget) -> None:
        super().__init__(scene, budget)
        self.values = Numbered.of(scene, name).own
        beside = [*scene.policy.having("sensitive"), *scene.policy.having("other")]
        self.beside = [other for other in beside if other in scene.original.table.names]
        self.payload = class_numbers([Numbered.of(scene, other).own for other in self.beside])

    def inputs(self, part: Part) -> int:
        return arrangements(self.payload[part.people], part.classes)

    def judge(self, part: Part, allowed: Allowance) -> Judged | Unjudged:
        every = self.inputs(part)
        table = self._original(part)
        ways = self._ways(part, every)
        rerun = self._rerun(part, in_order=False, inputs=len(ways))
        drawn = every > self.budget.inputs
        weights = np.ones(1)  # the only input remains, whatever the method does
        if every > 1:
            weights = weights_of(rerun, lambda: (self._with(table, way) for way in ways), drawn, allowed)
        tried, drawn = ways[: len(weights)], drawn or len(weights) < every
        if reason := unjudged(weights, drawn):
            return reason
        own = np.unique(self.values[part.people], return_inverse=True)[1]
        beliefs = np.zeros((len(own), int(own.max()) + 1))
        for way, weight in zip(tried, weights, strict=True):
            beliefs[np.arange(len(own)), own[way]] += weight
        beliefs /= weights.sum()
        alike = (part.classes[:, np.newaxis] == part.classes) & (own[:, np.newaxis] == own)
        without = alike.sum(axis=1) / (part.classes[:, np.newaxis] == part.classes).sum(axis=1)
        right = beliefs[np.arange(len(own)), own]
        left = (beliefs > 0).sum(axis=1)
        return Judged(part.people, left, right, without, len(tried), float(weights.mean()), drawn)

    def _ways(self, part: Part, every: int) -> list[Ints]:
        if every > self.budget.inputs:
            return [drawn_arrangement(part.classes, self.random) for _ in range(self.budget.draws)]
        ways = list(arranged(self.payload[part.people], part.classes))
        return [ways[at] for at in self.random.permutation(len(ways))]

    def _with(self, table: pa.Table, way: Ints) -> pa.Table:
        source = arrow_from_numpy(way)
        columns = [column.take(source) if name in self.beside else column
                   for name, column in zip(table.column_names, table.columns, strict=True)]  # fmt: skip
        return pa.Table.from_arrays(columns, names=table.column_names)
