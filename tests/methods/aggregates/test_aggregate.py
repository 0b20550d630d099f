"""The weighted sum of a method against plain arithmetic."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.methods.aggregates.aggregate import WeightedSum
from tests.draws import draws


@draws(200)
@given(st.integers(1, 4).flatmap(lambda columns: st.tuples(
    arrays(np.int64, st.tuples(st.integers(1, 8), st.just(columns)), elements=st.integers(-(10**6), 10**6)),
    arrays(np.int64, columns, elements=st.integers(-1000, 1000)),
)), st.integers(-(10**9), 10**9))  # fmt: skip
def test_f_is_the_constant_plus_the_weighted_cells(table, constant):
    values, weights = table
    expected = [constant + sum(int(w) * int(v) for w, v in zip(weights, row, strict=True)) for row in values]
    assert WeightedSum(weights, constant).of(values).tolist() == expected
