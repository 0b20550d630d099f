"""Aggregates that are no sums, of which some columns are known: every pair of person and record is evaluated.

A product or maximum whose columns are partly known cannot be split into a part of the person and a part of
the record. So the cells that are known are set to the person's values, and F is taken over what is left.
"""

from dataclasses import dataclass

import numpy as np

from shoal.adversary.matching.axes import image_over
from shoal.adversary.scene import Scene
from shoal.arrays import Bools, Floats, Ints
from shoal.policy.model import expression as ex
from shoal.verify.aggregate.image import TOLERANCE, Image, on_common_unit
from shoal.verify.cells.published_table import Cells
from shoal.verify.truth.containment import cells_of


@dataclass(frozen=True)
class PairwiseAggregate:
    """An aggregate of published records, with some columns replaced by the values known of a person."""

    scene: Scene
    tree: ex.Expression
    records: dict[str, Cells]
    people: dict[str, Cells]
    known: frozenset[str]

    @classmethod
    def at(cls, scene: Scene, tree: ex.Expression, known: tuple[str, ...]) -> "PairwiseAggregate":
        names = list(ex.columns_of(tree))
        domains = scene.policy.domains
        records, people = (
            {name: cells_of(table, name).within(domains.get(name)) for name in names}
            for table in (scene.published, scene.original)
        )
        return cls(scene, tree, records, people, frozenset(known) & set(names))

    @property
    def keys(self) -> list[Ints]:
        """What has to be alike for records to be taken for one."""
        return [key for one in self.records.values() for key in (one.low, one.high, 1 * one.suppressed)]

    def fits(self, people: Ints, records: Ints) -> Bools:
        """Does each of these records admit the aggregate of the person beside it?"""
        cells = {
            name: _rows(self.people[name], people) if name in self.known else _rows(column, records)
            for name, column in self.records.items()
        }
        hidden = np.logical_or.reduce([one.suppressed for one in cells.values()])
        truth = {name: _rows(column, people) for name, column in self.people.items()}
        shown, value = on_common_unit(*(image_over(self.scene, self.tree, side) for side in (cells, truth)))
        low, high = _widened(shown)
        return np.asarray(hidden | ((low <= value.low) & (value.low <= high)), bool)


def _rows(cells: Cells, rows: Ints) -> Cells:
    ends = cells.low[rows], cells.high[rows]
    return Cells(*ends, cells.scale, cells.suppressed[rows], cells.missing[rows])


def _widened(image: Image) -> tuple[Floats, Floats]:
    if image.unit is not None:
        return image.low, image.high
    return image.low - np.abs(image.low) * TOLERANCE, image.high + np.abs(image.high) * TOLERANCE
