"""What somebody who knows f is certain about, against every value that candidates admit."""

from itertools import product

import numpy as np
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from shoal.policy.model.expression import parse_expression
from shoal.verify.aggregate.certain_records import certain_records
from shoal.verify.cells.published_table import Cells
from tests.draws import draws

NAMES = ("a", "b", "c")


def cells(boxes):
    nowhere = np.zeros(len(boxes), bool)
    return {
        name: Cells(*(np.array([box[at][end] for box in boxes]) for end in (0, 1)), 0, nowhere, nowhere)
        for at, name in enumerate(NAMES)
    }


def implied(box, total):
    """Every value of every column that the box admits together with this total."""
    points = [p for p in product(*(range(low, high + 1) for low, high in box)) if sum(p) == total]
    return [{point[at] for point in points} for at in range(len(box))]


def certain_given_f(trees, also, cells, classes):
    """The share of records, as a verdict tells it."""
    records = certain_records(trees, also, cells, classes)
    return {name: round(count / len(classes), 4) for name, count in records.items()}


def certain(boxes):
    return certain_given_f((parse_expression("a + b + c"),), (), cells(boxes), np.zeros(len(boxes), np.int64))


RANGES = st.tuples(st.integers(0, 2), st.integers(0, 2)).map(lambda ends: (min(ends), max(ends)))


@draws(300, suppress_health_check=[HealthCheck.filter_too_much])
@given(boxes=st.lists(st.tuples(RANGES, RANGES, RANGES), min_size=1, max_size=2))
def test_what_is_called_certain_is_the_same_in_every_candidate_for_every_total(boxes):
    assume(len({tuple(map(sum, zip(*box, strict=True))) for box in boxes}) == 1)  # one F, so one class
    totals = {sum(point) for box in boxes for point in product(*(range(a, b + 1) for a, b in box))}
    shares = certain(boxes)
    for total in totals:
        per_box = [implied(box, total) for box in boxes]
        for at, name in enumerate(NAMES):
            values = set().union(*(values[at] for values in per_box))
            if shares[name]:
                assert len(values) == 1


def test_the_only_opened_column_of_a_class_is_certain():
    boxes = [((0, 5), (1, 1), (4, 4)), ((0, 5), (4, 4), (1, 1))]
    assert certain(boxes) == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_a_column_in_which_all_agree_is_certain_and_two_opened_ones_are_not():
    boxes = [((0, 5), (1, 3), (7, 7))] * 2
    assert certain(boxes) == {"a": 0.0, "b": 0.0, "c": 1.0}


def test_records_that_opened_different_ranges_leave_the_cell_open():
    boxes = [((0, 5), (3, 3), (0, 0)), ((3, 8), (0, 0), (0, 0))]
    assert certain(boxes)["a"] == 0.0


def test_shares_are_of_records_not_of_classes():
    boxes = [((1, 1), (2, 2), (0, 0))] * 3 + [((1, 1), (0, 0), (2, 2)), ((2, 2), (0, 0), (1, 1))]
    found = certain_given_f((parse_expression("a + b + c"),), (), cells(boxes), np.array([7, 7, 7, 2, 2]))
    assert found == {"a": 0.6, "b": 1.0, "c": 0.6}


def test_nothing_is_computed_from_an_aggregate_that_is_not_linear():
    boxes = [((0, 5), (1, 1), (4, 4)), ((0, 5), (4, 4), (1, 1))]
    found = certain_given_f((parse_expression("max(a, b, c)"),), (), cells(boxes), np.zeros(2, np.int64))
    assert found["a"] == 0.0


def test_what_two_known_sums_determine_is_certain_for_everybody():
    boxes = [((0, 5), (1, 1), (4, 4)), ((1, 1), (0, 4), (4, 4))]
    trees = (parse_expression("a + b + c"), parse_expression("a + b"))
    assert certain_given_f(trees, (), cells(boxes), np.zeros(2, np.int64)) == {"a": 0.0, "b": 0.0, "c": 1.0}


def test_two_known_sums_determine_two_opened_columns():
    boxes = [((0, 5), (1, 3), (4, 4)), ((0, 5), (1, 3), (6, 6))]
    trees = (parse_expression("a + b + c"), parse_expression("a + 2 * b"))
    found = certain_given_f(trees, (), cells(boxes), np.zeros(2, np.int64))
    assert found == {"a": 1.0, "b": 1.0, "c": 0.0}


def test_a_column_that_is_known_besides_is_not_news():
    boxes = [((0, 5), (1, 3), (7, 7))] * 2
    found = certain_given_f((parse_expression("a + b + c"),), ("a",), cells(boxes), np.zeros(2, np.int64))
    assert found == {"b": 1.0, "c": 1.0}
