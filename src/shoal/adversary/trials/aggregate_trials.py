"""Beliefs in records of somebody who knows the method and aggregates of one person."""

import numpy as np
import pyarrow as pa

from shoal.adversary.scene import Scene
from shoal.adversary.trials.arrangements import all_points, number_of_points
from shoal.adversary.trials.input_trials import (
    InputTrials,
    NoResult,
    PartBeliefs,
    input_weights,
    reason_for_no_result,
)
from shoal.adversary.trials.trial_parts import TrialAllowance, TrialBudget, TrialPart
from shoal.arrays import Floats, Ints
from shoal.kernels.classes import class_numbers
from shoal.policy.model.guarantee import KfAnonymity
from shoal.table.columns.numbers import units_to_arrow
from shoal.verify.aggregate.image import image_of
from shoal.verify.cells.published_table import BadCells, Cells


class AggregateTrials(InputTrials):
    """Aggregates of one person are known, and their record is looked for."""

    def __init__(self, scene: Scene, asked: KfAnonymity, budget: TrialBudget) -> None:
        super().__init__(scene, budget)
        self.asked = asked
        self.low, self.high, self.truth, self.scales = _grid(scene)

    def inputs(self, part: TrialPart) -> int:
        return number_of_points(self.low[part.records], self.high[part.records]) if len(self.scales) else 0

    def judge(self, part: TrialPart, allowed: TrialAllowance) -> PartBeliefs | NoResult:
        low, high, every = self.low[part.records], self.high[part.records], self.inputs(part)
        if every > self.budget.inputs:
            tables = self.random.integers(low, high, (self.budget.draws, *low.shape), endpoint=True)
        else:
            tables = self.random.permutation(all_points(low, high, every))
        own, rerun = self._original(part), self._rerun(part, in_order=True, inputs=len(tables))
        drawn = every > self.budget.inputs
        weights = np.ones(1)  # the only input remains, whatever the method does
        if every > 1:
            weights = input_weights(
                rerun, lambda: (self._input_table(own, units) for units in tables), drawn, allowed
            )
        tried, drawn = tables[: len(weights)], drawn or len(weights) < every
        if reason := reason_for_no_result(weights, drawn):
            return reason
        known, target = self._known(tried, self.truth[part.people])
        belief, without = (
            _of_records(known, target, weights),
            _of_records(known, target, np.ones(len(weights))),
        )
        found = belief.sum(axis=1) > 0
        own_place = np.arange(len(target))
        return PartBeliefs(
            part.people[found], (belief > 0).sum(axis=1)[found], belief[own_place, own_place][found],
            without[own_place, own_place][found], len(weights), float(weights.mean()), drawn,
        )  # fmt: skip

    def _input_table(self, own: pa.Table, units: Ints) -> pa.Table:
        for at, name in enumerate(self.scene.quasi):
            column = units_to_arrow(np.ascontiguousarray(units[:, at]), self.scales[at])
            own = own.set_column(own.column_names.index(name), name, column)
        return own

    def _known(self, tables: Ints, truth: Ints) -> tuple[Ints, Ints]:
        """What is known of a record in each input, and of each person, as numbers that compare."""
        every = np.concatenate([tables.reshape(-1, tables.shape[2]), truth])
        none = np.zeros(len(every), bool)
        cells = {name: Cells(every[:, at], every[:, at], self.scales[at], none, none)
                 for at, name in enumerate(self.scene.quasi)}  # fmt: skip
        keys = [image_of(tree, cells).low for tree in self.asked.trees]
        keys += [every[:, self.scene.quasi.index(name)] for name in self.asked.also]
        numbers = class_numbers([np.unique(key, return_inverse=True)[1] for key in keys])
        return numbers[: -len(truth)].reshape(tables.shape[:2]), numbers[-len(truth) :]


def _of_records(known: Ints, target: Ints, weights: Floats) -> Floats:
    """For every person (a row), how much speaks for each record; sums to 1, or to 0 if nothing does."""
    spoken = np.array([weights @ (known == value) for value in target])
    return np.asarray(spoken / np.maximum(spoken.sum(axis=1, keepdims=True), np.finfo(float).tiny))


def _grid(scene: Scene) -> tuple[Ints, Ints, Ints, list[int]]:
    """Ranges of the records and values of the people, column by column in common units; empty where a quasi
    column is no column of numbers."""
    nothing = np.zeros((0, 0), np.int64)
    sides, scales = [], []
    for name in scene.quasi:
        try:
            shown, truth = scene.published.cells(name), scene.original.cells(name)
        except BadCells:
            return nothing, nothing, nothing, []
        if shown.suppressed.any() or shown.missing.any() or truth.missing.any():
            return nothing, nothing, nothing, []
        scale = max(shown.scale, truth.scale)
        shown_unit, unit = 10 ** (scale - shown.scale), 10 ** (scale - truth.scale)
        sides.append((shown.low * shown_unit, shown.high * shown_unit, truth.low * unit))
        scales.append(scale)
    low, high, truth_units = (np.column_stack(part) for part in zip(*sides, strict=True))
    return low, high, truth_units, scales
