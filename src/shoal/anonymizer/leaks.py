"""Columns published as they are that give an aggregate away, and with it everything it protects.

Whoever knows f and finds a column from which f can be computed needs no ranges: the column tells the
records apart. So a column may neither equal f or a quasi column, nor determine one of them, nor follow f
step by step (a tax that grows with the total). Numbers inside text count as numbers.
"""

from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.anonymizer.fit import Fitted
from shoal.errors import Fault, ShoalError
from shoal.methods.knowledge import Known
from shoal.methods.ranges import Ints
from shoal.policy.policy import Policy
from shoal.table.bridge import arrow_from_numpy, numpy_from_arrow
from shoal.table.numbers import NotNumeric, Numbers, numbers_from_arrow
from shoal.table.table import Table

Codes = NDArray[Any]
FEW = 10  # with fewer different totals, a dependency is as likely an accident


def leak_faults(table: Table, policy: Policy, fitted: Fitted, known: Known) -> list[Fault]:
    """One fault per published column and piece of knowledge that it gives away."""
    published = [*policy.having("sensitive"), *policy.having("other")]
    secrets = {
        f"quasi column {name!r}": fitted.values[:, at]
        for at, name in enumerate(fitted.names)
        if at not in fitted.categories
    } | dict(zip(known.names, known.values(fitted.values), strict=False))
    ranked = {what: np.unique(values, return_inverse=True)[1] for what, values in secrets.items()}
    words = {fitted.names[at]: fitted.values[:, at] for at in known.also}
    faults = []
    for name in published if known.aggregates else ():
        codes, ordered = _codes(table, name, fitted.input_rows)
        if equal := _equal_column(table, name, fitted):
            faults.append(_fault(name, f"equals quasi column {equal!r}"))
            continue
        told = [f"determines {what}" for what, ranks in ranked.items() if _determines(codes, ranks, ordered)]
        told += [f"follows {what}" for what in known.names if ordered and _follows(codes, ranked[what])]
        told += [f"says the same as quasi column {other!r}"
                 for other, besides in words.items() if _same_partition(codes, besides)]  # fmt: skip
        if told:
            faults.append(_fault(name, told[-1] if told[0].startswith("determines quasi") else told[0]))
    return faults


def permutation_leaks(table: Table, policy: Policy, rows: Ints) -> list[Fault]:
    """Columns published as they are from which a permuted one can be computed: they undo the permutation."""
    exact = {name: _codes(table, name, rows) for name in [*policy.having("quasi"), *policy.having("other")]}
    faults = []
    for secret in policy.having("sensitive"):
        ranks = np.unique(_codes(table, secret, rows)[0], return_inverse=True)[1]
        for name, (codes, ordered) in exact.items():
            copied = _same_cells(table, name, secret, rows)
            if copied or _determines(codes, ranks, ordered) or (ordered and _follows(codes, ranks)):
                faults.append(
                    Fault(
                        f"column {name!r} is published as it is and gives the permuted {secret!r} away",
                        f'make {name!r} an "identifier" (left out) or "sensitive" (permuted too).',
                    )
                )
    return faults


def _fault(name: str, what: str) -> Fault:
    return Fault(
        f"column {name!r} is published as it is and {what}, so the guarantee would be empty",
        f'make {name!r} an "identifier" (left out) or "quasi" (protected).',
    )


def _codes(table: Table, name: str, rows: Ints) -> tuple[Codes, bool]:
    """One number per different cell, and whether the numbers follow the order of the cells."""
    for reading in (table.numbers, lambda column: _numbers_inside(table, column)):
        with suppress(ShoalError, NotNumeric):
            units = reading(name).units[rows]
            return np.unique(units, return_inverse=True)[1], True
    array = table.column(name).combine_chunks().dictionary_encode().indices.cast(pa.int64())
    return numpy_from_arrow(array.fill_null(-1))[rows] + 1, False


def _numbers_inside(table: Table, name: str) -> Numbers:
    """Text such as ``CHF 63,451`` as the number that it holds."""
    text = table.column(name).cast(pa.string())
    return numbers_from_arrow(pc.replace_substring_regex(text, r"[^0-9.\-]", ""))


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


def _same_cells(table: Table, name: str, other: str, rows: Ints) -> bool:
    """Is one column a copy of the other, with more than two values? Two may agree by accident."""
    try:
        mine, theirs = (table.points(column) for column in (name, other))
    except ShoalError:
        texts = [table.column(column).cast(pa.string()).combine_chunks() for column in (name, other)]
        kept = [text.take(arrow_from_numpy(rows)) for text in texts]
        return bool(kept[0].equals(kept[1])) and len(kept[0].unique()) > 2
    units = mine.units[rows]
    same = mine.scale == theirs.scale and np.array_equal(units, theirs.units[rows])
    return same and len(np.unique(units)) > 2


def _follows(codes: Codes, totals: Codes) -> bool:
    """Does the column grow (or fall) with f, in many steps? Then it tells f to within a step, unless one of
    its values leaves most of f open."""
    different = len(np.unique(totals))
    many = min(len(np.unique(codes)), different) >= 2 * FEW
    return many and _in_order(codes, totals) and 2 * _most_open(codes, totals) <= different


def _most_open(codes: Codes, totals: Codes) -> int:
    """The most different totals beside one value of the column."""
    pairs = np.unique(codes.astype(np.int64) * (int(totals.max()) + 1) + totals)
    return int(np.bincount(np.unique(pairs // (int(totals.max()) + 1), return_inverse=True)[1]).max())


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
