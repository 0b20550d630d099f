"""Company in every range an attacker may know, against all ranges one by one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.methods.aggregates.band_counts import band_counts, has_enough_in_every_band
from tests.draws import draws
from tests.methods.slow_nearby import has_company_everywhere

values = st.one_of(
    st.lists(st.integers(-12, 12), min_size=1, max_size=20),
    st.lists(st.integers(90, 120), min_size=1, max_size=20),
    st.lists(st.integers(-120, -90), min_size=1, max_size=20),
).map(sorted)
exact_shares = st.sampled_from([1 / 32, 1 / 16, 1 / 8, 3 / 16, 1 / 4, 1 / 2])  # exact as floats


@draws(200)
@given(values, exact_shares, st.integers(2, 5))
@example([0, 0, 0], 1 / 4, 2)
@example([-8, -4, 4, 8], 1 / 2, 2)
def test_a_value_is_surrounded_when_every_range_holds_k_values(values, share, k):
    expected = [has_company_everywhere(values, v, share, k) for v in values]
    assert has_enough_in_every_band(np.array(values), share, k).tolist() == expected


@draws(200)
@given(values, exact_shares)
def test_company_is_what_lies_in_the_band_around_a_value(values, share):
    expected = [sum(abs(u - v) <= share * abs(v) for u in values) for v in values]
    assert band_counts(np.array(values), share).tolist() == expected


@draws(200)
@given(values, st.sampled_from([0.51, 0.75, 0.99]), st.integers(2, 5))
def test_wide_shares_are_never_answered_too_generously(values, share, k):
    for safe, v in zip(has_enough_in_every_band(np.array(values), share, k), values, strict=True):
        assert not safe or has_company_everywhere(values, v, share, k)


@pytest.mark.parametrize("rows", [1, 3])
def test_fewer_than_k_values_surround_nobody(rows):
    assert not has_enough_in_every_band(np.full(rows, 100), 0.25, k=4).any()
