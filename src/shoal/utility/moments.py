"""What analysts compute first, before and after: means, variances, and correlations of numeric columns.

Class means keep the means of columns (up to rounding) and lower their variances; what becomes of the
correlations depends on which records share a class. A range counts as its middle, a star as the middle of the
domain. Permuted columns keep mean and variance; their correlations are those of the rows as they are
published. These figures come from the original records too: they are the owner's, and stay out of a release.
``public()`` tells changes only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.release.release import Release
from shoal.table.table import Table
from shoal.utility.column_pairs import ColumnPairs

ROUNDING = 1e-12
Matrix = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Summary:
    """Moments of one table: mean and population variance of every column, and the correlation of every two;
    None with a column that is the same everywhere."""

    means: tuple[float, ...]
    variances: tuple[float, ...]
    correlations: Matrix


@dataclass(frozen=True)
class Moments:
    """Means, deviations and correlations of number columns, before and after."""

    columns: tuple[str, ...]
    before: Summary
    after: Summary

    @property
    def largest_change(self) -> float | None:
        """The largest change of the correlation of two columns; None if there are no two."""
        pairs = zip(self.before.correlations, self.after.correlations, strict=True)
        changes = [
            abs(a - b)
            for rows in pairs
            for a, b in zip(*rows, strict=True)
            if a is not None and b is not None
        ]
        return max(changes) if len(self.columns) > 1 and changes else None

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values; correlations row by row in the order of the columns."""
        times = {"before": self.before, "after": self.after}
        return {
            "columns": list(self.columns),
            "mean": {time: list(table.means) for time, table in times.items()},
            "variance": {time: list(table.variances) for time, table in times.items()},
            "correlation": {time: [list(row) for row in table.correlations] for time, table in times.items()},
            "largest_change": self.largest_change,
        }

    def public(self) -> dict[str, Any]:
        """Changes without units: of means in standard deviations, of variances as a share of what they
        were."""
        figures = zip(self.columns, self.before.means, self.after.means,
                      self.before.variances, self.after.variances, strict=True)  # fmt: skip
        return {
            "columns": [
                {
                    "column": name,
                    "mean_shift": (now - was) / spread**0.5 if spread else None,
                    "variance_ratio": left / spread if spread else None,
                }
                for name, was, now, spread, left in figures
            ],
            "largest_change": self.largest_change,
        }


def moments(before: Mapping[str, Floats], after: Mapping[str, Floats]) -> Moments:
    """The figures of the same columns, of at least one row, before and after.

    >>> found = moments({"a": np.array([1.0, 3.0]), "b": np.array([5.0, 1.0])},
    ...                 {"a": np.array([2.0, 2.0]), "b": np.array([5.0, 1.0])})
    >>> found.before.correlations[0], found.after.correlations[0]
    ((1.0, -1.0), (None, None))
    """
    names = tuple(before)
    return Moments(names, *(_summary([table[name] for name in names]) for table in (before, after)))


def table_moments(pairs: ColumnPairs) -> Moments | None:
    """Moments of an original and any release of it: all numeric columns, without a link between the rows.

    Missing cells are left out: means and variances are those of the other cells, correlations those of the
    rows in which neither is missing. None if no numeric column has a value on both sides.
    """
    columns = {
        name: pair
        for name, pair in pairs.numeric()
        if not pair.dates and not pair.values_missing.all() and not pair.missing.all()
    }
    if not columns:
        return None
    before = [np.where(one.values_missing, np.nan, one.values / one.unit) for one in columns.values()]
    after = [np.where(one.missing, np.nan, one.middle / one.unit) for one in columns.values()]
    return Moments(tuple(columns), _summary(before), _summary(after))


def release_moments(release: Release) -> Moments | None:
    """Moments of a release of class means: its numeric columns, those that are published as they are among
    them.

    Columns with missing cells are left out, unless the policy counts them as zero. None if there are no
    numeric columns, or if the release shows no class means.
    """
    if not release.policy.averages:
        return None
    published, rows = Table(release.result.table), release.result.input_rows
    before, after = {}, {}
    for name in published.names:
        zero = release.policy.missing_counts.get(name) == "zero"
        was, now = release.original.numbers_if_any(name), published.numbers_if_any(name)
        if was is not None and now is not None and (zero or not (was.missing[rows].any() or now.any_missing)):
            before[name], after[name] = _floats(was.units[rows], was.scale), _floats(now.units, now.scale)
    return moments(before, after) if before else None


def _floats(units: Ints, scale: int) -> Floats:
    return np.asarray(units / 10.0**scale)


def _summary(columns: list[Floats]) -> Summary:
    """NaN is missing."""
    gaps = [np.isnan(column) for column in columns]
    means, differences = zip(*map(_centred_without, columns, gaps), strict=True)
    apart = np.column_stack(differences)
    if not any(gap.any() for gap in gaps):
        products = apart.T @ apart
        squares = np.diag(products)
        return Summary(
            means, tuple((squares / len(apart)).tolist()), _correlations(products, squares[:, None])
        )
    there = ~np.column_stack(gaps)
    variances = (apart**2).sum(axis=0) / there.sum(axis=0)
    return Summary(means, tuple(variances.tolist()), _correlations(*_common_products(apart, there)))


def _common_products(apart: Floats, there: Bools) -> tuple[Floats, Floats]:
    """Sums of products, and of squares of the column of each row, about the means of the rows that two
    columns have in common."""
    mask = there.astype(np.float64)
    common = np.maximum(mask.T @ mask, 1)
    sums = apart.T @ mask
    products = apart.T @ apart - sums * sums.T / common
    squares = (apart**2).T @ mask
    left = squares - sums**2 / common
    return products, np.where(left > ROUNDING * squares, left, 0.0)


def _correlations(products: Floats, squares: Floats) -> Matrix:
    lengths = np.sqrt(squares * (squares.T if squares.shape[1] > 1 else squares.ravel()))
    return tuple(
        tuple(
            None if length == 0 else float(np.clip(product / length, -1.0, 1.0))
            for product, length in zip(*rows, strict=True)
        )
        for rows in zip(products, lengths, strict=True)
    )


def _centred_without(values: Floats, gaps: Bools) -> tuple[float, Floats]:
    """The mean of what is there, and the differences to it; 0 where nothing is."""
    if not gaps.any():
        return _centred(values)
    mean, known = _centred(values[~gaps])
    differences = np.zeros(len(values))
    differences[~gaps] = known
    return mean, differences


def _centred(values: Floats) -> tuple[float, Floats]:
    """The mean, and the differences to it: exactly 0 where all values are the same.

    The mean is corrected by that of the differences: columns far from 0 lose nothing.
    """
    if values.min() == values.max():
        return float(values[0]), np.zeros(len(values))
    mean = values.mean()
    differences = values - mean
    correction = differences.mean()
    return float(mean + correction), differences - correction
