"""aligned against a slow reference, and what somebody learns who knows the method and their own total."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.keyed_hash import Purpose, seeded_key
from shoal.methods.aggregates.aggregate import WeightedSum
from shoal.methods.aggregates.aligned import aligned
from shoal.methods.aggregates.knowledge import Knowledge
from shoal.methods.aggregates.residual import residual
from shoal.methods.ranges import column_ends
from tests.draws import draws
from tests.methods.slow_aligned import (
    Box,
    Choice,
    Domain,
    Row,
    SlowClass,
    blind_column,
    eligible_column,
    slow_aligned,
    total_of,
)
from tests.methods.slow_siphash import slow_hash

DRAWS = {"blind": blind_column, "eligible": eligible_column}


@dataclass(frozen=True)
class Case:
    table: np.ndarray
    weights: list[int]
    k: int
    seed: int
    domain: Domain | None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Tables with ties, zeros, negatives and numbers of several lengths; weights of two sizes and signs."""
    columns = draw(st.integers(1, 4))
    cell = draw(st.sampled_from([st.integers(-3, 3), st.integers(1, 9), st.integers(-40, 300)]))
    rows = draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=2, max_size=14))
    weight = draw(st.sampled_from([st.just(1), st.sampled_from([-1, 1]), st.sampled_from([-2, 0, 1, 2])]))
    weights = draw(st.lists(weight, min_size=columns, max_size=columns))
    table = np.array(rows, np.int64)
    wider = draw(st.none() | st.integers(0, 20))
    domain = None
    if wider is not None:
        low, high = column_ends(table)
        domain = (tuple((low - wider).tolist()), tuple((high + wider).tolist()))
    return Case(table, weights, min(draw(st.integers(2, 4)), len(table)), draw(st.integers(0, 99)), domain)


def domain_of(case: Case) -> Domain:
    if case.domain is not None:
        return case.domain
    low, high = column_ends(case.table)
    return tuple(low.tolist()), tuple(high.tolist())


def slow_release(case: Case, draw: str) -> list[SlowClass]:
    """The reference under the real draws."""
    rows, columns = case.table.shape
    key = seeded_key(case.seed)
    ties = [slow_hash(key, Purpose.TIES, row) for row in range(rows)]
    preferences = [
        [slow_hash(key, Purpose.COLUMNS, row * 65536 + column) for column in range(columns)]
        for row in range(rows)
    ]
    table = case.table.tolist()
    return slow_aligned(table, case.weights, case.k, ties, preferences, domain_of(case), DRAWS[draw])


def made(case: Case, draw: str) -> Any:
    domain = None if case.domain is None else tuple(map(np.array, case.domain))
    f = WeightedSum(np.array(case.weights))
    return aligned(case.table, f, case.k, seeded_key(case.seed), domain=domain, draw=draw)


@pytest.mark.parametrize("draw", DRAWS)
@draws(200)
@given(case=cases())
def test_it_publishes_what_the_slow_one_publishes(draw: str, case: Case) -> None:
    ranges, expected = made(case, draw), slow_release(case, draw)
    low, high = ranges.in_input_order()
    for one in expected:
        for row, box in zip(one.rows, one.boxes or (), strict=bool(one.boxes)):
            assert list(zip(low[row], high[row], strict=True)) == list(box)
    fallen = np.array([row for one in expected if one.boxes is None for row in one.rows], int)
    assert ranges.fallen == len(fallen)
    if len(fallen):
        known = Knowledge((WeightedSum(np.array(case.weights)),))
        common = residual(case.table[fallen], known, case.k, seeded_key(case.seed)).in_input_order()
        assert np.array_equal(low[fallen], common[0])
        assert np.array_equal(high[fallen], common[1])


def values_on_the_grid(box: Box, weights: list[int]) -> frozenset[int]:
    return frozenset(total_of(point, weights) for point in product(*(range(a, b + 1) for a, b in box)))


