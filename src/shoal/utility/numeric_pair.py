"""A column of numbers or dates before and after, on one grid: each published cell as a range of its values.

A cell is read as the closed range between its ends: a number as itself, a label as the range from the least
to the largest value below it in the policy's hierarchy, a part of a date (2011-Q2) as its days, and a star as
the whole domain, which is the declared one or reaches from the smallest to the largest original value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools, Floats
from shoal.policy.model.policy import Policy
from shoal.query.generalized.label_ends import date_ends
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.dictionary_encoding import value_type
from shoal.table.columns.numbers import NotNumeric, Numbers, is_text, numbers_from_arrow
from shoal.table.columns.same_value import value_of
from shoal.table.table import Table
from shoal.utility.word_pair import Below, leaves_below
from shoal.verify.cells.published_table import BRACKETED, BadCells, Cells, PublishedTable
from shoal.verify.cells.word_cells import words_of_cell

Ends = tuple[float, float]  # low and high
EPOCH = date(1970, 1, 1)
HALF_OPEN = BRACKETED.replace(r"\]\s*$", r"[\])]\s*$")  # [0, 2.5) is within [0, 2.5]


@dataclass(frozen=True)
class NumericPair:
    """A column of numbers before and after, in units of ``10**-scale``, as floats; dates in days. Missing
    cells are 0."""

    values: Floats  # of every original record
    values_missing: Bools
    low: Floats  # of every published record
    high: Floats
    missing: Bools
    starred: Bools
    domain: Ends
    scale: int
    dates: bool = False

    @property
    def unit(self) -> float:
        return float(10.0**self.scale)

    @property
    def middle(self) -> Floats:
        return np.asarray(self.low + (self.high - self.low) / 2)

    @cached_property
    def ordered(self) -> Floats:
        """The known original values, ascending."""
        return np.sort(self.known_values())

    def known_values(self) -> Floats:
        """Values of the original records that have one."""
        return self.values[~self.values_missing] if self.values_missing.any() else self.values

    def known_ranges(self) -> tuple[Floats, Floats]:
        """Ranges of the published records that have one."""
        if not self.missing.any():
            return self.low, self.high
        return self.low[~self.missing], self.high[~self.missing]


@dataclass(frozen=True)
class _PublishedCells:
    """What the published cells say, on a scale of their own."""

    low: Floats
    high: Floats
    scale: int
    starred: Bools
    missing: Bools


def numeric_pair(original: Table, published: PublishedTable, policy: Policy, name: str) -> NumericPair | None:
    """None if either side holds anything but numbers or dates, or nothing at all.

    >>> policy = Policy(columns={"age": "quasi"}, guarantees=[{"kind": "k-anonymity", "k": 2}])
    >>> before, after = pa.table({"age": [30, 31, 52]}), pa.table({"age": ["[30, 31]", "[30, 31]", "*"]})
    >>> pair = numeric_pair(Table(before), PublishedTable(Table(after)), policy, "age")
    >>> pair.low.tolist(), pair.high.tolist()
    ([30.0, 30.0, 30.0], [31.0, 31.0, 52.0])
    """
    if policy.of_words(name):
        return None
    dates = days_from_arrow(original.column(name))
    given = dates or _numbers(original, name)
    if given is None or given.missing.all() or not len(given):
        return None
    cells = _cells(original, published, policy, name, dates is not None)
    if cells is None:
        return None
    zero = policy.missing_counts.get(name) == "zero"
    missing = np.zeros(len(given), bool) if zero else given.missing
    scale = max(given.scale, cells.scale)
    values = np.asarray(given.units * 10.0 ** (scale - given.scale), np.float64)
    domain = _domain(values[~missing], policy, name, scale)
    factor = 10.0 ** (scale - cells.scale)
    return NumericPair(
        values,
        missing,
        np.where(cells.starred, domain[0], cells.low * factor),
        np.where(cells.starred, domain[1], cells.high * factor),
        np.zeros(len(cells.low), bool) if zero else cells.missing,
        cells.starred,
        domain,
        scale,
        dates is not None,
    )


def _numbers(table: Table, name: str) -> Numbers | None:
    try:
        return numbers_from_arrow(table.column(name)) if table.mostly_numbers(name) else None
    except NotNumeric:
        return None


def _domain(values: Floats, policy: Policy, name: str, scale: int) -> Ends:
    if name in policy.domains:
        low, high = (float(end.scaleb(scale)) for end in policy.domains[name])
        return low, high
    return float(values.min()), float(values.max())


def _cells(
    original: Table, published: PublishedTable, policy: Policy, name: str, dates: bool
) -> _PublishedCells | None:
    """The published cells as ranges; first as plain numbers or dates, then label by label."""
    column = published.table.column(name)
    if policy.columns.get(name) != "quasi":
        told = days_from_arrow(column) if dates else _numbers(published.table, name)
        return None if told is None else _exact(told)
    if dates and (days := days_from_arrow(column)) is not None:
        return _exact(days)
    spec = policy.hierarchies.get(name)
    told_by_name = spec is not None and spec.dates is not None  # 2011-Q2 says itself what it covers
    below = {} if told_by_name else leaves_below(original, policy, name)
    if not dates and not _only_labels(published.table, name, policy, below):
        try:
            return _ranged(published.cells(name))
        except BadCells:
            pass
    return _by_label(published.table, name, below, _day_ends if dates else _number_ends)


def _exact(numbers: Numbers) -> _PublishedCells:
    units = numbers.units.astype(float)
    return _PublishedCells(units, units, numbers.scale, np.zeros(len(numbers), bool), numbers.missing)


def _ranged(cells: Cells) -> _PublishedCells:
    return _PublishedCells(
        cells.low.astype(float), cells.high.astype(float), cells.scale, cells.suppressed, cells.missing
    )


def _only_labels(table: Table, name: str, policy: Policy, below: Below) -> bool:
    """A label of a hierarchy that the policy writes out may look like a number and mean others."""
    spec = policy.hierarchies.get(name)
    if spec is None or not spec.written_out:
        return False
    if not is_text(value_type(table.column(name))):
        return False
    return all(value_of(cell) in below for cell in table.encoded(name).cells.to_pylist())


def _by_label(
    table: Table, name: str, below: Below, ends: Callable[[str], Ends | None]
) -> _PublishedCells | None:
    """Each different cell is read once; None if one of them has no ends."""
    if not is_text(value_type(table.column(name))):
        return None
    few = table.encoded(name)
    cells = [value_of(cell) for cell in few.cells.cast(pa.string()).to_pylist()]
    missing = np.array([not cell for cell in cells], bool)
    starred = np.array([cell == "*" for cell in cells], bool)
    found = [
        (0.0, 0.0) if hidden or not cell else _ends_of(cell, below, ends)
        for cell, hidden in zip(cells, starred, strict=True)
    ]
    pairs = [pair for pair in found if pair is not None]
    if len(pairs) < len(found):
        return None
    low, high = np.array(pairs, float).reshape(-1, 2).T
    at = few.numbers
    return _PublishedCells(low[at], high[at], 0, starred[at], missing[at])


def _ends_of(cell: str, below: Below, ends: Callable[[str], Ends | None]) -> Ends | None:
    """The ends of all that a cell may stand for, from the least to the largest."""
    words = below.get(cell) or words_of_cell(cell) or ()
    found = [ends(word) for word in words if word is not None]
    pairs = [pair for pair in found if pair is not None]
    if not pairs or len(pairs) < len(found):
        return None
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def _number_ends(word: str) -> Ends | None:
    """
    >>> _number_ends("[0, 2.5)"), _number_ends("7"), _number_ends("young")
    ((0.0, 2.5), (7.0, 7.0), None)
    """
    found = re.match(HALF_OPEN, word)
    try:
        low, high = map(Decimal, (found["lo"], found["hi"]) if found else (word.strip(), word.strip()))
    except InvalidOperation:
        return None
    return (float(low), float(high)) if low <= high and high.is_finite() else None


def _day_ends(word: str) -> Ends | None:
    """
    >>> _day_ends("1970-01")
    (0.0, 30.0)
    """
    found = date_ends(word)
    return None if found is None else (float((found[0] - EPOCH).days), float((found[1] - EPOCH).days))
