"""Bins and distances against counting every grid value of every cell, one by one."""

import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.policy.model.policy import Policy
from shoal.table.table import Table
from shoal.utility.column_pairs import ColumnPairs
from shoal.utility.distributions import (
    MOST_BINS,
    Distribution,
    bin_ends,
    counts_within,
    distributions,
    earth_movers_distance,
    total_variation,
)
from tests.draws import draws

RANGES = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(0, 6)).map(lambda one: (one[0], one[0] + one[1])),
    min_size=1,
    max_size=6,
)
VALUES = st.lists(st.integers(-9, 12), min_size=1, max_size=6)


def shares(ranges: list[tuple[int, int]]) -> dict[int, Fraction]:
    """Every grid value of every range."""
    found: dict[int, Fraction] = {}
    for low, high in ranges:
        for value in range(low, high + 1):
            found[value] = found.get(value, Fraction(0)) + Fraction(1, (high - low + 1) * len(ranges))
    return found


def slow_distance(values: list[int], ranges: list[tuple[int, int]]) -> float:
    before, after = shares([(value, value) for value in values]), shares(ranges)
    places = range(min([*before, *after]), max([*before, *after]) + 1)
    apart = area = Fraction(0)
    for place in places:
        apart += before.get(place, Fraction(0)) - after.get(place, Fraction(0))
        area += abs(apart)
    return float(area / (len(places) - 1)) if len(places) > 1 else 0.0


