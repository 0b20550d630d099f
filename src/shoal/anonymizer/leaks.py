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
from shoal.methods.knowledge import Known
from shoal.policy.policy import Policy
from shoal.table.bridge import numpy_from_arrow
from shoal.table.table import Table

Codes = NDArray[Any]
FEW = 10  # with fewer different totals, a dependency is as likely an accident


def leak_faults(table: Table, policy: Policy, fitted: Fitted, known: Known) -> list[Fault]:
    """One fault per published column and piece of knowledge that it gives away."""
    published = [*policy.having("sensitive"), *policy.having("other")]
    totals = [np.unique(total, return_inverse=True)[1] for total in known.values(fitted.values)]
    faults = []
    for name in published if totals else ():
        codes, ordered = _codes(table, name, fitted)
        if equal := _equal_column(table, name, fitted):
            faults.append(_fault(name, f"equals quasi column {equal!r}"))
            continue
        faults += [
            _fault(name, f"determines {what}")
            for what, total in zip(known.names, totals, strict=False)
            if _determines(codes, total, ordered)
        ]
        faults += [
            _fault(name, f"says the same as quasi column {fitted.names[column]!r}")
            for column, besides in zip(known.also, totals[len(known.aggregates) :], strict=True)
            if _same_partition(codes, besides)
        ]
    return faults


def _fault(name: str, what: str) -> Fault:
    return Fault(
        f"column {name!r} is published as it is and {what}, so the guarantee would be empty",
        f'make {name!r} an "identifier" (left out) or "quasi" (protected).',
    )


def _codes(table: Table, name: str, fitted: Fitted) -> tuple[Codes, bool]:
    """One number per different cell, and whether the numbers follow the order of the cells."""
    try:
        units = table.numbers(name).units[fitted.input_rows]
        return np.unique(units, return_inverse=True)[1], True
    except ShoalError:
        array = table.column(name).combine_chunks().dictionary_encode().indices.cast(pa.int64())
        return numpy_from_arrow(array.fill_null(-1))[fitted.input_rows] + 1, False


def _equal_column(table: Table, name: str, fitted: Fitted) -> str | None:
    try:
        mine = table.numbers(name)
    except ShoalError:
        return None
    for at, other in enumerate(fitted.names):
        if at in fitted.categories:
            continue
        theirs = table.numbers(other)
        same = mine.scale == theirs.scale and np.array_equal(mine.units, theirs.units)
        if same and len(np.unique(mine.units[fitted.input_rows])) > 1:
            return other
    return None


def _same_partition(codes: Codes, others: Codes) -> bool:
    """Do the two columns tell the same records apart?"""
    different = int(others.max()) + 1
    pairs = len(np.unique(codes.astype(np.int64) * different + others))
    enough = different > 1 and len(codes) >= 2 * max(FEW, different)  # fewer may agree by accident
    return enough and pairs == different == len(np.unique(codes))


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
