"""The bound on luck against the exact binomial distribution."""

from math import comb, exp, isclose

from hypothesis import given
from hypothesis import strategies as st

from shoal.leaks.chance import log_of_choices, luck


@given(st.integers(1, 80), st.data())
def test_luck_is_never_below_the_probability_and_near_it_where_it_is_small(tries, data):
    hits, chance = data.draw(st.integers(0, tries)), data.draw(st.floats(0.01, 0.99))
    exactly = sum(
        comb(tries, at) * chance**at * (1 - chance) ** (tries - at) for at in range(hits, tries + 1)
    )
    assert luck(hits, tries, chance) >= exactly * (1 - 1e-9)
    if exactly < 1e-3:
        assert luck(hits, tries, chance) <= 2 * exactly


@given(st.integers(1, 60), st.data())
def test_choices_are_all_of_one_size_times_the_sizes(number, data):
    chosen = data.draw(st.integers(0, number))
    assert isclose(exp(log_of_choices(number, chosen)), number * comb(number, chosen), rel_tol=1e-9)


@given(st.integers(1, 80), st.floats(0, 2000), st.data())
def test_what_was_chosen_among_many_is_more_often_luck(tries, choices, data):
    hits, chance = data.draw(st.integers(0, tries)), data.draw(st.floats(0.01, 0.99))
    plain = luck(hits, tries, chance)
    assert plain <= luck(hits, tries, chance, choices) <= 1
