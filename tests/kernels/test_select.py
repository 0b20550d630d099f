"""Selection against sorting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.select import select
from tests.draws import draws


@draws(200)
@given(st.lists(st.integers(-9, 9) | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40), st.data())
def test_the_value_of_a_rank_is_the_one_that_sorting_puts_there(values, data):
    rank = data.draw(st.integers(0, len(values) - 1))
    moved = np.array(values, np.int64)
    assert select(moved, rank) == sorted(values)[rank]
    assert sorted(moved.tolist()) == sorted(values)