def ends_of(ranges: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(ranges, float).T
    return low, high


@draws(100)
@given(VALUES, RANGES)
def test_the_distance_is_that_of_all_grid_values(values: list[int], ranges: list[tuple[int, int]]) -> None:
    found = earth_movers_distance(np.array(values, float), *ends_of(ranges))
    assert found == pytest.approx(slow_distance(values, ranges), abs=1e-12)


def test_the_distance_of_points_is_the_earth_movers() -> None:
    from scipy.stats import wasserstein_distance

    draw = np.random.default_rng(0)
    one, other = draw.integers(-1000, 1000, 300).astype(float), draw.integers(-500, 800, 200).astype(float)
    span = max(one.max(), other.max()) - min(one.min(), other.min())
    found = earth_movers_distance(one, other, other)
    assert found == pytest.approx(wasserstein_distance(one, other) / span)


def test_columns_of_fifteen_digits_keep_their_distance() -> None:
    draw = np.random.default_rng(1)
    values = draw.integers(0, 10**15, 500).astype(float)
    low, high = values.copy(), values.copy()
    low[:100], high[:100] = 0, 10.0**15
    low[100:200] -= 1
    expected = earth_movers_distance(np.floor(values / 1e9), np.floor(low / 1e9), np.floor(high / 1e9))
    assert earth_movers_distance(values, low, high) == pytest.approx(expected, abs=1e-5)
    assert earth_movers_distance(values, values[::-1], values[::-1]) == 0


@draws(100)
@given(RANGES)
def test_bins_count_every_grid_value(ranges: list[tuple[int, int]]) -> None:
    low, high = ends_of(ranges)
    last = bin_ends(low.min(), high.max())
    assert len(last) <= MOST_BINS
    assert last[-1] == high.max()
    first = np.append(low.min(), last[:-1] + 1)
    counted = shares(ranges)
    expected = [
        float(sum(share for value, share in counted.items() if one <= value <= other)) * len(ranges)
        for one, other in zip(first, last, strict=True)
    ]
    np.testing.assert_allclose(counts_within(low, high, last), expected, atol=1e-12)


def test_nothing_has_no_distance() -> None:
    nothing = np.array([])
    assert earth_movers_distance(nothing, np.array([1.0]), np.array([1.0])) is None
    assert earth_movers_distance(np.array([1.0]), nothing, nothing) is None
    assert total_variation(np.array([0.0]), np.array([1.0])) is None


def of(before: dict, after: dict, roles: dict, **more: object) -> list[Distribution]:
    policy = Policy(columns=roles, guarantees=[{"kind": "k-anonymity", "k": 2}], **more)
    return list(distributions(ColumnPairs.of(Table(pa.table(before)), Table(pa.table(after)), policy)))


def test_columns_of_every_kind() -> None:
    before = {
        "name": ["secret"] * 4,
        "age": [20, 21, 40, 41],
        "born": ["2001-01-01", "2001-01-03", "2001-01-02", "2001-01-03"],
        "town": ["Ulm", "Rom", "Rom", None],
    }
    after = {
        "town": ["{Rom, Ulm}", "{Rom, Ulm}", "Rom", ""],
        "age": ["[20, 21]", "[20, 21]", "*", "40"],
        "born": ["2001-01-02", "*", "2001-01-03", "2001-01-03"],
    }
    roles = {"name": "identifier", "age": "quasi", "born": "quasi", "town": "quasi"}
    town, age, born = of(before, {**after, "town": ["{Rom, Ulm}", "{Rom, Ulm}", "Rom", None]}, roles)
    assert (town.kind, town.bins, town.before, town.after) == (
        "word",
        ("Rom", "Ulm", None),
        (2, 1, 1),
        (2, 1, 1),
    )
    assert town.distance == 0
    assert (town.missing_before, town.missing_after) == (1, 1)
    assert (age.kind, len(age.bins), age.bins[0]) == ("number", 20, (20.0, 20.0))
    assert sum(age.after) == pytest.approx(4)
    assert age.after[0] == pytest.approx(1 + 1 / 22)
    assert [born.as_dict()["bins"][0], born.kind] == [["2001-01-01", "2001-01-01"], "date"]
    assert born.after == pytest.approx((1 / 3, 4 / 3, 7 / 3))
    for one in (town, age, born):
        assert json.loads(json.dumps(one.as_dict(), allow_nan=False)) == one.as_dict()


def test_rare_words_are_others_and_count_in_the_distance() -> None:
    words = [f"w{number:02}" for number in range(30) for _ in range(31 - number)]
    (found,) = of({"town": words}, {"town": ["*"] * len(words)}, {"town": "quasi"})
    assert len(found.bins) == 13
    assert (found.others, found.bins[-1]) == (True, "others")
    assert sum(found.before) == len(words)
    assert found.after[0] == pytest.approx(len(words) / 30)
    counts = np.arange(31, 1, -1) / len(words)
    assert found.distance == pytest.approx(np.abs(counts - 1 / 30).sum() / 2)


def test_a_declared_domain_gives_the_edges_and_holds_what_lies_outside() -> None:
    (found,) = of({"x": [1, 2, 999]}, {"x": ["1", "*", "999"]}, {"x": "quasi"}, domains={"x": [0, 199]})
    assert found.bins[0] == (0.0, 9.0)
    assert found.before == (2, *[0] * 18, 1)
    assert found.after[0] == pytest.approx(1.05)
    assert found.public()["domain"] == [0.0, 199.0]


def test_what_is_public_holds_no_value() -> None:
    found = of({"x": [123, 456], "w": ["alpha", "beta"]}, {"x": ["[123, 456]"] * 2, "w": ["*"] * 2},
               {"x": "quasi", "w": "quasi"})  # fmt: skip
    told = json.dumps([one.public() for one in found])
    assert not any(word in told for word in ("123", "456", "alpha", "beta"))
    assert found[1].public() == {"column": "w", "kind": "word", "bins": 2, "distance": 0.0, "domain": None}


def test_missing_numbers_are_counted_beside() -> None:
    (found,) = of({"x": [1, None, 3]}, {"x": ["1", "3", ""]}, {"x": "quasi"})
    assert (found.before, found.after) == ((1, 0, 1), (1, 0, 1))
    assert (found.missing_before, found.missing_after) == (1, 1)


def test_constant_columns_and_single_rows() -> None:
    (found,) = of({"x": [5]}, {"x": ["5"]}, {"x": "quasi"})
    assert (found.bins, found.before, found.after, found.distance) == (((5.0, 5.0),), (1,), (1,), 0.0)
