"""F against the values of f on every grid point of a box."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.policy.model.expression import columns_of, parse_expression
from shoal.verify.aggregate.image import image_of
from tests.draws import draws
from tests.verify.brute_force import Record, cells_of, ranges, value_at, values_over

FAMILIES = {
    "weighted sums": ("a + b + c", "2 * a - 3 * b + c / 4", "-a", "a * 0 + b", "avg(a, b, c)"),
    "order statistics": (
        "min(a, b, c)",
        "max(a, b, c)",
        "median(a, b, c)",
        "median(a, b, c, p)",
        "median(a, -b, c + 1.5)",
    ),
    "products and powers": ("a * b * c", "product(a, b, p)", "a ^ 2", "a ^ 3", "a ^ 4", "a ^ 2 + b ^ 3"),
    "quotients and norms": ("a / p", "(a - b) / p", "a / (p * p2)", "norm(a, b)", "norm(a, 2 * b, p)"),
    "nested": (
        "a - max(b, 2 * c)",
        "3 - a * b",
        "(a - b) * c",
        "min(a, b) * max(c, p)",
        "(a * b) ^ 3",
        "median(a, b ^ 2, a2 * p)",
    ),
}
SQUARES = ("(a + b) ^ 2", "(a - max(b, c)) ^ 2", "norm(a + b, c - p)", "4 * avg(a, b) ^ 2")
BEYOND_64_BITS = (
    "a + b + c",
    "a - b - c",
    "-a",
    "0.001 * a + 1000000 * b",
    "avg(a, b, c)",
    "median(a, b)",
    "median(a, b, c)",
    "max(a, 7 * b) - min(c, 1)",
    "a * b * c",
    "(a - b) * c",
    "a ^ 4 - b ^ 3",
    "-(a * b) ^ 2",
    "a + 100000000000000000000",
)
INT64 = st.sampled_from([-(2**63), -(2**62), 2**62, 2**63 - 1, 0, 1]) | st.integers(-(2**63), 2**63 - 1)


def columns(text: str) -> list[str]:
    return list(columns_of(parse_expression(text)))


@st.composite
def boxes_for(draw: st.DrawFn, text: str) -> list[Record]:
    """One or two boxes for the columns of an expression; a column p is never zero."""
    not_zero = ranges(1, 5, widest=2) | ranges(-5, -1, widest=2)
    cells = {name: not_zero if name[0] == "p" else ranges(-4, 4, widest=2) for name in columns(text)}
    return draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=2))


def ends_of(text: str, boxes: list[Record], scales: dict[str, int]) -> list[tuple[Fraction, Fraction]]:
    image = image_of(parse_expression(text), cells_of(boxes, scales))
    unit = 1 if image.unit is None else image.unit
    ends = zip(image.low.tolist(), image.high.tolist(), strict=True)
    return [(low * unit, high * unit) for low, high in ends]


def assert_ends_are_extremes(text: str, boxes: list[Record], scales: dict[str, int]) -> None:
    for box, (low, high) in zip(boxes, ends_of(text, boxes, scales), strict=True):
        values = values_over(text, box, scales)
        if isinstance(low, float):
            assert (low, high) == pytest.approx((min(values), max(values)), abs=1e-8)
        else:
            assert (low, high) == (min(values), max(values))


@pytest.mark.parametrize("family", FAMILIES)
@given(st.data())
@draws(200)
def test_the_ends_of_f_are_its_least_and_greatest_value_on_the_grid(family: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(FAMILIES[family]))
    scales = {name: data.draw(st.integers(0, 2)) for name in columns(text)}
    assert_ends_are_extremes(text, data.draw(boxes_for(text)), scales)


@given(st.data())
@draws(200)
def test_a_square_is_zero_when_what_is_squared_can_be(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SQUARES))
    assert_ends_are_extremes(text, data.draw(boxes_for(text)), dict.fromkeys(columns(text), 0))


def test_a_square_reaches_zero_between_two_grid_points() -> None:
    boxes = [{"a": (-1, 0), "b": (5, 5)}]
    assert ends_of("(a + b) ^ 2", boxes, {"a": 0, "b": 1}) == [(0, Fraction(1, 4))]


@given(st.data())
@draws(200)
def test_what_64_bits_cannot_hold_is_computed_exactly(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(BEYOND_64_BITS))
    rows = data.draw(
        st.lists(st.fixed_dictionaries(dict.fromkeys(columns(text), INT64)), min_size=1, max_size=3)
    )
    scales = {name: data.draw(st.sampled_from([0, 2, 18])) for name in columns(text)}
    points = [{name: Fraction(unit, 10 ** scales[name]) for name, unit in row.items()} for row in rows]
    values = [value_at(parse_expression(text), point) for point in points]
    boxes = [{name: (unit, unit) for name, unit in row.items()} for row in rows]
    assert ends_of(text, boxes, scales) == [(value, value) for value in values]


@given(st.lists(st.tuples(INT64, INT64), min_size=1, max_size=4), st.integers(1, 4))
@example([(-2 * 10**9, 1), (0, 1)], 3)  # the square of the first record fits, its cube does not
@draws(200)
def test_powers_of_ranges_beyond_64_bits_are_exact_in_every_record(
    rows: list[tuple[int, int]], exponent: int
) -> None:
    expected = []
    for low, high in map(sorted, rows):
        powers = [end**exponent for end in (low, high)] + [0] * (low <= 0 <= high)
        expected.append((min(powers), max(powers)))
    boxes = [{"a": (min(row), max(row))} for row in rows]
    assert ends_of(f"a ^ {exponent}", boxes, {"a": 0}) == expected


@pytest.mark.parametrize("text", ["a / b", "a / max(b, c)", "1 / (b - c)"])
def test_a_divisor_that_can_be_zero_is_refused(text: str) -> None:
    box = dict.fromkeys(columns(text), (-1, 1))
    with pytest.raises(ZeroDivisionError):
        image_of(parse_expression(text), cells_of([box], dict.fromkeys(box, 0)))


def test_decimals_add_up_exactly() -> None:
    assert ends_of("a + b", [{"a": (1, 1), "b": (20, 20)}], {"a": 1, "b": 2}) == [(Fraction(3, 10),) * 2]
