from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.methods.means.rare_values import (
    ConfidentialColumn,
    begin_group,
    count_row,
    empty_tally,
    rare_demand,
    satisfies_demand,
    short_groups,
)
from tests.draws import draws

TREE = np.array([[0, 4], [1, 4], [2, 5], [3, 5]])  # four leaves under two labels


def distance(column, one, other):
    """Squared differences of numbers; of labels, on how many levels they differ."""
    if (column.axes == 0).all():
        return int(column.places[one, 0] - column.places[other, 0]) ** 2
    return int((column.axes[one] != column.axes[other]).sum())


def mean_distance(column, codes):
    return Fraction(sum(distance(column, one, other) for one in codes for other in codes), len(codes) ** 2)


def keeps(column, rows):
    """The definition, pair by pair."""
    codes = column.codes[rows].tolist()
    if not any(column.is_rare[code] for code in codes):
        return True
    whole = mean_distance(column, column.codes.tolist())
    return len(set(codes)) >= column.p and mean_distance(column, codes) >= column.r * whole


@st.composite
def drawn_columns(draw):
    rows = draw(st.integers(1, 12))
    shares = st.fractions(0, 1, max_denominator=6)
    columns = []
    for kind in draw(st.lists(st.sampled_from(["numbers", "words", "tree"]), min_size=1, max_size=3)):
        codes = np.array(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))
        demand = max(draw(shares), Fraction(1, 6)), draw(st.integers(1, 3)), draw(shares)
        if kind == "numbers":
            numbers = np.array(draw(st.lists(st.integers(-9, 9), min_size=4, max_size=4, unique=True)))
            columns.append(
                ConfidentialColumn.of_numbers(codes, numbers * draw(st.sampled_from([1, 10**17])), *demand)
            )
        else:
            columns.append(
                ConfidentialColumn.of_labels(codes, TREE if kind == "tree" else TREE[:, :1], *demand)
            )
    return columns, np.array(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))


@draws(100)
@given(drawn_columns())
def test_groups_fall_short_as_the_definition_says(drawn):
    columns, group_of = drawn
    expected = [group for group in np.unique(group_of)
                if not all(keeps(column, group_of == group) for column in columns)]  # fmt: skip
    assert short_groups(columns, group_of).tolist() == expected


@draws(100)
@given(drawn_columns())
def test_searches_see_the_same_up_to_rounding(drawn):
    columns, group_of = drawn
    strict, lax = (rare_demand(columns, len(group_of), slack) for slack in (-1e-9, 1e-9))
    counted = empty_tally(strict)
    short = short_groups(columns, group_of).tolist()
    for group in np.unique(group_of):
        begin_group(counted)
        for row in np.flatnonzero(group_of == group):
            count_row(strict, counted, row)
        if satisfies_demand(strict, counted):
            assert group not in short
        if not satisfies_demand(lax, counted):
            assert group in short


def test_without_columns_every_group_passes():
    nothing = rare_demand([], 3)
    counted = empty_tally(nothing)
    begin_group(counted)
    count_row(nothing, counted, 0)
    assert satisfies_demand(nothing, counted)


def test_of_equal_shares_a_value_is_rare_only_below_q():
    column = ConfidentialColumn.of_numbers(
        np.array([0, 0, 1, 1, 1]), np.array([7, 8]), Fraction(2, 5), 1, Fraction(0)
    )
    assert column.is_rare.tolist() == [False, False]


def test_searches_see_numbers_that_span_more_than_63_bits():
    codes = np.array([0, 1, 0, 1])
    far, near = (
        ConfidentialColumn.of_numbers(codes, np.array(ends), Fraction(1), 2, Fraction(1, 2))
        for ends in ([-(2**63), 2**63 - 1], [-1, 1])
    )
    for column in (far, near):
        asked = rare_demand([column], 4)
        counted = empty_tally(asked)
        begin_group(counted)
        count_row(asked, counted, 0)
        count_row(asked, counted, 1)
        assert satisfies_demand(asked, counted)
