"""The reading in which hidden cells match anything, against comparing every pair."""

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.verify.wildcard import fewest_compatible

CELLS = st.lists(st.tuples(*[st.tuples(st.integers(0, 2), st.booleans())] * 3), min_size=1, max_size=9)


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_it_is_the_fewest_records_that_agree_wherever_both_are_shown(rows):
    codes = np.array([[code for code, _ in row] for row in rows])
    hidden = np.array([[star for _, star in row] for row in rows])
    pairs = (hidden[:, None] | hidden | (codes[:, None] == codes)).all(axis=2)
    assert fewest_compatible(codes, hidden) == pairs.sum(axis=1).min()


def test_it_is_reported_and_never_relied_on():
    policy = shoal.Policy(columns={"zip": "quasi"}, guarantees=[shoal.KAnonymity(k=2)])
    (verdict,) = shoal.check(pa.table({"zip": ["13*", "13*", "*", None]}), policy)
    assert not verdict.holds
    assert verdict.achieved["k"] == 1
    assert verdict.achieved["k_wildcard"] == 4
