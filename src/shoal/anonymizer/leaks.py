"""Columns published as they are that give an aggregate away, and with it everything it protects.

Whoever knows f and finds a column from which f can be computed needs no ranges: the column tells the
records apart. So a column may neither equal f or one of its columns, nor determine f.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.anonymizer.fit import Fitted
from shoal.errors import Fault, ShoalError
from shoal.methods.aggregate import Aggregate, WeightedSum
from shoal.policy.guarantee import KfAnonymity
from shoal.policy.policy import Policy
from shoal.table.bridge import numpy_from_arrow
from shoal.table.table import Table

Codes = NDArray[Any]
FEW = 10  # with fewer different totals, a dependency is as likely an accident


def leak_faults(
    table: Table,
    policy: Policy,
    fitted: Fitted,
    aggregates: list[tuple[KfAnonymity, Aggregate | WeightedSum]],
) -> list[Fault]:
    """One fault per published column and aggregate that it gives away."""
    published = [*policy.having("sensitive"), *policy.having("other")]
    faults = []
    for name in published if aggregates else ():
        codes, ordered = _codes(table, name, fitted)
        equal = _equal_column(table, name, fitted, [n for asked, _ in aggregates for n in asked.columns])
        if equal:
            faults.append(_fault(name, f"equals quasi column {equal!r}"))
            continue
        for asked, f in aggregates:
            if _determines(codes, _totals(f, fitted), ordered):
                faults.append(_fault(name, f"determines {asked.knows[0]}"))
    return faults


def _fault(name: str, what: str) -> Fault:
    return Fault(
        f"column {name!r} is published as it is and {what}, so the guarantee would be empty",
        f'make {name!r} an "identifier" (left out) or "quasi" (protected).',
    )


def _totals(f: Aggregate | WeightedSum, fitted: Fitted) -> Codes:
    totals = f.of(fitted.values) if isinstance(f, WeightedSum) else f.image(fitted.values, fitted.values)[0]
    return np.unique(totals, return_inverse=True)[1]


def _codes(table: Table, name: str, fitted: Fitted) -> tuple[Codes, bool]:
    """One number per different cell, and whether the numbers follow the order of the cells."""
    try:
        units = table.numbers(name).units[fitted.input_rows]
        return np.unique(units, return_inverse=True)[1], True
    except ShoalError:
        array = table.column(name).combine_chunks().dictionary_encode().indices.cast(pa.int64())
        return numpy_from_arrow(array.fill_null(-1))[fitted.input_rows] + 1, False


def _equal_column(table: Table, name: str, fitted: Fitted, columns: list[str]) -> str | None:
    try:
        mine = table.numbers(name)
    except ShoalError:
        return None
    for other in columns:
        theirs = table.numbers(other)
        same = mine.scale == theirs.scale and np.array_equal(mine.units, theirs.units)
        if same and len(np.unique(mine.units[fitted.input_rows])) > 1:
            return other
    return None


def _determines(codes: Codes, totals: Codes, ordered: bool) -> bool:
    """Is f a function of the column? A column with a value of its own per row counts only if in order."""
    different = int(totals.max()) + 1
    if different < FEW:
        return False
    pairs = len(np.unique(codes.astype(np.int64) * different + totals))
    if pairs != len(np.unique(codes)):
        return False
    return 2 * pairs <= len(codes) or (ordered and _in_order(codes, totals))


def _in_order(codes: Codes, totals: Codes) -> bool:
    steps = np.diff(codes[np.lexsort((codes, totals))])
    back = np.diff(codes[np.lexsort((-codes, totals))])
    return bool((steps >= 0).all() or (back <= 0).all())
