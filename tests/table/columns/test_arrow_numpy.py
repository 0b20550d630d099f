"""NumPy to Arrow and back."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.table.columns.arrow_numpy import arrow_from_numpy, constant, numpy_from_arrow

ARRAYS = [
    np.array([1, -2, 3]),
    np.array([], np.int64),
    np.array([0.5, -1.5]),
    np.array([True, False] * 9 + [True]),
    np.arange(10)[::3],
    np.array([2**64 - 1], np.uint64),
]


@pytest.mark.parametrize("values", ARRAYS)
def test_values_survive_the_way_there_and_back(values):
    array = arrow_from_numpy(values)
    assert array.to_pylist() == values.tolist()
    again = numpy_from_arrow(array)
    assert (again.tolist(), again.dtype) == (values.tolist(), values.dtype)


def test_a_slice_is_read_from_its_own_start():
    assert numpy_from_arrow(pa.array([1, 2, 3, 4]).slice(1, 2)).tolist() == [2, 3]
    assert numpy_from_arrow(pa.array([True, False, False, True]).slice(2)).tolist() == [False, True]


def test_a_constant_column_repeats_its_text():
    assert constant("é,", 3).equals(pa.array(["é,"] * 3))
    assert constant("x", 0).equals(pa.array([], pa.string()))
