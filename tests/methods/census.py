"""The table on which methods of microaggregation are compared, where it is at hand."""

import os
from pathlib import Path

import numpy as np
import pytest

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "../shared/data"))
CENSUS = DATA / "casc/CASCrefmicrodata.csv"
needs_census = pytest.mark.skipif(not CENSUS.exists(), reason="the Census table is not here")


def standardized(points):
    return (points - points.mean(axis=0)) / points.std(axis=0)


def census(columns=13):
    """The last column is ERNVAL."""
    return standardized(np.loadtxt(CENSUS, delimiter=",", skiprows=1)[:, :columns])


def generated(rows, seed=0):
    """Four columns that are related, skewed, with heaps and zeros, as large as if they were standardized:
    whole numbers over a power of two, so that every machine has the same ones."""
    rng = np.random.default_rng(seed)
    income = rng.integers(0, 32, rows) ** 2 + rng.integers(0, 10, rows)
    tax = np.maximum(income // 3 - 80 + rng.integers(-20, 20, rows), 0)
    age = rng.integers(18, 80, rows)
    return np.column_stack([income / 256, tax / 64, age / 16, rng.choice([0.0, 0.0, 0.0, 2.0], rows)])
