"""From an expression to what a method computes with."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.anonymizer.ranges.expression_aggregate import ExpressionAggregate, method_aggregate
from shoal.errors import ShoalError
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.policy.model.expression import parse_expression
from tests.anonymizer.slow_aggregate import slow_value
from tests.draws import draws

NAMES = ["a", "b", "c"]
LINEAR = ["a + b + c", "a - 2*b + c/3", "avg(a, b, c)", "0.5*(a - b) - c - 7.25", "-(a + b)/8 + 3 + c"]
OTHERS = [
    "min(a, b, c)",
    "max(a, b) - c",
    "median(a, b, c)",
    "median(a, b)",
    "a * b * c",
    "norm(a, b, c)",
    "a^2 + b",
    "product(a, b) + 2 * c",
    "max(a, b, 3) * c",
    "avg(a, 5) + max(b, c)",
    "a^3 - b / 4",
]
EXPRESSIONS = LINEAR + OTHERS
cells = st.integers(-50, 50)
rows = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=6)
scales = st.tuples(*[st.integers(0, 3)] * 3)


def aggregate(text, values, scales=(0, 0, 0)):
    values = np.array(values, np.int64)
    ends = values.min(axis=0), values.max(axis=0)
    return method_aggregate(text, parse_expression(text), NAMES[: values.shape[1]], list(scales), ends)


def record(row, scales, kept=(True, True, True)):
    return {
        name: Fraction(int(cell), 10**scale)
        for name, cell, scale, keep in zip(NAMES, row, scales, kept, strict=True)
        if keep
    }


@draws(200)
@given(text=st.sampled_from(LINEAR), rows=rows, scales=scales)
def test_weighted_sums_are_whole_multiples_of_the_exact_value(text, rows, scales):
    f = aggregate(text, rows, scales)
    assert isinstance(f, WeightedSum)
    totals = [int(total) for total in f.of(np.array(rows, np.int64))]
    exact = [slow_value(parse_expression(text), record(row, scales)) for row in rows]
    assert all(total * other == other_total * value
               for total, value in zip(totals, exact, strict=True)
               for other_total, other in zip(totals, exact, strict=True))  # fmt: skip
    assert [np.sign(total) for total in totals] == [np.sign(float(value)) for value in exact]


def test_mixed_scales_are_brought_to_one_unit():
    f = aggregate("a + b", [[3, 250], [1, 125]], scales=(0, 2))
    assert f.weights.tolist() == [100, 1]


def test_columns_outside_the_expression_have_no_weight():
    assert aggregate("2 * b", [[5, 6, 7]]).weights.tolist() == [0, 2, 0]


@draws(200)
@given(text=st.sampled_from(EXPRESSIONS), rows=rows, scales=scales, kept=st.tuples(*[st.booleans()] * 3))
def test_what_is_left_without_a_column_is_the_scalar_definition(text, rows, scales, kept):
    f = ExpressionAggregate(parse_expression(text), tuple(NAMES), scales)
    found = f.without(np.array(rows), np.array(kept))
    for row, value in zip(rows, found, strict=True):
        expected = slow_value(parse_expression(text), record(row, scales, kept))
        assert value == pytest.approx(0.0 if expected is None else float(expected), abs=1e-9)


@draws(200)
@given(text=st.sampled_from(OTHERS), rows=rows, scales=scales)
def test_the_image_of_an_exact_record_is_its_value_up_to_one_unit(text, rows, scales):
    """Values that are equal stay equal, and those that differ keep their order."""
    low, high = aggregate(text, rows, scales).image(*[np.array(rows, np.int64)] * 2)
    exact = [slow_value(parse_expression(text), record(row, scales)) for row in rows]
    assert np.array_equal(low, high)
    for at, value in enumerate(exact):
        for other_at, other in enumerate(exact):
            assert np.sign(low[at] - low[other_at]) == np.sign(value - other)


@draws(200)
@given(
    text=st.sampled_from(EXPRESSIONS), box=st.tuples(*[st.tuples(st.integers(-4, 4), st.integers(0, 3))] * 3)
)
def test_the_image_of_a_box_spans_the_values_at_its_points(text, box):
    """Monotone pieces reach their ends in corners or at zero, and all of these are tried."""
    low, high = np.array([[a for a, _ in box]]), np.array([[a + width for a, width in box]])
    f = ExpressionAggregate(parse_expression(text), tuple(NAMES), (0, 0, 0))
    grid = np.stack(
        np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(low[0], high[0], strict=True))), axis=-1
    )
    values = f.image(grid, grid)[0]
    smallest, largest = f.image(low, high)
    assert (smallest[0], largest[0]) == (values.min(), values.max())


@pytest.mark.parametrize(
    ("text", "largest"),
    [
        ("a + b", [2**62, 0]),
        ("a + b", [2**61, 2**61]),
        ("1000000000 * a + b", [2**40, 1]),
        ("a * b", [2**31, 2**31]),
        ("a ^ 4 + b", [2**16, 0]),
        ("norm(a, b)", [2**31, 2**31]),
        ("median(a, b)", [2**61, 2**61]),
    ],
)
def test_an_aggregate_beyond_64_bits_is_refused_with_a_way_out(text, largest):
    with pytest.raises(ShoalError, match="does not fit 64-bit arithmetic") as refused:
        aggregate(text, [[0, 0], largest])
    assert "larger units" in refused.value.faults[0].hint


def test_a_norm_whose_sum_of_squares_overflows_is_refused():
    with pytest.raises(ShoalError, match="64-bit"):
        aggregate("norm(a, b, c)", [[0, 0, 0], [2 * 10**9] * 3])


def test_weights_beyond_64_bits_are_refused_even_when_every_cell_is_zero():
    with pytest.raises(ShoalError, match="64-bit"):
        aggregate("a / 9999999967 + b / 9999999929 + c / 9999999943", [[0, 0, 0]])


def test_what_is_left_of_a_quotient_is_always_a_number():
    """x / (a - b) is fine as a whole, but without a the divisor is -b, and b may be 0."""
    f = ExpressionAggregate(parse_expression("c / (a - b)"), tuple(NAMES), (0, 0, 0))
    with np.errstate(all="ignore"):
        left = f.without(np.array([[10, 0, 1], [11, 2, 0]]), np.array([False, True, True]))
    assert np.isfinite(left).all()


def test_columns_that_fit_alone_are_refused_when_their_common_scale_does_not():
    with pytest.raises(ShoalError, match="64-bit"):
        aggregate("a + b", [[10**6, 1], [0, 10**15]], scales=(0, 15))


@pytest.mark.parametrize("text", ["a / b", "1 / (a - b)", "b / min(a, 0)", "a / b^2"])
def test_a_divisor_that_can_be_zero_is_refused_with_a_way_out(text):
    with pytest.raises(ShoalError, match=r"divisor .* can be zero") as refused:
        aggregate(text, [[1, -1], [2, 3]])
    assert "all positive or all negative" in refused.value.faults[0].hint


@pytest.mark.parametrize(("text", "expected"), [("a / b", (0.25, 2.0)), ("b / (-a)", (-4.0, -0.5))])
def test_a_divisor_of_one_sign_is_accepted(text, expected):
    low, high = aggregate(text, [[1, 2], [4, 4]]).image(np.array([[1, 2]]), np.array([[4, 4]]))
    assert (low[0], high[0]) == expected
