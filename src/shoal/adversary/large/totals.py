"""An aggregate of every record of a table beyond memory, in one unit, whatever batch the record stands in."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.adversary.matching.axes import image_over, unknown_records
from shoal.adversary.scene import Scene
from shoal.arrays import Bools
from shoal.engines.protocol import Rows
from shoal.errors import Fault, ShoalError
from shoal.policy.model import expression as ex
from shoal.policy.model.policy import Policy
from shoal.table.files.header import no_rows
from shoal.table.table import Table
from shoal.verify.aggregate.image import Image, image_of, on_common_unit
from shoal.verify.cells.column_traits import (
    FormatsByColumn,
    TraitsByColumn,
    column_formats,
    column_traits,
    join_traits,
)
from shoal.verify.cells.published_table import Cells, PublishedTable

LARGEST = 2**62


@dataclass(frozen=True)
class AggregateRanges:
    """F of some records; of those that are ``starred`` it may be anything, of those that are ``unknown``
    nothing is known."""

    image: Image
    starred: Bools
    unknown: Bools


@dataclass(frozen=True)
class Totals:
    """How the aggregate ``tree`` is found in a batch; without one it is 0 everywhere."""

    tree: ex.Expression | None
    policy: Policy
    ways: FormatsByColumn
    unit: Fraction | None  # None: floats

    def of(self, table: pa.Table) -> AggregateRanges:
        if self.tree is None:
            zero, nowhere = np.zeros(len(table), np.int64), np.zeros(len(table), bool)
            return AggregateRanges(Image(zero, zero, self.unit), nowhere, nowhere)
        names = list(dict.fromkeys(ex.columns_of(self.tree)))
        published = PublishedTable(Table(table.select(names)), self.ways)
        scene = Scene(published, published, self.policy, raw=True)
        cells = {name: published.cells(name).within(self.policy.domains.get(name)) for name in names}
        image = on_common_unit(image_over(scene, self.tree, cells), _nobody(self.unit))[0]
        starred = np.logical_or.reduce([cells[name].suppressed for name in names])
        unknown = unknown_records(scene, cells, names)
        return AggregateRanges(_in_words(image), starred & ~unknown, unknown)


def totals_of(tree: ex.Expression | None, policy: Policy, *tables: Rows) -> list[Totals]:
    """The totals of several tables, all in the same unit."""
    if tree is None:
        return [Totals(None, policy, {}, Fraction(1)) for _ in tables]
    names = list(dict.fromkeys(ex.columns_of(tree)))
    ways = [_ways(names, rows) for rows in tables]
    first, *others = [_nobody(_unit(tree, one)) for one in ways]
    for other in others:
        first = on_common_unit(first, other)[0]
    return [Totals(tree, policy, one, first.unit) for one in ways]


def _ways(names: list[str], rows: Rows) -> FormatsByColumn:
    readings = rows.fold(partial(_traits_of_batch, names), join_traits)
    if readings is None:
        raise no_rows("the table")
    ways = column_formats(readings)
    faults = [
        Fault(f"column {name!r} is not all numbers or ranges", "correct its cells, or do not aggregate it.")
        for name, way in ways.items()
        if not way.numbers
    ]
    if faults:
        raise ShoalError(faults)
    return ways


def _traits_of_batch(names: list[str], table: pa.Table) -> TraitsByColumn:
    batch = Table(table.select(names))
    return {name: column_traits(batch, name) for name in names}


def _unit(tree: ex.Expression, ways: FormatsByColumn) -> Fraction | None:
    """The unit of the aggregate, which follows from the scales of the columns."""
    none, nowhere = np.zeros(0, np.int64), np.zeros(0, bool)
    cells = {name: Cells(none, none, way.scale, nowhere, nowhere) for name, way in ways.items()}
    return image_of(tree, cells).unit


def _nobody(unit: Fraction | None) -> Image:
    none = np.zeros(0, np.float64 if unit is None else np.int64)
    return Image(none, none, unit)


def _in_words(image: Image) -> Image:
    """Unbounded integers that are small after all as 64 bits."""
    if object not in (image.low.dtype, image.high.dtype):
        return image
    if image.reach >= LARGEST:
        raise ShoalError(
            "an aggregate that the policy names, in one unit for all records, does not fit 64-bit arithmetic",
            "attack this table in memory.",
        )
    return Image(image.low.astype(np.int64), image.high.astype(np.int64), image.unit)
