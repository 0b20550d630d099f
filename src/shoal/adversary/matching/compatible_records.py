"""May two records of different releases be of one person? Their cells need a value in common."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.adversary.matching.axes import LEAST, MOST
from shoal.adversary.matching.value_codes import ValueCodes
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Ints
from shoal.kernels.classes import class_numbers
from shoal.verify.truth.containment import (
    LeavesByLabel,
    WordContainment,
    cells_of,
    leaves_below,
    shows_numbers,
)

Test = Callable[[Ints, Ints], Bools]  # records of the one, records of the other: a table of truth


@dataclass(frozen=True)
class CompatibleRecords:
    """Two releases by some columns: ``kind`` numbers the records of each that show the same there."""

    tests: tuple[Test, ...]
    kind: tuple[Ints, Ints]

    @classmethod
    def of(cls, one: Scene, other: Scene) -> "CompatibleRecords":
        """The records of two releases, compared by all columns that both show."""
        tests: list[Test] = []
        keys: tuple[list[Ints], list[Ints]] = ([np.zeros(len(one.published), np.int64)],
                                               [np.zeros(len(other.published), np.int64)])  # fmt: skip
        for name in one.published.table.names:
            if name not in other.published.table.names or name not in one.policy.columns:
                continue
            test, here, there = _column(one, other, name)
            tests += [] if test is None else [test]
            keys[0].extend(here)
            keys[1].extend(there)
        return cls(tuple(tests), (class_numbers(keys[0]), class_numbers(keys[1])))

    def possible(self, here: Ints, there: Ints) -> Bools:
        """Which of these records of the one meet any of those of the other?"""
        if not len(there):
            return np.zeros(len(here), bool)
        _, first, back = np.unique(self.kind[0][here], return_index=True, return_inverse=True)
        _, others = np.unique(self.kind[1][there], return_index=True)
        meet = np.ones((len(first), len(others)), bool)
        for test in self.tests:
            meet &= test(here[first], there[others])
        return np.asarray(meet.any(axis=1))[back]

    def unmet(self, here: Ints) -> Bools:
        """Which of these records of the one have nothing in the other: their people were left out there. If
        there is none, nothing is told."""
        alone = ~self.possible(here, np.arange(len(self.kind[1])))
        return alone if alone.any() else np.ones(len(here), bool)


def _column(one: Scene, other: Scene, name: str) -> tuple[Test | None, list[Ints], list[Ints]]:
    """A test of one column, and what tells records of each side apart there; no test between labels of the
    one and ranges of the other."""
    if all(side.policy.columns[name] in ("sensitive", "other") for side in (one, other)):
        here, there = ValueCodes.of(one, name).published, ValueCodes.of(other, name).published
        return (lambda a, b: here[a][:, np.newaxis] == there[b]), [here], [there]
    sides = [_side(side, name) for side in (one, other)]
    if isinstance(sides[0], CellRanges) and isinstance(sides[1], CellRanges):
        return _ranges(sides[0], sides[1])
    if isinstance(sides[0], WordContainment) and isinstance(sides[1], WordContainment):
        return _words(sides[0], sides[1])
    return None, [], []


@dataclass(frozen=True)
class CellRanges:
    """Least and largest value of every published cell, as integers on a common scale."""

    low: Ints
    high: Ints
    scale: int


def _side(scene: Scene, name: str) -> CellRanges | WordContainment:
    original, policy = scene.original, scene.policy
    below = leaves_below(original, policy, name) if name in policy.hierarchies else None
    if not shows_numbers(scene.published, original, scene.policy, name, below):
        return WordContainment.of(scene.published, original, policy, name, _plain(scene, name) or below or {})
    cells = cells_of(scene.published, name)
    low, high = (np.where(cells.missing, LEAST, end) for end in (cells.low, cells.high))
    return CellRanges(
        np.where(cells.suppressed, LEAST, low), np.where(cells.suppressed, MOST, high), cells.scale
    )


def _plain(scene: Scene, name: str) -> LeavesByLabel:
    """Cells that are published as they are stand for themselves, whatever they look like."""
    if not scene.policy.permutes and scene.policy.columns.get(name) == "quasi":
        return {}
    return {word: {word} for word in scene.published.table.words(name).words}


def _ranges(one: CellRanges, other: CellRanges) -> tuple[Test, list[Ints], list[Ints]]:
    scale = max(one.scale, other.scale)
    low, high = _on_scale(one, scale)
    bottom, top = _on_scale(other, scale)

    def test(here: Ints, there: Ints) -> Bools:
        return (low[here][:, np.newaxis] <= top[there]) & (bottom[there] <= high[here][:, np.newaxis])

    keys = [[np.unique(end, return_inverse=True)[1] for end in ends] for ends in ((low, high), (bottom, top))]
    return test, keys[0], keys[1]


def _on_scale(side: CellRanges, scale: int) -> tuple[Ints, Ints]:
    unit = 10 ** (scale - side.scale)
    low, high = (np.where((end == LEAST) | (end == MOST), end, end * unit) for end in (side.low, side.high))
    return low, high


def _words(one: WordContainment, other: WordContainment) -> tuple[Test, list[Ints], list[Ints]]:
    meet = one.admits.astype(np.int64) @ other.admits.T.astype(np.int64) > 0
    keys = one.labels.astype(np.int64), other.labels.astype(np.int64)
    return (lambda here, there: meet[one.labels[here]][:, other.labels[there]]), [keys[0]], [keys[1]]
