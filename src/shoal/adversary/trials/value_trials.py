"""Beliefs in sensitive values of somebody who knows the method and everybody's quasi values."""

import numpy as np
import pyarrow as pa

from shoal.adversary.matching.value_codes import ValueCodes
from shoal.adversary.scene import Scene
from shoal.adversary.trials.arrangements import all_arrangements, number_of_arrangements, random_arrangement
from shoal.adversary.trials.input_trials import (
    InputTrials,
    NoResult,
    PartBeliefs,
    input_weights,
    reason_for_no_result,
)
from shoal.adversary.trials.trial_parts import TrialAllowance, TrialBudget, TrialPart
from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers
from shoal.table.columns.arrow_numpy import arrow_from_numpy


class ValueTrials(InputTrials):
    """Quasi values are known, and the values of one sensitive column are looked for."""

    def __init__(self, scene: Scene, name: str, budget: TrialBudget) -> None:
        super().__init__(scene, budget)
        self.values = ValueCodes.of(scene, name).own
        beside = [*scene.policy.having("sensitive"), *scene.policy.having("other")]
        self.beside = [other for other in beside if other in scene.original.table.names]
        self.payload = class_numbers([ValueCodes.of(scene, other).own for other in self.beside])

    def inputs(self, part: TrialPart) -> int:
        return number_of_arrangements(self.payload[part.people], part.classes)

    def judge(self, part: TrialPart, allowed: TrialAllowance) -> PartBeliefs | NoResult:
        every = self.inputs(part)
        table = self._original(part)
        ways = self._ways(part, every)
        rerun = self._rerun(part, in_order=False, inputs=len(ways))
        drawn = every > self.budget.inputs
        weights = np.ones(1)  # the only input remains, whatever the method does
        if every > 1:
            weights = input_weights(
                rerun, lambda: (self._rearranged(table, way) for way in ways), drawn, allowed
            )
        tried, drawn = ways[: len(weights)], drawn or len(weights) < every
        if reason := reason_for_no_result(weights, drawn):
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
        return PartBeliefs(part.people, left, right, without, len(tried), float(weights.mean()), drawn)

    def _ways(self, part: TrialPart, every: int) -> list[Ints]:
        if every > self.budget.inputs:
            return [random_arrangement(part.classes, self.random) for _ in range(self.budget.draws)]
        ways = list(all_arrangements(self.payload[part.people], part.classes))
        return [ways[at] for at in self.random.permutation(len(ways))]

    def _rearranged(self, table: pa.Table, way: Ints) -> pa.Table:
        source = arrow_from_numpy(way)
        columns = [column.take(source) if name in self.beside else column
                   for name, column in zip(table.column_names, table.columns, strict=True)]  # fmt: skip
        return pa.Table.from_arrays(columns, names=table.column_names)
