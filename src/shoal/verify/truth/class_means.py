"""A column of class means beside the numbers or dates that they are made from, compared exactly."""

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Bools, Ints
from shoal.errors import Fault, ShoalError
from shoal.policy.model.policy import Policy
from shoal.table.columns.dates import days_from_arrow
from shoal.table.columns.dictionary_encoding import encode
from shoal.table.columns.numbers import LARGEST_SCALE, Numbers
from shoal.verify.cells.published_table import BadCells, PublishedTable
from shoal.verify.truth.members import Members

LARGEST = 2**62
DIGITS = 14  # of the largest number of a column, in which a mean is right
MOST_DIGITS = 60  # that a published number has before or behind the point


@dataclass(frozen=True)
class _PublishedNumbers:
    """Published numbers ``units / 10**scale``; those that are missing, or no number at all, are 0."""

    units: Any
    scale: int
    missing: Bools
    strange: Bools


@dataclass(frozen=True)
class ClassMeans:
    """What is published, the original (missing cells are 0), and how far from its mean a shown number may be,
    in units of the last decimal given. Whoever keeps totals may show any number between the smallest and the
    largest of the class."""

    published: _PublishedNumbers
    original: Numbers
    allowed: Fraction
    totals: bool

    @classmethod
    def of_numbers(
        cls,
        published: PublishedTable,
        original: PublishedTable,
        policy: Policy,
        name: str,
        largest: int | None = None,
    ) -> "ClassMeans":
        """``largest`` is the largest number of the original, in its units, if this is a part of it."""
        given = _with_zeros(original.numbers(name), policy, name)
        if largest is None:
            largest = max(abs(int(end)) for end in (given.units.min(initial=0), given.units.max(initial=0)))
        finest = Fraction(10**given.scale, 2 * 10**LARGEST_SCALE)  # no column is read more finely
        allowed = max(Fraction(largest, 10**DIGITS), finest)
        if policy.method.options.get("keep_decimals"):
            allowed = Fraction(1, 2)
        return cls._of(_shown_numbers(published, name), given, allowed, policy.keeps_total(name))

    @classmethod
    def of_dates(cls, published: PublishedTable, given: Numbers, policy: Policy, name: str) -> "ClassMeans":
        days = days_from_arrow(published.table.column(name))
        if days is None and name in published.ways and published.ways[name].dates:
            days = published.points(name)  # a part without any
        if days is None:
            raise ShoalError(
                f"column {name!r} has dates in the original, and other cells in the release",
                "a published date is written 2024-02-29.",
            )
        shown = _PublishedNumbers(days.units, 0, days.missing, np.zeros(len(days), bool))
        return cls._of(shown, _with_zeros(given, policy, name), Fraction(1, 2), policy.keeps_total(name))

    @classmethod
    def _of(cls, shown: _PublishedNumbers, given: Numbers, allowed: Fraction, totals: bool) -> "ClassMeans":
        return cls(shown, given, Fraction(0) if totals else allowed, totals)

    def wrong(self, members: Members) -> Any:
        """Classes that show something else than the mean of their people. Where a cell is missing, all of
        the class are."""
        values, starts = self.original.units[members.people], members.starts
        gaps = np.add.reduceat(self.original.missing[members.people].astype(np.int64), starts)
        row = members.published_row
        shown, missing = self.published.units[row], self.published.missing[row]
        largest = max(abs(int(values.min())), abs(int(values.max()))) * int(members.sizes.max())
        sums = np.add.reduceat(values.astype(np.int64 if largest < LARGEST else object), starts)
        far = farther_than_allowed(
            shown, self.published.scale, sums, members.sizes, self.original.scale, self.allowed
        )
        if self.totals:
            far = self._beside(shown, *(end.reduceat(values, starts) for end in (np.minimum, np.maximum)))
        there = (gaps == 0) & ~missing & ~self.published.strange[row]
        return ~np.where(there, ~far, (gaps == members.sizes) & missing)

    def _beside(self, shown: Any, low: Ints, high: Ints) -> Any:
        """Shown numbers below the lowest or above the highest."""
        shown = shown.astype(object) * 10**self.original.scale
        low, high = (end.astype(object) * 10**self.published.scale for end in (low, high))
        return ((shown < low) | (high < shown)).astype(bool)

    def impossible(self) -> Bools:
        """Published records that show what no class of the original can."""
        units, missing = self.original.units[~self.original.missing], self.original.missing.any()
        possible = np.zeros(len(self.published.missing), bool)
        if len(units):
            per_unit = Fraction(10**self.published.scale, 10**self.original.scale)
            low = ceil((int(units.min()) - self.allowed) * per_unit)
            high = floor((int(units.max()) + self.allowed) * per_unit)
            possible = ((low <= self.published.units) & (self.published.units <= high)).astype(bool)
        return np.where(self.published.missing, ~missing, ~possible | self.published.strange)

    def excess(self, people: Ints) -> Fraction:
        """How far what is shown adds up to more than these people had, who are all that were published."""
        unit = Fraction(1, 10**self.original.scale)
        shown = Fraction(_total(self.published.units), 10**self.published.scale) / unit
        return shown - _total(self.original.units[people])


