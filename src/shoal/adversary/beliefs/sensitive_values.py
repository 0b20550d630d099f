"""A sensitive column as attackers see it: its different values as numbers, on the records and on the people.

Numbers and dates are in order, and missing is a value of its own, the last one. A suppressed cell shows
nothing: it is no value, but its record is there.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adversary.scene import Scene
from shoal.arrays import Ints
from shoal.kernels.classes import class_numbers, one_of_each
from shoal.policy.model.guarantee import KeAnonymity, LDiversity, PSensitivity
from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import days_from_arrow
from shoal.table.table import Table
from shoal.verify.cells.cell_codes import cell_codes
from shoal.verify.cells.published_table import BadCells, PublishedTable

STARRED = 1


@dataclass(frozen=True)
class SensitiveValues:
    """``published`` is the value of every published record, -1 where it is suppressed; ``own`` that of every
    person, -1 where no record shows it. ``points`` are the values in order where they are numbers or dates,
    without the missing one, and ``own_points`` those of the people."""

    published: Ints
    own: Ints
    number: int
    points: Any = None
    own_points: Any = None
    own_missing: Any = None
    unit: Fraction = Fraction(1)  # of points


def sensitive_values(scene: Scene, name: str) -> SensitiveValues:
    """The values of a sensitive column in release and original, coded once per scene."""
    return scene.once(("values", name), partial(_values, scene, name))


def promised_diversity(policy: Policy, name: str) -> int | None:
    """How many different values of a column a class is promised to have; None without a promise."""
    asked = [1]
    for one in policy.guarantees:
        match one:
            case PSensitivity():
                asked.append(one.p)
            case LDiversity() if name in one.columns:
                asked.append(one.records)
            case KeAnonymity() if name == one.sensitive:
                asked.append(one.k)
    return max(asked) if max(asked) > 1 else None


def _values(scene: Scene, name: str) -> SensitiveValues:
    both = scene.published if scene.raw else _side_by_side(scene, name)
    records = len(scene.published)
    people = slice(0, records) if scene.raw else slice(records, None)
    cells = cell_codes(both, name)
    number = class_numbers([cells.codes])
    points, unit = _points(both, name)
    one = one_of_each(number)
    hidden = cells.hidden[one]
    order = np.lexsort([hidden] if points is None else [points[one], hidden])
    told = np.zeros(len(one), bool)
    told[number[:records][cells.hidden[:records] != STARRED]] = True
    listed = order[told[order]]
    place = np.full(len(one), -1, np.int64)
    place[listed] = np.arange(len(listed))
    ranks = place[number]
    if points is None:
        return SensitiveValues(ranks[:records], ranks[people], len(listed))
    there = listed[hidden[listed] == 0]
    ends = points[one][there], points[people], cells.hidden[people] > 0
    return SensitiveValues(ranks[:records], ranks[people], len(listed), *ends, unit)


def _side_by_side(scene: Scene, name: str) -> PublishedTable:
    """Published and original cells in one column: as written, where their types differ."""
    sides = [_plain(side.table.column(name)) for side in (scene.published, scene.original)]
    if sides[0].type != sides[1].type:
        sides = [side.cast(pa.string()) for side in sides]
    chunks = [chunk for side in sides for chunk in side.chunks]
    return PublishedTable(Table(pa.table({name: pa.chunked_array(chunks, sides[0].type)})))


def _plain(column: Any) -> Any:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _points(both: PublishedTable, name: str) -> tuple[Any, Fraction]:
    """Numbers, or dates as days, in multiples of a unit; None for words."""
    if (days := days_from_arrow(both.table.column(name))) is not None:
        return days.units, Fraction(1)
    try:
        cells = both.cells(name)
    except BadCells:
        return None, Fraction(1)
    if (cells.missing | cells.suppressed).all() or not np.array_equal(cells.low, cells.high):
        return None, Fraction(1)
    return (cells.low, Fraction(1, 10**cells.scale)) if cells.reals is None else (cells.reals, Fraction(1))
