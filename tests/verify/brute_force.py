"""Slow and obvious references: every grid point of a box, every matching, every band."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod, sqrt
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal.policy.model import expression as ex
from shoal.table.table import Table
from shoal.verify.cells.published_table import Cells, PublishedTable

Range = tuple[int, int]
Record = dict[str, Range]  # a box: both ends of every column, in units of its scale

FUNCTIONS = {
    "sum": sum,
    "avg": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
    "median": median,
    "product": prod,
    "norm": lambda values: sqrt(sum(value**2 for value in values)),
}


def value_at(tree: ex.Expression, point: dict[str, Fraction]) -> Any:
    """f of one point."""
    match tree:
        case ex.ColumnTerm(name):
            return point[name]
        case ex.Constant(value):
            return value
        case ex.Negate(part):
            return -value_at(part, point)
        case ex.Divide(top, bottom):
            return value_at(top, point) / value_at(bottom, point)
        case ex.Power(part, exponent):
            return value_at(part, point) ** exponent
        case ex.Combine(function, parts):
            return FUNCTIONS[function]([value_at(part, point) for part in parts])


def values_over(text: str, box: Record, scales: dict[str, int]) -> set[Any]:
    """Everything that f can be on the grid points of a box."""
    tree, names = ex.parse_expression(text), list(box)
    sides = [
        [Fraction(unit, 10 ** scales[name]) for unit in range(low, high + 1)]
        for name, (low, high) in box.items()
    ]
    values = {value_at(tree, dict(zip(names, corner, strict=True))) for corner in product(*sides)}
    return {round(value, 9) if isinstance(value, float) else value for value in values}


def class_sizes_by_images(text: str, boxes: list[Record], scales: dict[str, int]) -> list[int]:
    """How many records share each set of values, smallest first."""
    return sorted(Counter(frozenset(values_over(text, box, scales)) for box in boxes).values())


def all_perfect_matchings(admits: list[list[bool]]) -> list[tuple[int, ...]]:
    """Every way to give each person a record of their own that admits them."""
    people = range(len(admits))
    return [way for way in permutations(people) if all(admits[person][way[person]] for person in people)]


def cells_of(boxes: list[Record], scales: dict[str, int]) -> dict[str, Cells]:
    nowhere = np.zeros(len(boxes), bool)
    return {
        name: Cells(
            np.array([box[name][0] for box in boxes], np.int64),
            np.array([box[name][1] for box in boxes], np.int64),
            scale,
            nowhere,
            nowhere,
        )
        for name, scale in scales.items()
    }


def label(low: int, high: int) -> str:
    """A cell as it is written: ``10`` or ``[10, 15]``."""
    return str(low) if low == high else f"[{low}, {high}]"


def published(**columns: Any) -> PublishedTable:
    return PublishedTable(Table(pa.table(columns)))


def ranges(smallest: int, largest: int, widest: int = 3) -> st.SearchStrategy[Range]:
    """Closed ranges inside smallest .. largest; exact cells are as likely as ranges."""
    starts = st.integers(smallest, largest)
    widths = st.just(0) | st.integers(0, widest)
    return st.builds(lambda start, width: (start, min(start + width, largest)), starts, widths)
