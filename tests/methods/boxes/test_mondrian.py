"""Mondrian in its three forms against the recursion that defines it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import seeded_key
from shoal.methods.boxes import mondrian as module
from shoal.methods.boxes.common_cell import LABEL, RANGE, CellForm, Costs
from shoal.methods.boxes.mondrian import mondrian
from tests.draws import draws
from tests.methods.slow_mondrian import SlowMondrian

FORMS = {"strict": {}, "textbook": {"textbook": True}, "relaxed": {"relaxed": True}}


@st.composite
def tables(draw):
    """Columns of different spread, with many ties."""
    width = draw(st.integers(1, 3))
    spans = [draw(st.sampled_from([0, 1, 3, 50])) for _ in range(width)]
    row = st.tuples(*(st.integers(-span, span) for span in spans))
    return draw(st.lists(row, min_size=2, max_size=24))


def classes_of(published):
    """Rows of every class and the one box that all of them are published as."""
    found = {}
    for start, stop in pairwise(published.starts):
        rows = frozenset(published.order[start:stop].tolist())
        ((low, high),) = {
            (tuple(published.low[at].tolist()), tuple(published.high[at].tolist()))
            for at in range(start, stop)
        }
        found[rows] = low, high
    return found


@pytest.mark.parametrize("form", FORMS)
@draws(200)
@given(rows=tables(), k=st.integers(2, 4), seed=st.integers(0, 2**32))
def test_classes_boxes_and_regions_are_those_of_the_recursion(form, rows, k, seed):
    key = seeded_key(seed)
    published = mondrian(np.array(rows, np.int64), k, key, **FORMS[form])
    slow = SlowMondrian(rows, k, key, **FORMS[form])
    assert classes_of(published) == slow.classes()
    assert published.split_widths.tolist() == slow.split_widths()


@pytest.mark.parametrize("form", FORMS)
def test_rows_may_stand_in_any_order_if_their_numbers_are_given(form):
    rng = np.random.default_rng(3)
    values, ids = rng.integers(0, 5, (200, 2)), rng.permutation(200)
    low, high = mondrian(values, 3, seeded_key(1), **FORMS[form]).in_input_order()
    moved = mondrian(values[ids], 3, seeded_key(1), ids=ids, **FORMS[form]).in_input_order()
    assert np.array_equal(moved, (low[ids], high[ids]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cores", [1, 2, 5])
def test_cutting_on_several_cores_gives_the_same_classes(form, cores, monkeypatch):
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.integers(0, span, 400) for span in (3, 40, 1000)])
    alone = classes_of(mondrian(values, 3, seeded_key(1), **FORMS[form]))
    monkeypatch.setattr(module, "CORES", cores)
    monkeypatch.setattr(module, "SMALL", 20)
    assert classes_of(mondrian(values, 3, seeded_key(1), **FORMS[form])) == alone


def test_a_heap_of_the_largest_value_is_cut_below_it_unless_the_textbook_forbids():
    values = np.array([[1], [2], [9], [9], [9], [9]])
    assert mondrian(values, 2, seeded_key(0)).classes == 2
    assert mondrian(values, 2, seeded_key(0), textbook=True).classes == 1


def test_relaxed_cuts_through_equal_values():
    values = np.zeros((8, 2), np.int64)
    values[:, 0] = [0, 5, 5, 5, 5, 5, 5, 9]
    assert mondrian(values, 2, seeded_key(0)).classes == 1
    assert mondrian(values, 2, seeded_key(0), relaxed=True).classes == 4


def test_split_widths_are_those_of_the_regions_between_the_cuts():
    values = np.array([[0], [1], [8], [10]])
    published = mondrian(values, 2, seeded_key(0))
    assert published.summary()[0].tolist() == [2 * 1 + 2 * 2]
    assert published.split_widths.tolist() == [2 * (1 - 0) + 2 * (10 - 1)]


def test_regions_wider_than_64_bits_are_measured_too():
    values = np.array([[-(2**62) - 5], [-(2**62)], [2**62], [2**62 + 7]])
    assert mondrian(values, 4, seeded_key(0)).split_widths[0] == pytest.approx(4 * 2.0**63)


def test_a_constant_column_is_never_cut():
    published = mondrian(np.full((9, 1), 7), 2, seeded_key(0))
    assert published.classes == 1
    assert (published.low == 7).all()
    assert (published.high == 7).all()


STEPS = np.array([1 / 5, 2 / 5, 1.0, 1 / 5])  # leaves 0 1 | 2 and 3 | 4 under two labels
COSTS = Costs([CellForm(LABEL, 1.0, STEPS), CellForm(LABEL, 1.0, np.ones(3))])


def label_classes(rows: list[tuple[int, int]], k: int) -> set[frozenset[int]]:
    """The recursion by its definition: part the largest branch below the dearest label that can be cut."""

    def width(column, members):
        leaves = [rows[row][column] for row in members]
        steps = COSTS.columns[column].steps[min(leaves) : max(leaves)]
        return max(steps, default=0.0)

    def branches(column, members):
        found: list[list[int]] = []
        for row in sorted(members, key=lambda row: rows[row][column]):
            leaf = rows[row][column]
            apart = found and width(column, [found[-1][-1], row]) == width(column, members)
            if not found or (apart and leaf > rows[found[-1][-1]][column]):
                found.append([])
            found[-1].append(row)
        return found

    def cut(members):
        for column in sorted(range(2), key=lambda column: -width(column, members)):
            if not width(column, members):
                continue
            largest = max(branches(column, members), key=len)
            rest = [row for row in members if row not in largest]
            if min(len(largest), len(rest)) >= k:
                return cut(largest) | cut(rest)
        return {frozenset(members)}

    return cut(list(range(len(rows))))


@draws(200)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=24),
    k=st.integers(2, 4),
)
def test_labels_are_cut_as_the_recursion_cuts_them(rows, k):
    published = mondrian(np.array(rows), k, seeded_key(0), costs=COSTS)
    assert set(classes_of(published)) == label_classes(rows, k)


def test_small_branches_stay_gathered_under_their_label():
    leaves = np.array([0, 0, 0, 1, 2, 2, 3])[:, np.newaxis]
    costs = Costs([CellForm(LABEL, 1.0, np.ones(3))])
    assert set(classes_of(mondrian(leaves, 3, seeded_key(0), costs=costs))) == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5, 6}),
    }


def test_numbers_beside_labels_are_cut_at_the_median():
    rows = np.array([[0, 1], [0, 2], [0, 8], [0, 9], [1, 1], [1, 9]])
    costs = Costs([CellForm(LABEL, 1.0, np.ones(1)), CellForm(RANGE, 1 / 8)])
    assert set(classes_of(mondrian(rows, 2, seeded_key(0), costs=costs))) == {
        frozenset({0, 1}),
        frozenset({2, 3}),
        frozenset({4, 5}),
    }
