"""Points of a column, counted, encoded or sorted, against the plain way."""

import numpy as np
import pytest

from shoal.methods.permutation import points
from shoal.methods.permutation.points import points_of

RNG = np.random.default_rng(1)
LIMITS = np.iinfo(np.int64)
COLUMNS = {
    "close": RNG.integers(-20, 20, 100),
    "close and single": RNG.permutation(60) - 30,
    "all equal": np.full(50, 7),
    "one": np.array([-5]),
    "few, far apart": RNG.choice([-(2**61), -3, 0, 2**40, 2**61], 200),
    "many, far apart": RNG.integers(-(2**39), 2**39, 3000),
    "many, some equal": RNG.integers(0, 6000, 3000) * 2**30,
    "as far apart as can be": np.append(RNG.integers(0, LIMITS.max, 3000), [0, LIMITS.max]),
    "from the least number on": np.append(RNG.integers(LIMITS.min, -1, 3000), [LIMITS.min, -1]),
    "differ in lost bits": np.append(RNG.integers(0, 5, 3000), LIMITS.max),
    "ordered": np.sort(RNG.integers(0, 2**50, 3000)),
}


def slow_points(values):
    """Value above the smallest, and the rows, of every value."""
    smallest = int(values.min())
    return {int(value) - smallest: np.flatnonzero(values == value).tolist() for value in np.unique(values)}


@pytest.fixture(params=[0, 1000])
def few(request, monkeypatch):
    """With and without a way of its own for few values."""
    monkeypatch.setattr(points, "FEW", request.param)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.usefixtures("few")
def test_points_are_the_values_and_their_rows_in_order(name):
    values = COLUMNS[name]
    found, expected = points_of(values), slow_points(values)
    assert found.above.tolist() == [above for above, rows in expected.items() for _ in rows[:2]]
    assert found.order.tolist() == [row for rows in expected.values() for row in rows]
    first = np.diff(found.above, prepend=-1) > 0
    assert np.diff(found.begins[:-1][first], append=len(values)).tolist() == list(map(len, expected.values()))
    assert (np.diff(found.begins) > 0).all()


def test_a_column_may_be_empty_but_not_wider_than_63_bits():
    assert len(points_of(np.empty(0, np.int64)).above) == 0
    with pytest.raises(OverflowError, match="63 bits"):
        points_of(np.array([LIMITS.min, 0]))
    with pytest.raises(OverflowError, match="63 bits"):
        points_of(np.array([LIMITS.min, LIMITS.max]))
