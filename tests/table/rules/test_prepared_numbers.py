"""Rounded and limited numbers are what exact arithmetic says, of cells of any type."""

from decimal import ROUND_HALF_UP, Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.rules.prepared_numbers import CutNumbers, LimitedNumbers
from tests.draws import draws

NUMBERS = st.decimals(-(10**6), 10**6, allow_nan=False, places=2)
STEPS = st.sampled_from([None, Decimal(100), Decimal("0.5"), Decimal(7)])


@draws(100)
@given(st.lists(NUMBERS), STEPS, st.none() | NUMBERS, st.none() | NUMBERS)
def test_numbers_are_rounded_first_and_limited_then(numbers, step, bottom, top):
    if None not in (bottom, top) and bottom > top:
        bottom, top = top, bottom
    expected = []
    for number in numbers:
        near = number if step is None else (number / step).quantize(Decimal(1), ROUND_HALF_UP) * step
        near = near if bottom is None else max(near, bottom)
        expected.append(near if top is None else min(near, top))
    read = LimitedNumbers(bottom, top, step).read(pa.array(list(map(str, numbers)), pa.string()))
    assert list(map(Decimal, read.cells.to_pylist())) == expected


@pytest.mark.parametrize(
    ("cells", "step", "kind", "found"),
    [
        (pa.array([149, None]), "100", pa.int64(), [100, None]),
        (pa.array([149]), "0.5", pa.decimal128(38, 1), [Decimal("149.0")]),
        (pa.array([149.2]), "0.5", pa.float64(), [149.0]),
        (pa.array([Decimal("1.25")]), "0.5", pa.decimal128(38, 2), [Decimal("1.50")]),
    ],
)
def test_the_type_follows_from_the_type_of_the_cells(cells, step, kind, found):
    read = LimitedNumbers(step=Decimal(step)).read(cells)
    assert read.cells.type == kind
    assert read.cells.to_pylist() == found


LONG = Decimal("9" * 38)


@pytest.mark.parametrize(
    ("cells", "step", "unread"),
    [
        (pa.array([2**63 + 10, 5, None], pa.uint64()), "10", [True, False, False]),
        (pa.array([2**63 - 1, -(2**63), 2**62]), "1000", [True, True, False]),
        (pa.array([LONG, Decimal(5)], pa.decimal128(38, 0)), "10", [True, False]),
        (pa.array([LONG, Decimal(5)], pa.decimal128(38, 0)), "0.1", [True, False]),
        (pa.array([5, 0]), "1e-40", [True, False]),
        (pa.array([LONG, None], pa.decimal128(38, 0)).cast(pa.string()), "10", [False, False]),
    ],
)
def test_numbers_that_the_type_cannot_hold_are_not_read(cells, step, unread):
    rule = LimitedNumbers(step=Decimal(step))
    found = rule.read(cells)
    assert found.unread.tolist() == unread
    assert found.cells.is_valid().to_pylist() == [
        there and not odd for there, odd in zip(cells.is_valid().to_pylist(), unread, strict=True)
    ]
    assert "larger units" in rule.hint(cells)


def test_what_is_no_number_is_not_read():
    for rule in (LimitedNumbers(top=Decimal(5)), CutNumbers((Decimal(5),), ("a", "b"))):
        assert rule.read(pa.array(["1", "x", None, "1,5", "007"])).unread.tolist() == [
            False,
            True,
            False,
            True,
            True,
        ]


@draws(100)
@given(st.lists(NUMBERS), st.sets(NUMBERS, min_size=1, max_size=5))
def test_a_label_says_between_which_points_a_number_lies(numbers, points):
    points = tuple(sorted(points))
    labels = tuple(f"class {at}" for at in range(len(points) + 1))
    read = CutNumbers(points, labels).read(pa.array(list(map(str, numbers)), pa.string()))
    assert read.cells.to_pylist() == [labels[sum(number >= point for point in points)] for number in numbers]
