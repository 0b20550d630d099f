"""Placing rows in classes against a plain look at all of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.boxes.place_rows import NUMBERS, Boxes, place_rows
from tests.draws import draws

RANGE = st.tuples(st.integers(-9, 9), st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1]))
WORDS = st.sets(st.integers(0, 3), min_size=1)
CLASS = st.tuples(RANGE, WORDS, RANGE, WORDS)
ROW = st.tuples(st.integers(-12, 20), st.integers(0, 4), st.integers(-12, 20), st.integers(0, 4))


def fits(row, one):
    return all(
        cell[0] <= value <= cell[1] if isinstance(cell, tuple) else value in cell
        for value, cell in zip(row, one, strict=True)
    )


def boxes_of(classes):
    low, high = np.zeros((len(classes), 4), np.int64), np.zeros((len(classes), 4), np.int64)
    has = np.zeros((len(classes), 10), bool)  # five codes each, the last of them never there
    for at, (first, words, second, others) in enumerate(classes):
        (low[at, 0], high[at, 0]), (low[at, 2], high[at, 2]) = first, second
        has[at, list(words)] = True
        has[at, [5 + code for code in others]] = True
    return Boxes(low, high, has, np.array([NUMBERS, 0, NUMBERS, 5]))


@draws(200)
@given(st.lists(CLASS, min_size=1, max_size=12), st.lists(ROW, min_size=1, max_size=20))
def test_a_row_goes_to_a_class_that_contains_it(classes, rows):
    found = place_rows(np.array(rows), boxes_of(classes), seeded_key(1))
    for row, number in zip(rows, found.tolist(), strict=True):
        fitting = [at for at, one in enumerate(classes) if fits(row, one)]
        assert number in fitting if fitting else number == -1


def test_among_classes_that_fit_all_are_drawn():
    boxes = boxes_of([((0, 5), {0}, (0, 5), {0})] * 3)
    found = place_rows(np.zeros((3000, 4), np.int64), boxes, seeded_key(1))
    assert np.bincount(found).min() > 850
