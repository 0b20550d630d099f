"""Hierarchies: levels that fit into each other, and every fault of a file at once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchy.hierarchy import Hierarchy

TOWNS = [("Ulm", "south", "*"), ("Kiel", "north", "*"), ("Bremen", "north", "*")]


def test_labels_count_the_leaves_under_them():
    towns = Hierarchy.from_paths(TOWNS)
    assert towns.leaves == ("Ulm", "Kiel", "Bremen")
    assert dict(zip(towns.levels[1].labels, towns.levels[1].sizes.tolist(), strict=True)) == {
        "south": 1,
        "north": 2,
    }
    assert towns.losses(0).tolist() == [0, 0, 0]
    assert towns.losses(1).tolist() == [0, 0.5]
    assert towns.losses(2).tolist() == [1]


def test_a_file_without_a_star_gets_one_on_top():
    towns = Hierarchy.from_paths([path[:2] for path in TOWNS])
    assert towns.levels[-1].labels == ("*",)
    assert towns.paths() == [list(path) for path in TOWNS]


def test_words_are_found_and_unknown_ones_marked():
    assert Hierarchy.from_paths(TOWNS).codes(["Kiel", "Rome", None]).tolist() == [1, -1, -1]


@pytest.mark.parametrize(
    ("paths", "what"),
    [
        ([], "is empty"),
        ([("a", "x", "*"), ("b", "*"), ("c", "x", "*")], "another number of levels than 3 (line 2)"),
        ([("a", "x", "*"), ("b", "x", "*"), ("a", "y", "*"), ("b", "y", "*")], "more than once (lines 3, 4)"),
        ([("a", "x", "1", "*"), ("b", "x", "2", "*")], "under different labels of level 2 (line 2)"),
        ([("a", "x", "*"), ("b", "y", "z")], "ends in '*' on some lines only"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_lines(paths, what):
    with pytest.raises(shoal.ShoalError) as refused:
        Hierarchy.from_paths(paths, "town")
    assert what in str(refused.value)
    assert "'town'" in str(refused.value)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, unique=True), st.integers(1, 3))
def test_every_level_lies_inside_the_next(words, depth):
    paths = [(word, *(word[: max(3 - at, 0)][:1] + str(at) for at in range(depth)), "*") for word in words]
    levels = Hierarchy.from_paths(paths).levels
    for below, above in pairwise(levels):
        pairs = set(zip(below.group_of.tolist(), above.group_of.tolist(), strict=True))
        assert len(pairs) == len(below.labels)
        assert np.bincount(above.group_of).sum() == len(words)
