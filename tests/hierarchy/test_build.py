"""Hierarchies built from values."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchy import build


def label(hierarchy, word, level):
    return hierarchy.levels[level].labels[hierarchy.levels[level].group_of[hierarchy.leaves.index(word)]]


@given(st.lists(st.integers(-200, 200), min_size=1, unique=True))
def test_an_interval_holds_its_number(numbers):
    built = build.intervals([str(number) for number in numbers], [Decimal(5), Decimal(20)])
    for number in numbers:
        for level in (1, 2):
            low, high = (int(end) for end in label(built, str(number), level).strip("[]").split(", "))
            assert low <= number <= high
            assert high - low + 1 == (5, 20)[level - 1]


def test_intervals_of_decimals_are_half_open():
    assert label(build.intervals(["0.5", "2.25"], [Decimal(2)]), "2.25", 1) == "[2, 4)"


@pytest.mark.parametrize("zero", ["0", "0.0", "-0", "0.00"])
def test_a_zero_has_the_interval_of_its_neighbours(zero):
    built = build.intervals([zero, "0.2", "1"], [Decimal("0.5"), Decimal("2.50")])
    assert label(built, "0", 1) == label(built, "0.2", 1)
    assert label(built, "0", 2) == label(built, "1", 2)


def test_widths_that_do_not_fit_into_each_other_are_refused():
    with pytest.raises(shoal.ShoalError, match="do not fit into each other"):
        build.intervals(["1"], [Decimal(5), Decimal(12)], "age")


@pytest.mark.parametrize("word", ["nan", "-inf", "sNaN", "Ulm", "1e30", "9" * 40, "0." + "9" * 40])
def test_what_is_no_number_or_a_very_long_one_has_no_interval(word):
    with pytest.raises(shoal.ShoalError, match="so it has no intervals"):
        build.intervals(["1", word], [Decimal(5)], "age")


def test_groups_follow_the_order_of_numbers_not_of_text():
    built = build.order_groups(["10", "9", "8", "100"], [2])
    assert [label(built, word, 1) for word in ("8", "9", "10", "100")] == ["[8, 9]"] * 2 + ["[10, 100]"] * 2


def test_masks_of_both_sides_and_of_words_of_different_length():
    right, left = build.mask(["13053", "148"]), build.mask(["ab", "cb"], "left")
    assert [label(right, "148", level) for level in range(6)] == [
        "148",
        "148*",
        "148**",
        "14***",
        "1****",
        "*",
    ]
    assert [label(left, "ab", level) for level in range(3)] == ["ab", "*b", "*"]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("week", "2011-W20"),
        ("month", "2011-05"),
        ("quarter", "2011-Q2"),
        ("year", "2011"),
        ("decade", "2010s"),
        ("century", "2000 to 2099"),
    ],
)
def test_parts_of_dates(part, expected):
    assert label(build.dates(["2011-05-17"], [part]), "2011-05-17", 1) == expected


def test_a_cell_that_is_no_date_is_refused_without_showing_it():
    with pytest.raises(shoal.ShoalError, match="no dates") as refused:
        build.dates(["17.5.2011"], ["year"], "born")
    assert "17.5" not in str(refused.value)


def test_rare_values_join_and_stay_together():
    built = build.frequency(["a", "b", "c", "d"], [90, 6, 3, 1], [0.05, 0.5])
    assert [label(built, word, 1) for word in "abcd"] == ["a", "b", build.RARE, build.RARE]
    assert [label(built, word, 2) for word in "abcd"] == ["a", *[build.RARE] * 3]


def test_branches_of_a_tree_may_differ_in_depth():
    built = build.tree({"north": {"coast": ["Kiel"], "inland": ["Celle"]}, "south": ["Ulm"]})
    assert built.paths() == [
        ["Kiel", "coast", "north", "*"],
        ["Celle", "inland", "north", "*"],
        ["Ulm", "Ulm", "south", "*"],
    ]


def test_a_missing_cell_joins_others_only_at_the_top():
    for built in (build.mask(["12", None]), build.order_groups(["a", None], [2]), build.flat(["a", None])):
        assert built.levels[-1].labels == ("*",)
        assert all(label(built, None, level) is None for level in range(built.height))


def test_one_number_spelt_twice_is_one_value_and_mapped_twice():
    with pytest.raises(shoal.ShoalError, match="maps 1 value more than once"):
        build.tree({"low": ["0.00", "-0.01"], "high": ["0"]}, "pay")
