"""The bound on luck against the exact binomial distribution."""

from math import comb

from hypothesis import given
from hypothesis import strategies as st

from shoal.leaks.chance import luck


@given(st.integers(1, 80), st.data())
def test_luck_is_never_below_the_probability_and_near_it_where_it_is_small(tries, data):
    hits, chance = data.draw(st.integers(0, tries)), data.draw(st.floats(0.01, 0.99))
    exactly = sum(
        comb(tries, at) * chance**at * (1 - chance) ** (tries - at) for at in range(hits, tries + 1)
    )
    assert luck(hits, tries, chance) >= exactly * (1 - 1e-9)
    if exactly < 1e-3:
        assert luck(hits, tries, chance) <= 2 * exactly
