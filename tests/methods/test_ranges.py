"""What a method hands back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.ranges import Ranges, blocks_of, column_ends
from tests.draws import draws

TWO_CLASSES = Ranges(
    order=np.array([2, 0, 1, 3]),
    starts=np.array([0, 2, 4]),
    low=np.array([[1, 5], [1, 5], [7, 0], [7, 0]]),
    high=np.array([[4, 5], [4, 5], [7, 9], [7, 9]]),
)


def test_classes_are_counted_and_named_by_position():
    assert TWO_CLASSES.classes == 2
    assert TWO_CLASSES.class_of().tolist() == [0, 0, 1, 1]


def test_widths_are_summed_per_column_and_exact_cells_counted():
    widths, exact = TWO_CLASSES.summary()
    assert widths.tolist() == [6.0, 18.0]
    assert exact == 4


def test_boxes_go_back_to_their_input_rows():
    low, high = TWO_CLASSES.in_input_order()
    assert low.tolist() == [[1, 5], [7, 0], [1, 5], [7, 0]]
    assert high.tolist() == [[4, 5], [7, 9], [4, 5], [7, 9]]


def test_columns_of_chosen_positions_come_in_their_order():
    low, high = TWO_CLASSES.columns(np.array([3, 0]))
    assert low.tolist() == [[7, 1], [0, 5]]
    assert high.tolist() == [[7, 4], [9, 5]]


def test_column_ends_are_the_smallest_and_largest_values():
    low, high = column_ends(np.array([[3, -1], [2, 8], [2, 0]]))
    assert (low.tolist(), high.tolist()) == ([2, -1], [3, 8])


@draws(200)
@given(st.integers(2, 9), st.integers(0, 60))
def test_blocks_have_k_rows_and_the_last_one_fewer_than_two_k(k, more):
    rows = k + more
    sizes = np.diff(blocks_of(rows, k))
    assert sizes.sum() == rows
    assert set(sizes[:-1]) <= {k}
    assert k <= sizes[-1] < 2 * k


@pytest.mark.parametrize("rows", [1, 2])
def test_fewer_than_k_rows_are_one_block(rows):
    assert blocks_of(rows, 3).tolist() == [0, rows]