def farther_than_allowed(shown: Any, scale: int, sums: Any, sizes: Ints, own: int, allowed: Fraction) -> Any:
    """Which numbers ``shown / 10**scale`` lie farther than ``allowed / 10**own`` from ``sums / sizes /
    10**own``. Floats decide where they can.

    >>> shown, total, size = np.array([33, 34]), np.array([10, 10]), np.array([3, 3])
    >>> farther_than_allowed(shown, 1, total, size, 0, Fraction(1, 20)).tolist()
    [False, True]
    """
    more, less = 10 ** max(own - scale, 0), 10 ** max(scale - own, 0)
    if object in (shown.dtype, sums.dtype):
        return _exactly_farther(shown, sums, sizes, more, less, allowed)
    places, means = shown * (more / less), sums / sizes
    unsure = (np.abs(places) + np.abs(means)) * 1e-15
    off, limit = np.abs(places - means), float(allowed)
    far = off > limit
    close = np.abs(off - limit) <= unsure + limit * 1e-15
    far[close] = _exactly_farther(shown[close], sums[close], sizes[close], more, less, allowed)
    return far


def _exactly_farther(shown: Any, sums: Any, sizes: Ints, more: int, less: int, allowed: Fraction) -> Bools:
    many = sizes.astype(object)
    off = np.abs(shown.astype(object) * many * more - sums.astype(object) * less)
    return np.asarray(off * allowed.denominator > many * (allowed.numerator * less), bool)


def _with_zeros(given: Numbers, policy: Policy, name: str) -> Numbers:
    """Missing cells that count as zero are not missing."""
    if policy.missing_counts.get(name) != "zero":
        return given
    return replace(given, missing=np.zeros(len(given), bool))


def _total(units: Any) -> int:
    """A total in parts that cannot overflow."""
    if units.dtype == object or not len(units):
        return sum(units.tolist())
    largest = max(abs(int(units.min())), abs(int(units.max())), 1)
    return sum(np.add.reduceat(units, np.arange(0, len(units), max(LARGEST // largest, 1))).tolist())


def _shown_numbers(published: PublishedTable, name: str) -> _PublishedNumbers:
    try:
        cells = published.cells(name)
    except BadCells as error:
        return _digit_by_digit(published.table.column(name), error.fault)
    return _PublishedNumbers(
        cells.low, cells.scale, cells.missing, cells.suppressed | (cells.low != cells.high)
    )


def _digit_by_digit(column: Any, fault: Fault) -> _PublishedNumbers:
    """Numbers beyond 64 bits, such as means of very large ones."""
    different = encode(column)
    try:
        words = different.cells.cast(pa.string()).to_pylist()
        numbers = [Decimal(word or 0) for word in words]
    except (InvalidOperation, pa.ArrowException):
        raise ShoalError([fault]) from None
    if not all(number.is_finite() and abs(number.adjusted()) < MOST_DIGITS for number in numbers):
        raise ShoalError([fault])
    scale = max(0, *(-int(number.as_tuple().exponent) for number in numbers))
    units = np.array([int(Fraction(number) * 10**scale) for number in numbers], object)
    missing = np.array([not word for word in words])
    at = different.numbers
    return _PublishedNumbers(units[at], scale, missing[at], np.zeros(len(at), bool))