@pytest.mark.parametrize("draw", DRAWS)
@draws(150)
@given(case=cases())
def test_a_class_has_one_image_and_opens_one_cell_a_row_inside_the_domain(draw: str, case: Case) -> None:
    ranges = made(case, draw)
    in_a_class = len(case.table) - ranges.fallen  # the fallen stand at the end
    bottom, top = map(np.array, domain_of(case))
    for begin, end in zip(ranges.starts[:-1], ranges.starts[1:], strict=True):
        assert end - begin >= case.k
        rows = ranges.order[begin:end]
        low, high = ranges.low[begin:end], ranges.high[begin:end]
        assert (low <= case.table[rows]).all()
        assert (case.table[rows] <= high).all()
        if end > in_a_class:
            continue
        boxes = [tuple(zip(a, b, strict=True)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        images = {values_on_the_grid(box, case.weights) for box in boxes}
        assert len(images) == 1
        opened = low < high
        assert (opened.sum(axis=1) == (len(next(iter(images))) > 1)).all()
        assert ((low > 0) | (high < 0) | ~opened).all()
        limits = (bottom < low) & (high < top) if draw == "blind" else (bottom <= low) & (high <= top)
        assert (limits | ~opened).all()


def test_no_release_of_these_classes_with_equal_f_is_narrower() -> None:
    """The width of F is at most the width of the open cells, and here it is exactly that."""
    case = Case(np.array([[40, 50], [44, 49], [41, 60], [70, 33]]), [1, 1], 2, 5, ((0, 0), (99, 99)))
    ranges = made(case, "eligible")
    assert ranges.fallen == 0
    totals = case.table[ranges.order].sum(axis=1)
    widths = (ranges.high - ranges.low).sum(axis=1)
    for begin, end in zip(ranges.starts[:-1], ranges.starts[1:], strict=True):
        assert set(widths[begin:end]) == {np.ptp(totals[begin:end])}


# What an attacker learns who knows the method, the declared domain and f of the target, and nothing else:
# all tables over the domain are equally likely. The release is the multiset of the boxes of the aligned
# classes and, to be strict, the fallen rows as they are: whoever is shown less of them cannot learn more
# about the others.
#
# Rows are exchangeable: every order of the rows is as likely as any other, and the target may be any of
# them. So it is enough to break ties by the place of a row, if all tables are looked at; and of the orders
# of a table, those differ that put rows of equal f differently. The columns that rows prefer are drawn
# apart from everything else, so all of them are tried.


@dataclass
class Posterior:
    """Weights of (release, f of the target, box of the target); divided by their sum, probabilities."""

    weight: dict[Any, Counter[Box]] = field(default_factory=lambda: defaultdict(Counter))
    classes: dict[Any, dict[Any, Counter[Box]]] = field(default_factory=dict)

    def shares(self) -> Iterator[tuple[Counter[Box], dict[Box, Fraction]]]:
        """For every release, f and aligned class that f may be in: its boxes, and how likely a single
        record is the target's, if the target is in this class. Equal boxes share."""
        for (release, _), weights in self.weight.items():
            for boxes in self.classes[release].values():
                inside = sum(weights[box] for box in boxes)
                if inside:
                    yield boxes, {box: Fraction(weights[box], inside * boxes[box]) for box in boxes}


def tables_of(cells: range, rows: int, weights: list[int]) -> Iterator[tuple[tuple[Row, ...], int]]:
    """Every sequence of rows in the order of f, and how many tables come to it when they are sorted."""
    by_total: dict[int, list[Row]] = defaultdict(list)
    for row in product(cells, repeat=len(weights)):
        by_total[total_of(row, weights)].append(row)
    for totals in combinations_with_replacement(sorted(by_total), rows):
        orders = factorial(rows) // prod(map(factorial, Counter(totals).values()))
        for table in product(*(by_total[total] for total in totals)):
            yield table, orders


def posterior_of(
    cells: range, rows: int, weights: list[int], choose: Choice, declared: bool = True
) -> Posterior:
    columns = len(weights)
    domain: Domain = ((cells[0],) * columns, (cells[-1],) * columns)
    found = Posterior()
    ways = list(product(permutations(range(columns)), repeat=rows))
    for table, orders in tables_of(cells, rows, weights):
        if not declared:
            domain = tuple(map(min, zip(*table, strict=True))), tuple(map(max, zip(*table, strict=True)))
        for preferences in ways:
            classes = slow_aligned(table, weights, 2, range(rows), preferences, domain, choose)
            boxes: dict[Any, Counter[Box]] = defaultdict(Counter)
            fallen = []
            for one in classes:
                if one.boxes is None:
                    fallen += [table[row] for row in one.rows]
                else:
                    boxes[ends_of(one.boxes[0], weights)].update(one.boxes)
            shown = sorted(box for members in boxes.values() for box in members.elements())
            release = (tuple(shown), tuple(sorted(fallen)))
            found.classes[release] = boxes
            for one in classes:
                for row, box in zip(one.rows, one.boxes or (), strict=bool(one.boxes)):
                    found.weight[release, total_of(table[row], weights)][box] += orders
    return found


def ends_of(box: Box, weights: list[int]) -> tuple[int, int]:
    """F: nobody but the members of a class has its ends (and records of equal f are one class)."""
    ends = [sorted((weight * a, weight * b)) for weight, (a, b) in zip(weights, box, strict=True)]
    return sum(a for a, _ in ends), sum(b for _, b in ends)


TINY = [
    pytest.param(range(-1, 10), 2, [1, 1], id="2 rows, one digit"),
    pytest.param(range(5), 3, [1, 1], id="3 rows"),
    pytest.param(range(-3, 4), 2, [1, -1], id="2 rows, both signs"),
    pytest.param(range(4), 4, [1, 1], id="4 rows, two classes"),
    pytest.param(range(13, 20), 2, [1, 1], id="2 rows, one and two digits"),
    pytest.param(range(4), 2, [1, 1, -1], id="3 columns"),
    pytest.param(range(4), 2, [1, 1, 2], id="a column of another step"),
    pytest.param(range(-3, 4), 3, [1, 1], id="3 rows, both signs", marks=pytest.mark.slow),
    pytest.param(range(5), 4, [1, 1], id="4 rows", marks=pytest.mark.slow),
    pytest.param(range(4), 5, [1, 1], id="5 rows", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("cells", "rows", "weights"), TINY)
def test_blind_leaves_exactly_one_in_as_many_as_the_class_has_records(cells, rows, weights) -> None:
    found = posterior_of(cells, rows, weights, blind_column)
    opened = 0
    for boxes, shares in found.shares():
        size = boxes.total()
        assert size >= 2
        assert set(shares.values()) == {Fraction(1, size)}
        opened += any(a < b for box in boxes for a, b in box)
    assert opened > 0  # some classes were aligned


def test_blind_is_as_good_if_the_smallest_and_largest_values_are_the_limits() -> None:
    """No cell at an end is opened, so no value in a range would have changed the ends."""
    found = posterior_of(range(1, 5), 4, [1, 1], blind_column, declared=False)
    opened = 0
    for boxes, shares in found.shares():
        assert set(shares.values()) == {Fraction(1, boxes.total())}
        opened += any(a < b for box in boxes for a, b in box)
    assert opened > 0


@pytest.mark.parametrize(
    ("cells", "rows", "weights", "expected"),
    [
        pytest.param(range(-1, 10), 2, [1, 1], Fraction(4, 5), id="2 rows"),
        pytest.param(range(5), 3, [1, 1], Fraction(6, 11), id="3 rows"),
        pytest.param(range(-3, 4), 2, [1, -1], Fraction(2, 3), id="2 rows, both signs"),
        pytest.param(range(4), 4, [1, 1], Fraction(2, 3), id="4 rows", marks=pytest.mark.slow),
    ],
)
def test_eligible_leaves_everybody_possible_but_not_equally_likely(cells, rows, weights, expected) -> None:
    found = posterior_of(cells, rows, weights, eligible_column)
    largest = max(max(shares.values()) for _, shares in found.shares())
    assert all(min(shares.values()) > 0 for _, shares in found.shares())
    assert largest == expected


def test_a_choice_that_looks_at_the_value_would_be_found_out() -> None:
    """Always the largest cell, instead of one drawn among those of most digits: some cannot be it."""

    def largest_column(row: Row, ends: Any, _: Row, domain: Domain) -> int | None:
        return blind_column(row, ends, [-cell for cell in row], domain)

    found = posterior_of(range(5), 3, [1, 1], largest_column)
    assert max(max(shares.values()) for _, shares in found.shares()) == 1
